// SPDX-License-Identifier: Apache-2.0
#include "vectors/tables/permit.hpp"

#include <algorithm>
#include <stdexcept>

#include "reference/code_text.hpp"

namespace mxcert {
namespace {

std::size_t digits(const Format& format) { return static_cast<std::size_t>(format.width() + 3) / 4; }

int digit_value(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    return -1;
}

} // namespace

Permit permit_code(Code code) { return {{code}, false}; }

Permit permit_any_nan() { return {{}, true}; }

Permit unite(const Permit& a, const Permit& b, const Format& to) {
    Permit both;
    both.any_nan = a.any_nan || b.any_nan;
    std::set_union(a.codes.begin(), a.codes.end(), b.codes.begin(), b.codes.end(), std::back_inserter(both.codes));
    if (both.any_nan) std::erase_if(both.codes, [&](Code c) { return to.is_nan(c); });
    return both;
}

Permit intersect(const Permit& a, const Permit& b, const Format& to) {
    Permit both;
    both.any_nan = a.any_nan && b.any_nan;
    for (const Code code : a.codes)
        if (permits(b, code, to)) both.codes.push_back(code);
    for (const Code code : b.codes)
        if (permits(a, code, to) && !permits(both, code, to)) both.codes.push_back(code);
    std::sort(both.codes.begin(), both.codes.end());
    both.codes.erase(std::unique(both.codes.begin(), both.codes.end()), both.codes.end());
    return both;
}

Code one_of(const Permit& permit, const Format& to) {
    if (!permit.codes.empty()) return permit.codes.front();
    // The last code of either sign is NaN in every format that has NaN but those with one for -0.
    for (const Code code : {to.magnitude_mask(), to.sign_bit()})
        if (permits(permit, code, to)) return code;
    return permit.any_nan ? to.magnitude_mask() : 0;
}

bool permits(const Permit& permit, Code code, const Format& to) {
    return std::binary_search(permit.codes.begin(), permit.codes.end(), code) || (permit.any_nan && to.is_nan(code));
}

std::string hex(Code code, const Format& format) {
    std::string text(digits(format), '0');
    for (auto it = text.rbegin(); it != text.rend(); ++it, code >>= 4) *it = "0123456789ABCDEF"[code & 15];
    return text;
}

Code parse_hex(std::string_view text, const Format& format) {
    const auto wrong = [&](const char* what) {
        return std::invalid_argument("'" + std::string(text) + "' is not a code of " + std::string(format.name) + ": " +
                                     what);
    };
    if (text.size() != digits(format))
        throw wrong(("it must have " + std::to_string(digits(format)) + " hexadecimal digits").c_str());
    Code code = 0;
    for (char c : text) {
        const int value = digit_value(c);
        if (value < 0) throw wrong("it has a character that is not a hexadecimal digit");
        code = code << 4 | static_cast<Code>(value);
    }
    if (code > format.last_code()) throw wrong("it has too many bits");
    return code;
}

Code parse_code(std::string_view text, const Format& format) {
    return parse_hex(text.starts_with("0x") || text.starts_with("0X") ? text.substr(2) : text, format);
}

std::string shown(const Permit& permit, const Format& to) {
    std::string text;
    for (const Code code : permit.codes) text += (text.empty() ? "" : " or ") + code_text(to, code);
    if (permit.any_nan) text += text.empty() ? "any NaN" : " or any NaN";
    return text;
}

std::string to_string(const Permit& permit, const Format& to) {
    std::string text;
    for (Code code : permit.codes) {
        if (!text.empty()) text += '|';
        text += hex(code, to);
    }
    if (permit.any_nan) text += text.empty() ? "nan" : "|nan";
    return text;
}

Permit parse_permit(std::string_view text, const Format& to) {
    Permit permit;
    for (std::string_view rest = text;;) {
        const std::size_t bar = rest.find('|');
        const std::string_view part = rest.substr(0, bar);
        if (part == "nan")
            permit.any_nan = true;
        else
            permit.codes.push_back(parse_hex(part, to));
        if (bar == std::string_view::npos) break;
        rest.remove_prefix(bar + 1);
    }
    // One spelling for each permit, so that equal files are equal permits.
    if (to_string(permit, to) != text || !std::is_sorted(permit.codes.begin(), permit.codes.end()) ||
        std::adjacent_find(permit.codes.begin(), permit.codes.end()) != permit.codes.end() ||
        (permit.any_nan && (!to.has_nan() || std::any_of(permit.codes.begin(), permit.codes.end(),
                                                         [&](Code c) { return to.is_nan(c); }))))
        throw std::invalid_argument("'" + std::string(text) + "' is not a permit of " + std::string(to.name) +
                                    ": codes ascending, upper case, once each, then nan if any NaN code is permitted");
    return permit;
}

} // namespace mxcert
