// SPDX-License-Identifier: Apache-2.0
#include "reference/recipe/hadamard.hpp"

#include <algorithm>
#include <bit>
#include <stdexcept>

namespace mxcert::recipe {
namespace {

constexpr std::string_view hex_digits = "0123456789ABCDEF";

/// Numbers in ascending order, -0 before +0.
std::int64_t place_of(const Format& format, Code code) {
    const auto magnitude = static_cast<std::int64_t>(format.magnitude_of(code));
    return (code & format.sign_bit()) != 0 ? -1 - magnitude : magnitude;
}

} // namespace

bool is_negative(const Hadamard& transform, std::size_t i, std::size_t j) {
    const std::size_t of_sign = transform.inverse ? j : i;
    return ((static_cast<unsigned>(std::popcount(i & j)) + (transform.signs >> of_sign)) & 1U) != 0;
}

bool is_signs(std::string_view text) {
    return text.size() == 4 && text.find_first_not_of(hex_digits) == std::string_view::npos;
}

std::uint16_t parse_signs(std::string_view text) {
    if (!is_signs(text))
        throw std::invalid_argument("signs '" + std::string(text) + "': there are four hexadecimal digits, as D7E8");
    unsigned signs = 0;
    for (const char digit : text) signs = signs << 4U | static_cast<unsigned>(hex_digits.find(digit));
    return static_cast<std::uint16_t>(signs);
}

std::string signs_text(std::uint16_t signs) {
    std::string text;
    for (const unsigned shift : {12U, 8U, 4U, 0U}) text += hex_digits[signs >> shift & 0xFU];
    return text;
}

bool HadamardValue::permits(const Format& target, Code code) const {
    if (target.is_nan(code)) return nan;
    if (target.is_inf(code) && ((code & target.sign_bit()) != 0 ? minus_inf : plus_inf)) return true;
    const std::int64_t place = place_of(target, code);
    return number && place_of(target, low) <= place && place <= place_of(target, high);
}

} // namespace mxcert::recipe
