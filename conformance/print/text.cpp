// SPDX-License-Identifier: Apache-2.0
#include "conformance/print/text.hpp"

#include <fnmatch.h>

#include <algorithm>
#include <bit>

#include <fmt/format.h>

#include "reference/flags.hpp"

namespace mxcert::print {
namespace {

struct Decoded {
    std::uint32_t point = 0;
    std::size_t length = 0; ///< 0: not a UTF-8 sequence
};

// One code point at the start of the text: shortest form only, no surrogates, at most U+10FFFF.
Decoded decode_utf8(std::string_view text) {
    const auto byte = [text](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const std::uint32_t lead = byte(0);
    if (lead < 0x80) return {lead, 1};
    const std::size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
    if (lead < 0xC2 || lead > 0xF4 || text.size() < length) return {};
    std::uint32_t point = lead & (0x7Fu >> length);
    for (std::size_t i = 1; i < length; ++i) {
        if ((byte(i) & 0xC0u) != 0x80u) return {};
        point = point << 6 | (byte(i) & 0x3Fu);
    }
    constexpr std::uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    const bool surrogate = point >= 0xD800 && point <= 0xDFFF;
    if (point < least[length] || surrogate || point > 0x10FFFF) return {};
    return {point, length};
}

bool is_printable(std::uint32_t point) {
    return point >= 0x20 && (point < 0x7F || point > 0x9F) && point != 0xFFFE && point != 0xFFFF && point != 0x2028 &&
           point != 0x2029 && !(point >= 0x202A && point <= 0x202E) &&
           !(point >= 0x2066 && point <= 0x2069); // bidirectional overrides
}

bool is_plain(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("_-./:=,+@%").find(c) != std::string_view::npos;
}

// A finite code as binary64, by integers alone.
double to_double(const Format& format, Code code) {
    const int bits = format.fraction_bits;
    const Code magnitude = format.magnitude_of(code);
    const auto field = static_cast<int>(magnitude >> bits);
    const bool subnormal = field == 0 && format.has_subnormals;
    std::uint64_t significand = magnitude & format.fraction_mask();
    if (!subnormal) significand |= std::uint64_t{1} << bits;
    const std::uint64_t sign = (code & format.sign_bit()) != 0 ? std::uint64_t{1} << 63 : 0;
    if (significand == 0) return std::bit_cast<double>(sign);
    int exponent = (subnormal ? 1 : field) - format.bias; // of the bit at position `bits`
    constexpr int fraction_bits = 52;
    const int top = 63 - std::countl_zero(significand);
    exponent += top - bits;
    significand <<= fraction_bits - top;
    constexpr int least_normal = -1022;
    std::uint64_t biased = 0;
    if (exponent < least_normal)
        significand >>= least_normal - exponent; // exact: only binary64 itself has such values
    else
        biased = static_cast<std::uint64_t>(exponent + 1023);
    return std::bit_cast<double>(sign | biased << fraction_bits |
                                 (significand & ((std::uint64_t{1} << fraction_bits) - 1)));
}

std::string hex_float(double value) {
    const auto bits = std::bit_cast<std::uint64_t>(value);
    const char* sign = bits >> 63 != 0 ? "-" : "";
    const auto field = static_cast<int>(bits >> 52 & 0x7FF);
    const std::uint64_t fraction = bits & 0xFFFFFFFFFFFFF;
    if (field == 0 && fraction == 0) return fmt::format("{}0x0p+0", sign);
    std::string digits = fmt::format("{:013x}", fraction);
    while (!digits.empty() && digits.back() == '0') digits.pop_back();
    return fmt::format("{}0x{}{}{}p{:+d}", sign, field == 0 ? 0 : 1, digits.empty() ? "" : ".", digits,
                       field == 0 ? -1022 : field - 1023);
}

} // namespace

std::string printable(std::string_view text, bool lines) {
    std::string out;
    out.reserve(text.size());
    while (!text.empty()) {
        const Decoded next = decode_utf8(text);
        const bool keep = next.length != 0 && (is_printable(next.point) || (lines && next.point == '\n'));
        const std::size_t taken = next.length == 0 ? 1 : next.length;
        if (keep)
            out += text.substr(0, taken);
        else
            for (const char c : text.substr(0, taken)) out += fmt::format("\\x{:02X}", static_cast<unsigned char>(c));
        text.remove_prefix(taken);
    }
    return out;
}

bool glob_matches(std::string_view pattern, std::string_view text) {
    std::string escaped;
    for (const char c : pattern) {
        if (c == '[' || c == '\\') escaped += '\\'; // what is more than * and ? to fnmatch()
        escaped += c;
    }
    std::string whole(text);
    // A NUL would end either. No UTF-8 has this byte, so it is another character to both.
    std::replace(escaped.begin(), escaped.end(), '\0', '\xFF');
    std::replace(whole.begin(), whole.end(), '\0', '\xFF');
    return ::fnmatch(escaped.c_str(), whole.c_str(), 0) == 0;
}

bool selected(const std::vector<std::string>& filters, std::string_view text) {
    const std::string_view operation = text.substr(0, text.find('/'));
    return filters.empty() || std::any_of(filters.begin(), filters.end(), [&](const std::string& filter) {
               return glob_matches(filter, text) || glob_matches(filter, operation);
           });
}

bool is_glob(std::string_view text) { return text.find_first_of("*?") != std::string_view::npos; }

std::string_view take_line(std::string_view& text) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    return line;
}

std::string shell_word(std::string_view text) {
    bool plain = !text.empty();
    for (const char c : text) plain = plain && is_plain(c);
    if (plain) return std::string(text);
    std::string out = "'";
    for (const char c : text) {
        if (c == '\'')
            out += "'\\''";
        else
            out += c;
    }
    return out + "'";
}

std::string grouped(std::uint64_t number) {
    std::string digits = std::to_string(number);
    for (std::size_t at = digits.size(); at > 3; at -= 3) digits.insert(at - 3, 1, ',');
    return digits;
}

std::string counted(std::uint64_t number, std::string_view noun) {
    return fmt::format("{} {}{}", grouped(number), noun, number == 1 ? "" : "s");
}

std::string value_text(const Format& format, Code code) {
    if (format.flags_of != nullptr)
        return ((code & formats::raised_in_batch) != 0 ? "in a batch: " : "") + flags_text(code);
    if (code > format.last_code()) return fmt::format("no code of {}", format.name);
    if (format.is_nan(code))
        return (code & format.sign_bit()) != 0 && format.specials == Specials::ieee ? "-nan" : "nan";
    if (format.is_inf(code)) return (code & format.sign_bit()) != 0 ? "-inf" : "inf";
    const double value = to_double(format, code);
    return fmt::format("{} ({})", hex_float(value), value);
}

} // namespace mxcert::print
