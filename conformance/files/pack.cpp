// SPDX-License-Identifier: Apache-2.0
#include "conformance/files/pack.hpp"

#include <zlib.h>

#include <array>
#include <cstdint>
#include <stdexcept>

namespace mxcert {
namespace {

constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::uint8_t no_digit = 0xFF;

constexpr std::array<std::uint8_t, 256> values_of_digits() {
    std::array<std::uint8_t, 256> values{};
    values.fill(no_digit);
    for (std::size_t i = 0; i < digits.size(); ++i)
        values[static_cast<unsigned char>(digits[i])] = static_cast<std::uint8_t>(i);
    return values;
}

// RFC 4648, 4: 3 bytes are 4 digits; the last ones may be fewer, and '=' fills up.
std::string base64(std::string_view bytes) {
    std::string text;
    for (std::size_t at = 0; at < bytes.size(); at += 3) {
        const std::string_view some = bytes.substr(at, 3);
        std::uint32_t word = 0;
        for (std::size_t i = 0; i < 3; ++i)
            word = word << 8 | (i < some.size() ? static_cast<unsigned char>(some[i]) : 0U);
        for (std::size_t i = 0; i < 4; ++i) text += i <= some.size() ? digits[word >> (18 - 6 * i) & 63U] : '=';
    }
    return text;
}

std::string from_base64(std::string_view text) {
    static constexpr std::array<std::uint8_t, 256> values = values_of_digits();
    const std::size_t filled = text.ends_with("==") ? 2 : text.ends_with('=') ? 1 : 0;
    if (text.size() % 4 != 0) throw std::runtime_error("packed bytes are no base64: their length");
    std::string bytes;
    std::uint32_t word = 0;
    for (std::size_t at = 0; at < text.size(); ++at) {
        const bool fills = at >= text.size() - filled;
        const std::uint8_t value = fills ? std::uint8_t{0} : values[static_cast<unsigned char>(text[at])];
        if (value == no_digit) throw std::runtime_error("packed bytes are no base64: their digits");
        word = word << 6 | value;
        if (at % 4 == 3)
            for (const unsigned shift : {16U, 8U, 0U}) bytes += static_cast<char>(word >> shift & 0xFFU);
    }
    for (std::size_t i = 0; i < filled && !bytes.empty(); ++i) bytes.pop_back();
    return bytes;
}

} // namespace

std::string pack(std::string_view bytes) {
    uLongf size = ::compressBound(static_cast<uLong>(bytes.size()));
    std::string packed(size, '\0');
    if (::compress(reinterpret_cast<Bytef*>(packed.data()), &size, reinterpret_cast<const Bytef*>(bytes.data()),
                   static_cast<uLong>(bytes.size())) != Z_OK)
        throw std::runtime_error("zlib cannot pack " + std::to_string(bytes.size()) + " bytes");
    packed.resize(size);
    return base64(packed);
}

std::string unpack(std::string_view packed, std::size_t size) {
    const std::string bytes = from_base64(packed);
    std::string text(size, '\0');
    // A byte more, so that more than `size` shows.
    text.push_back('\0');
    uLongf got = static_cast<uLongf>(text.size());
    uLong used = static_cast<uLong>(bytes.size());
    if (::uncompress2(reinterpret_cast<Bytef*>(text.data()), &got, reinterpret_cast<const Bytef*>(bytes.data()),
                      &used) != Z_OK ||
        got != size || used != bytes.size())
        throw std::runtime_error("packed bytes are not the " + std::to_string(size) + " that are wanted");
    text.resize(size);
    return text;
}

} // namespace mxcert
