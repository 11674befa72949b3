// SPDX-License-Identifier: Apache-2.0
#include "conformance/files/pack.hpp"

#include <openssl/evp.h>
#include <zlib.h>

#include <stdexcept>

namespace mxcert::files {
namespace {

constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

// Of OpenSSL's base64 (RFC 4648, 4), which counts in int: 3 bytes are 4 digits, so parts of so many make one text.
constexpr std::size_t groups_at_once = std::size_t{1} << 20;

std::string base64(std::string_view bytes) {
    std::string text((bytes.size() + 2) / 3 * 4 + 1, '\0'); // and the NUL that it writes
    auto* to = reinterpret_cast<unsigned char*>(text.data());
    for (std::size_t at = 0; at < bytes.size(); at += 3 * groups_at_once) {
        const std::string_view chunk = bytes.substr(at, 3 * groups_at_once);
        to += EVP_EncodeBlock(to, reinterpret_cast<const unsigned char*>(chunk.data()), static_cast<int>(chunk.size()));
    }
    text.pop_back();
    return text;
}

std::string from_base64(std::string_view text) {
    if (text.size() % 4 != 0) throw std::runtime_error("packed bytes are no base64: their length");
    const std::size_t filled = text.ends_with("==") ? 2 : text.ends_with('=') ? 1 : 0;
    // OpenSSL skips blanks at both ends, and takes '=' anywhere.
    if (text.substr(0, text.size() - filled).find_first_not_of(digits) != std::string_view::npos)
        throw std::runtime_error("packed bytes are no base64: their digits");
    std::string bytes(text.size() / 4 * 3, '\0');
    auto* to = reinterpret_cast<unsigned char*>(bytes.data());
    for (std::size_t at = 0; at < text.size(); at += 4 * groups_at_once) {
        const std::string_view chunk = text.substr(at, 4 * groups_at_once);
        const int size =
            EVP_DecodeBlock(to, reinterpret_cast<const unsigned char*>(chunk.data()), static_cast<int>(chunk.size()));
        if (size < 0) throw std::runtime_error("packed bytes are no base64");
        to += size;
    }
    return bytes.substr(0, bytes.size() - filled);
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
    auto observed_size = static_cast<uLongf>(text.size());
    auto used = static_cast<uLong>(bytes.size());
    if (::uncompress2(reinterpret_cast<Bytef*>(text.data()), &observed_size,
                      reinterpret_cast<const Bytef*>(bytes.data()), &used) != Z_OK ||
        observed_size != size || used != bytes.size())
        throw std::runtime_error("packed bytes are not the " + std::to_string(size) + " that are wanted");
    text.resize(size);
    return text;
}

} // namespace mxcert::files
