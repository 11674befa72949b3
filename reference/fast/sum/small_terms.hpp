// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "reference/dot/accumulator.hpp"
#include "reference/fast/factor.hpp"

// Accumulators whose groups are small sums of small terms: those of tensor cores.
namespace mxcert::fast {

/// Products of a group with small terms.
inline constexpr std::size_t most_small_terms = 64;

/// A factor of eight or 16 bits, its exponent that in the sum.
struct SmallFactor {
    std::int32_t significand; ///< with its sign
    std::int32_t exponent;
};
/// An exponent that only Inf and NaN have, and sums of two with one of them.
inline constexpr int not_finite = 1 << 13;

[[nodiscard]] constexpr bool is_small(const Format& format) {
    return format.width() <= 8 || (format.width() == 16 && format.specials == Specials::ieee);
}

/// Bits by which the product of two significands moves up to the last place that stays.
[[nodiscard]] constexpr int places_up(const Accumulator& model, const DotFormat& format) {
    return model.fraction - format.a->fraction_bits - format.b->fraction_bits;
}

/// Whether groups are aligned sums with c, cut toward zero, of terms that 32 bits hold.
[[nodiscard]] constexpr bool has_small_terms(const Accumulator& model, const DotFormat& format) {
    return model.sum == GroupSum::aligned && model.addend == Addend::in_group && model.align == Rounding::toward_zero &&
           !model.flush && !model.large_is_inf && model.group != 0 && model.group <= most_small_terms &&
           is_small(*format.a) && is_small(*format.b) && (format.a->width() <= 8) == (format.b->width() <= 8) &&
           places_up(model, format) >= 0 && model.fraction <= 28 &&
           (format.scale_a == nullptr || model.scale_use == ScaleUse::exponents ||
            model.scale_use == ScaleUse::promotion);
}

/// A code of one of the small formats.
[[nodiscard]] constexpr SmallFactor small_factor(const Accumulator& model, const Format& format, Code code) {
    const Factor factor = Factors::factor_of(format, code);
    int exponent = factor.exponent == Factor::of_zero ? model.zero_exponent : factor.exponent;
    if (factor.special) exponent = not_finite;
    return {factor.significand, exponent};
}

} // namespace mxcert::fast
