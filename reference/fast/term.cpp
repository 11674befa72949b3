// SPDX-License-Identifier: Apache-2.0
#include "reference/fast/term.hpp"

#include <algorithm>
#include <utility>

#include "reference/fast/outcomes.hpp"
#include "reference/fast/stochastic.hpp"

namespace mxcert::fast {
namespace {

constexpr int top = 125; ///< place of the leading bit of the larger term: a carry has room above

/// Bits of a significand above and below a cut.
struct Parts {
    Wide kept = 0;
    std::uint64_t eta = 0; ///< what is cut off as a fraction in units of 2^-64, its last bit set if anything is below
};

/// Cuts `down` bits off, 1 or more.
Parts cut_off(Wide significand, int down, bool sticky) {
    Parts parts;
    // The part below the cut, moved to the top of 128 bits.
    Wide below = 0;
    bool lost = sticky;
    if (down < 128) {
        parts.kept = significand >> down;
        below = significand << (128 - down);
    } else {
        const int further = down - 128;
        below = further < 128 ? significand >> further : 0;
        lost = lost || (further < 128 ? below << further : Wide{0}) != significand;
    }
    lost = lost || static_cast<std::uint64_t>(below) != 0;
    parts.eta = static_cast<std::uint64_t>(below >> 64) | (lost ? 1 : 0);
    return parts;
}

bool goes_up(Rounding rounding, const Parts& parts, bool negative, std::uint32_t random, unsigned random_bits) {
    constexpr std::uint64_t half = std::uint64_t{1} << 63;
    if (parts.eta == 0) return false;
    switch (rounding) {
    case Rounding::nearest_even: return parts.eta > half || (parts.eta == half && (parts.kept & 1) != 0);
    case Rounding::nearest_away: return parts.eta >= half;
    case Rounding::nearest_zero: return parts.eta > half;
    case Rounding::up: return !negative;
    case Rounding::down: return negative;
    case Rounding::away_from_zero: return true;
    case Rounding::to_odd: return (parts.kept & 1) == 0;
    case Rounding::stochastic_a:
    case Rounding::stochastic_b:
    case Rounding::stochastic_c: return goes_away(rounding, parts.eta, random, random_bits);
    default: return false; // toward_zero
    }
}

Code special_of(const Format& to, const Choices& choices, bool negative) {
    if (to.has_inf()) return to.inf_code() | (negative ? to.sign_bit() : 0);
    const bool sign =
        choices.overflow_nan == OverflowNan::sign ? negative : choices.overflow_nan == OverflowNan::negative;
    return to.magnitude_mask() | (sign ? to.sign_bit() : 0);
}

} // namespace

Term add(const Term& x, const Term& y) {
    if (x.kind != TermKind::finite || y.kind != TermKind::finite) {
        const bool both = x.kind == TermKind::inf && y.kind == TermKind::inf;
        if (x.kind == TermKind::nan || y.kind == TermKind::nan || (both && x.negative != y.negative))
            return {TermKind::nan, false, 0, 0};
        return x.kind == TermKind::inf ? x : y;
    }
    if (x.significand == 0 && y.significand == 0) return {TermKind::finite, x.negative && y.negative, 0, 0};
    if (y.significand == 0) return x;
    if (x.significand == 0) return y;
    const bool swap = x.exponent + width_of(x.significand) < y.exponent + width_of(y.significand);
    const Term& larger = swap ? y : x;
    const Term& smaller = swap ? x : y;
    const int up = top + 1 - width_of(larger.significand);
    const Wide significand = larger.significand << up;
    const int exponent = larger.exponent - up;
    const int down = exponent - smaller.exponent;
    Wide addend = 0;
    if (down <= 0) {
        addend = smaller.significand << -down;
    } else {
        addend = down < 128 ? smaller.significand >> down : 0;
        // Nothing is lost where the two could cancel: the larger has zeros below its 106 bits.
        if ((down < 128 ? addend << down : Wide{0}) != smaller.significand) addend |= 1;
    }
    if (larger.negative == smaller.negative) return {TermKind::finite, larger.negative, significand + addend, exponent};
    const bool negative = addend > significand ? smaller.negative : larger.negative;
    const Wide rest = addend > significand ? addend - significand : significand - addend;
    return {TermKind::finite, rest != 0 && negative, rest, exponent};
}

Code round_term(const Format& to, const Choices& choices, const Term& term, bool sticky, std::uint32_t random,
                unsigned random_bits) {
    const Code sign = term.negative ? to.sign_bit() : 0;
    // The leading bit to bit 127, so that only ever bits are cut off.
    const int up = 128 - width_of(term.significand);
    const Wide significand = term.significand << up;
    const int exponent = term.exponent - up;
    const int binade = exponent + 127;
    const int last = std::max(binade, to.emin()) - to.fraction_bits;
    const Parts parts = cut_off(significand, last - exponent, sticky);
    const Wide kept = parts.kept + (goes_up(choices.rounding, parts, term.negative, random, random_bits) ? 1 : 0);
    if (binade <= to.emax() + 1) {
        // A carry moves on into the exponent.
        const auto field = static_cast<Code>(std::max(binade, to.emin()) - to.emin());
        const Code code = (field << to.fraction_bits) + static_cast<Code>(kept);
        if (code <= to.max_code()) return code | sign;
    }
    const bool inward =
        choices.directed_overflow == DirectedOverflow::max && overflows_inward(choices.rounding, term.negative);
    if (choices.overflow != Overflow::nosat || inward) return to.max_code() | sign;
    return special_of(to, choices, term.negative);
}

Code result_of(const Format& to, const Choices& choices, const Term& term, bool sticky, std::uint32_t random,
               unsigned random_bits) {
    switch (term.kind) {
    case TermKind::nan:
        return choices.nan == NanRule::quiet && to.specials == Specials::ieee
                   ? to.inf_code() | Code{1} << (to.fraction_bits - 1)
                   : to.magnitude_mask();
    case TermKind::inf:
        if (choices.overflow == Overflow::sat) return to.max_code() | (term.negative ? to.sign_bit() : 0);
        return special_of(to, choices, term.negative);
    case TermKind::finite: break;
    }
    if (term.significand == 0) return term.negative ? to.sign_bit() : 0;
    return round_term(to, choices, term, sticky, random, random_bits);
}

Term rounded(const Format& to, const Choices& choices, const Term& term, bool sticky) {
    const int width = width_of(term.significand);
    const int binade = term.exponent + width - 1;
    const bool normal = term.kind == TermKind::finite && width != 0 && binade >= to.emin() && binade < to.emax();
    if (!normal || !to.is_signed || to.is_twos_complement()) return term_of(to, result_of(to, choices, term, sticky));
    const int down = width - 1 - to.fraction_bits;
    Wide kept = 0;
    if (down <= 0) {
        kept = term.significand << -down;
    } else {
        const Parts parts = cut_off(term.significand, down, sticky);
        kept = parts.kept + (goes_up(choices.rounding, parts, term.negative, 0, 0) ? 1 : 0);
    }
    const bool carried = (kept >> (to.fraction_bits + 1)) != 0;
    return {TermKind::finite, term.negative, carried ? kept >> 1 : kept, term.exponent + down + (carried ? 1 : 0)};
}

Term nearest(const Format& to, const Term& term) {
    Choices choices;
    choices.overflow = Overflow::nosat;
    return rounded(to, choices, term);
}

} // namespace mxcert::fast
