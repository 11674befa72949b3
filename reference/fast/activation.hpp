// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstdint>

#include "reference/activation.hpp"
#include "reference/format.hpp"

// Activations on bits: a positive value is an integer times a power of two, and so is its square.
namespace mxcert::fast {
namespace detail {

/// significand * 2^exponent rounded to nearest even in a format of IEEE 754, Inf beyond its largest value.
/// Precondition: 0 < significand < 2^62.
[[nodiscard]] constexpr Code positive_in(const Format& to, std::uint64_t significand, int exponent) {
    const auto fraction_bits = static_cast<int>(to.fraction_bits);
    // The unit in the last place of the result: no smaller than that of a subnormal.
    const int top = exponent + 63 - std::countl_zero(significand);
    const int unit = (top < to.emin() ? to.emin() : top) - fraction_bits;
    std::uint64_t kept = significand;
    const int drop = unit - exponent;
    if (drop > 62) {
        kept = 0; // less than half a unit
    } else if (drop > 0) {
        const std::uint64_t half = std::uint64_t{1} << (drop - 1);
        kept = (significand + half - 1 + (significand >> drop & 1)) >> drop;
    } else {
        kept <<= -drop;
    }
    // The hidden bit adds one to the exponent field, and so does a carry.
    const Code field = top < to.emin() ? 0 : static_cast<Code>(top - to.emin());
    const Code code = (field << to.fraction_bits) + kept;
    return code > to.inf_code() ? to.inf_code() : code;
}

} // namespace detail

/// A value after an activation, in its own format. Precondition: `source` is binary32, binary16 or bfloat16.
[[nodiscard]] constexpr Code activate(const Format& source, Activation activation, Code value) {
    if (activation == Activation::none) return value;
    // Without sign and up to Inf: neither negative nor NaN.
    if (value > source.inf_code()) return 0;
    if (activation == Activation::relu || value == 0 || value == source.inf_code()) return value;
    const Code fraction = value & source.fraction_mask();
    const Code field = value >> source.fraction_bits;
    const std::uint64_t significand = field == 0 ? fraction : fraction | (Code{1} << source.fraction_bits);
    const int exponent = (field == 0 ? 0 : static_cast<int>(field) - 1) + source.emin() - source.fraction_bits;
    const Code square = detail::positive_in(formats::fp32, significand * significand, 2 * exponent);
    if (source.width() == formats::fp32.width() || square == 0) return square;
    if (square == formats::fp32.inf_code()) return source.inf_code();
    const Code of_square = square & formats::fp32.fraction_mask();
    const bool normal = square > formats::fp32.fraction_mask();
    const std::uint64_t again = normal ? of_square | (Code{1} << formats::fp32.fraction_bits) : of_square;
    const int scale = (normal ? static_cast<int>(square >> formats::fp32.fraction_bits) - 1 : 0) +
                      formats::fp32.emin() - formats::fp32.fraction_bits;
    return detail::positive_in(source, again, scale);
}

} // namespace mxcert::fast
