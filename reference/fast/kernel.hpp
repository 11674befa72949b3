// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <bit>
#include <concepts>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "reference/fast/outcomes.hpp"
#include "reference/format.hpp"

#define MXCERT_INLINE [[gnu::always_inline]] inline

// The conversion of one value by integer operations, without a branch on the value. Formats come as arguments: where
// they are constants, all that depends on them alone folds away, and a loop over the kernel vectorises.
namespace mxcert::fast {

/// What a pair of formats fixes. Exponents are counted as in the target: field e of the source is e + rebias.
struct Plan {
    int rebias;
    int normalise;              ///< bits by which subnormals of the source may have to move up
    int deepest;                ///< bits by which subnormal results move down, at most
    int guard;                  ///< bits below the last bit of the target: rounding discards them
    bool negligible_subnormals; ///< those of the source are less than half the smallest value of the target
    bool can_overflow;
    bool inf_overflows; ///< Inf overflows, and its code read as a number is beyond the largest value of the target
};

[[nodiscard]] constexpr Plan plan(const Format& from, const Format& to) {
    Plan p{};
    p.rebias = to.bias - from.bias;
    if (from.has_subnormals) p.normalise = std::clamp(from.emin() - to.emin(), 0, from.fraction_bits);
    // Two bits below the smallest value of the target a magnitude is known to be less than half of it and not zero.
    // Moving down further would tell nothing more, and would lose bits.
    const int moved = static_cast<int>(std::bit_ceil(static_cast<unsigned>(p.normalise) + 1)) - 1;
    const int lowest = (from.has_subnormals ? -from.bias : from.emin()) - moved;
    if (to.has_subnormals) p.deepest = std::clamp(to.emin() - lowest, 0, to.fraction_bits + 2);
    p.guard = p.deepest + std::max(from.fraction_bits - to.fraction_bits, 0);
    p.negligible_subnormals = p.normalise == 0 && p.deepest == to.fraction_bits + 2;
    p.can_overflow = from.emax() >= to.emax();
    p.inf_overflows =
        !keeps_inf(from, to) && static_cast<Code>(from.emax() + 1 + to.bias) << to.fraction_bits > to.max_code();
    return p;
}

/// One step of normalise(): up by `step` bits if none of them is in use.
template <int step, std::unsigned_integral Word, std::signed_integral Exponent>
MXCERT_INLINE constexpr void move_up(Word& significand, Exponent& exponent, Word hidden, int most) {
    if (step > most) return;
    const bool low = significand < (hidden << 1) >> step;
    significand = low ? significand << step : significand;
    exponent = low ? exponent - step : exponent;
}

/// Moves the significands of subnormals up until the bit `hidden` is set, by at least `most` bits if need be, and
/// lowers the exponent as much. In halving steps and not a loop, because neither a loop nor a count of zeros
/// vectorises.
template <std::unsigned_integral Word, std::signed_integral Exponent>
MXCERT_INLINE constexpr void normalise(Word& significand, Exponent& exponent, Word hidden, int most) {
    move_up<16>(significand, exponent, hidden, most);
    move_up<8>(significand, exponent, hidden, most);
    move_up<4>(significand, exponent, hidden, most);
    move_up<2>(significand, exponent, hidden, most);
    move_up<1>(significand, exponent, hidden, most);
}

/// Cuts off `guard` bits.
template <std::unsigned_integral Word>
MXCERT_INLINE constexpr Word cut(Cut how, Word magnitude, int guard, Word addend) {
    if (guard == 0) return magnitude;
    const Word half = Word{1} << (guard - 1);
    const Word kept = magnitude >> guard;
    switch (how) {
    case Cut::even: return (magnitude + (half - 1) + (kept & 1)) >> guard;
    case Cut::odd: return kept | static_cast<Word>((magnitude & (half - 1 + half)) != 0);
    case Cut::add: break;
    }
    return (magnitude + addend) >> guard;
}

/// The sign of a code as a mask: all ones or zero.
template <std::unsigned_integral Word> MXCERT_INLINE constexpr Word sign_mask(const Format& from, Word code) {
    return from.is_signed ? static_cast<Word>(0 - (code >> (from.width() - 1))) : Word{0};
}

/// Rounds a finite magnitude to the grid of the target, its exponent unbounded above: the result is the code that the
/// rounded magnitude has there. `p` is plan(from, to). What comes of the codes of Inf and NaN is of no use.
template <std::unsigned_integral Word> MXCERT_INLINE constexpr Word
round(const Format& from, const Format& to, const Plan& p, Cut how, Word addend, Word magnitude) {
    using Signed = std::make_signed_t<Word>;
    const Word hidden = Word{1} << from.fraction_bits;

    Word field = magnitude >> from.fraction_bits;
    Word significand = (magnitude & (hidden - 1)) | hidden;
    // Read as normal, a negligible subnormal still rounds to zero under nearest_even, and so does zero itself.
    if (from.has_subnormals && !(p.negligible_subnormals && how == Cut::even)) {
        significand = field == 0 ? magnitude : significand;
        field = std::max(field, Word{1});
    }
    Signed exponent = static_cast<Signed>(field) + p.rebias;
    normalise(significand, exponent, hidden, p.normalise);

    const int up = p.guard + to.fraction_bits - from.fraction_bits;
    const Word aligned = significand << up;
    if (!to.has_subnormals) {
        // Codes are consecutive exponents, so the parity of a code is known only with its exponent. What is below the
        // smallest code is negative here.
        const Signed value = exponent * (Signed{1} << p.guard) + static_cast<Signed>(aligned - (hidden << up));
        return cut(how, static_cast<Word>(std::max(value, Signed{0})), p.guard, addend);
    }
    const Signed above = exponent - 1; // binades above the lowest normal one; negative below it
    const Signed binades = std::max(above, Signed{0});
    const Signed down = std::min(binades - above, static_cast<Signed>(p.deepest));
    const Word rounded = cut(how, aligned >> down, p.guard, addend);
    const Word result = rounded + (static_cast<Word>(binades) << to.fraction_bits);
    return p.normalise > 0 && significand == 0 ? Word{0} : result;
}

/// From the rounded magnitude to the code: overflow, sign, and the inputs that are not numbers. `inf_rounds`: Inf is
/// dealt with by what round() makes of its code.
template <std::unsigned_integral Word>
MXCERT_INLINE constexpr Word finish(const Format& from, const Format& to, const Plan& p, bool saturate, bool inf_rounds,
                                    const Outcomes<Word>& outcomes, Word code, Word result) {
    const Word negative = sign_mask(from, code);
    const Word magnitude = static_cast<Word>(code & from.magnitude_mask());
    const Word largest = static_cast<Word>(to.max_code());
    const bool beyond = result > largest;
    if (saturate && p.can_overflow) result = std::min(result, largest);
    if (to.is_signed) {
        result = signed_code(to, result, negative);
    } else {
        const Word kept = static_cast<Word>(result & ~outcomes.clear.pick(negative));
        result = static_cast<Word>(kept | outcomes.set.pick(negative));
    }
    if (!saturate && p.can_overflow) result = beyond ? outcomes.overflow.pick(negative) : result;
    if (from.has_inf() && !(inf_rounds && p.inf_overflows)) {
        result = magnitude == static_cast<Word>(from.inf_code()) ? outcomes.inf.pick(negative) : result;
    }
    // Without a sign -0 is the zero there is, whatever becomes of negative values.
    if (from.has_zero() && (!to.has_zero() || !to.is_signed)) result = magnitude == 0 ? outcomes.zero : result;
    const Word nan = outcomes.nan.pick(negative);
    switch (from.specials) {
    case Specials::ieee: return magnitude > static_cast<Word>(from.inf_code()) ? nan : result;
    case Specials::nan_all_ones: return magnitude == static_cast<Word>(from.magnitude_mask()) ? nan : result;
    case Specials::nan_minus_zero: return code == static_cast<Word>(from.sign_bit()) ? nan : result;
    default: return result;
    }
}

/// Converts one code by a deterministic rounding. `Word` holds every code of both formats; the bits of `code` above the
/// source's width are zero. `saturate` is a promise that the choice is Overflow::sat; false is right for every choice.
/// `inf_rounds` as in finish(): Inf gives what overflow gives.
template <std::unsigned_integral Word>
MXCERT_INLINE constexpr Word convert_value(const Format& from, const Format& to, const Plan& p, Cut how, bool saturate,
                                           bool inf_rounds, const Outcomes<Word>& outcomes, Word code) {
    const Word addend = outcomes.addend.pick(sign_mask(from, code));
    const Word magnitude = code & static_cast<Word>(from.magnitude_mask());
    const Word result = round(from, to, p, how, addend, magnitude);
    return finish(from, to, p, saturate, inf_rounds, outcomes, code, result);
}

} // namespace mxcert::fast
