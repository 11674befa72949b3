// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstdint>

#include "reference/choices.hpp"
#include "reference/format.hpp"

namespace mxcert::fast {

/// How the discarded bits decide. Every deterministic rounding but two only adds a constant to the magnitude before the
/// discarded bits are cut off; the constant may depend on the sign.
enum class Cut : std::uint8_t {
    even, ///< nearest, ties to even
    odd,  ///< inexact to the odd code
    add,  ///< Outcomes::addend
};

[[nodiscard]] constexpr Cut cut_of(Rounding rounding) {
    if (rounding == Rounding::nearest_even) return Cut::even;
    return rounding == Rounding::to_odd ? Cut::odd : Cut::add;
}

/// One value for positive inputs and one for negative inputs, chosen without a branch.
template <std::unsigned_integral Word> struct BySign {
    Word positive = 0;
    Word difference = 0; ///< positive xor negative

    constexpr BySign() = default;
    constexpr BySign(std::uint64_t for_positive, std::uint64_t for_negative)
        : positive(static_cast<Word>(for_positive)), difference(static_cast<Word>(for_positive ^ for_negative)) {}
    template <std::unsigned_integral Wide> constexpr explicit BySign(const BySign<Wide>& other_by_sign)
        : positive(static_cast<Word>(other_by_sign.positive)), difference(static_cast<Word>(other_by_sign.difference)) {
    }
    /// `negative`: all ones or zero.
    [[nodiscard]] constexpr Word pick(Word negative) const {
        return static_cast<Word>(positive ^ (negative & difference));
    }
};

/// What the choices come to for one pair of formats: every code that does not follow from the bits of the input, and
/// what is added to the discarded bits. The kernel reads no choices, only this.
template <std::unsigned_integral Word> struct Outcomes {
    BySign<Word> addend;
    BySign<Word> overflow; ///< finite, beyond the largest
    BySign<Word> inf;
    BySign<Word> nan;
    BySign<Word> clear; ///< formats without sign: bits to clear in every other code
    BySign<Word> set;   ///< formats without sign: bits to set then
    Word zero = 0;      ///< zero, in a format without zero or without sign

    constexpr Outcomes() = default;
    /// The same in a narrower word that holds every code of the pair of formats.
    template <std::unsigned_integral Wide> constexpr explicit Outcomes(const Outcomes<Wide>& other_outcomes)
        : addend(other_outcomes.addend), overflow(other_outcomes.overflow), inf(other_outcomes.inf),
          nan(other_outcomes.nan), clear(other_outcomes.clear), set(other_outcomes.set),
          zero(static_cast<Word>(other_outcomes.zero)) {}
};

/// Whether a rounding takes a magnitude beyond the largest finite one to a smaller magnitude or, for to_odd, to neither
/// side: the roundings that DirectedOverflow speaks of.
[[nodiscard]] constexpr bool overflows_inward(Rounding rounding, bool negative) {
    return rounding == Rounding::toward_zero || rounding == Rounding::to_odd ||
           (rounding == Rounding::down && !negative) || (rounding == Rounding::up && negative);
}

/// Whether Inf is a value like any other: the target has it, and every finite value of the source as well, so that
/// nothing overflows and saturation has nothing to say.
[[nodiscard]] constexpr bool keeps_inf(const Format& from, const Format& to) {
    return from.has_inf() && to.has_inf() && from.fraction_bits <= to.fraction_bits && from.emax() <= to.emax() &&
           from.emin() - from.fraction_bits >= to.emin() - to.fraction_bits;
}

/// A magnitude with its sign. `negative`: all ones or zero. In two's complement the negative of x is not(x - 1).
template <std::unsigned_integral Word>
[[nodiscard]] constexpr Word signed_code(const Format& to, Word magnitude, Word negative) {
    if (to.is_twos_complement())
        return static_cast<Word>(((magnitude + negative) ^ negative) & static_cast<Word>(to.value_mask()));
    return static_cast<Word>(magnitude | (negative & static_cast<Word>(to.sign_bit())));
}

/// The constant of Cut::add: `below` is all discarded bits, one bit less than the last bit that stays.
[[nodiscard]] constexpr std::uint64_t addend_of(Rounding rounding, bool negative, std::uint64_t below) {
    switch (rounding) {
    case Rounding::nearest_away: return (below + 1) / 2;
    case Rounding::nearest_zero: return below / 2;
    case Rounding::away_from_zero: return below;
    case Rounding::up: return negative ? 0 : below;
    case Rounding::down: return negative ? below : 0;
    default: return 0;
    }
}

/// The outcomes of offered choices. `guard` is the number of bits the kernel discards.
template <std::unsigned_integral Word> [[nodiscard]] constexpr Outcomes<Word>
outcomes_of(const Format& from, const Format& to, const Choices& choices, int guard) {
    const bool magnitude = !to.is_signed && choices.negative == Negative::magnitude;
    // Without a sign the rounding sees the magnitude, so a negative value is rounded like a positive one.
    const bool below_zero = to.is_signed;
    const std::uint64_t below = (std::uint64_t{1} << guard) - 1;

    const Code nan = to.magnitude_mask();
    const Code inf = to.has_inf() ? to.inf_code() : nan;
    const Code special = choices.overflow == Overflow::nosat ? inf : to.max_code();
    const auto overflow = [&](bool negative) {
        const bool inward =
            choices.directed_overflow == DirectedOverflow::max && overflows_inward(choices.rounding, negative);
        return inward ? to.max_code() : special;
    };
    const auto minus = [&](Code code) { return signed_code(to, code, ~Code{0}); };
    // What a negative input gets whose magnitude alone would give `code`.
    const auto negated = [&](Code code) -> Code {
        if (magnitude) return code;
        if (!to.is_signed) return choices.negative == Negative::zero ? 0 : nan;
        const bool unsigned_nan = to.is_nan(code) && choices.overflow_nan == OverflowNan::canonical;
        // Without Inf and NaN every such code is the largest.
        if (to.is_twos_complement() && choices.lowest == Lowest::used) return to.sign_bit();
        return unsigned_nan ? code : minus(code);
    };
    // What a positive input gets.
    const auto positive = [&](Code code) -> Code {
        return to.is_nan(code) && choices.overflow_nan == OverflowNan::negative ? minus(code) : code;
    };

    Outcomes<Word> out;
    out.addend = {addend_of(choices.rounding, false, below), addend_of(choices.rounding, below_zero, below)};
    out.overflow = {positive(overflow(false)), negated(overflow(below_zero))};
    const Code from_inf = choices.overflow == Overflow::sat && !keeps_inf(from, to) ? to.max_code() : inf;
    out.inf = {positive(from_inf), negated(from_inf)};
    // Without a NaN all ones are the largest magnitude.
    const bool inverted = !to.has_nan() && choices.nan == NanRule::zero_inverted;
    const Code of_nan = inverted || (!to.has_nan() && choices.nan == NanRule::zero) ? 0 : nan;
    const bool is_negative = inverted || (to.has_nan() && choices.nan == NanRule::negative);
    const bool keeps_sign = to.has_nan() ? choices.nan != NanRule::canonical : choices.nan == NanRule::max_sign;
    out.nan = {is_negative ? minus(of_nan) : of_nan, keeps_sign ? minus(of_nan) : of_nan};
    out.clear = {0, choices.negative == Negative::magnitude ? 0 : nan};
    out.set = {0, choices.negative == Negative::nan ? nan : 0};
    out.zero = static_cast<Word>(to.has_zero() || choices.zero == Zero::smallest ? 0 : nan);
    return out;
}

} // namespace mxcert::fast
