// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include "reference/choices.hpp"
#include "reference/fast/outcomes.hpp"
#include "reference/flags.hpp"
#include "reference/format.hpp"

// The exceptions of one conversion by integer operations. Nothing is shared with the conversion itself: a rounding is
// looked at only as far as a carry.
namespace mxcert::fast {

/// Whether a NaN raises invalid.
[[nodiscard]] constexpr bool nan_is_invalid(const Format& from, InvalidNan which, Code code) {
    const Code top = Code{1} << (from.fraction_bits - 1);
    const bool has_quiet_bit = from.specials == Specials::ieee;
    switch (which) {
    case InvalidNan::signalling: return has_quiet_bit && (code & top) == 0;
    case InvalidNan::signalling_e4m3: return has_quiet_bit ? (code & top) == 0 : true;
    case InvalidNan::every: return true;
    default: return false;
    }
}

/// Whether cutting `cut` bits, 1 to 62, off a significand of `kept` bits, all ones, carries into the next binade.
[[nodiscard]] constexpr bool carries(Rounding rounding, bool negative, Code discarded, int cut) {
    const Code half = Code{1} << (cut - 1);
    switch (rounding) {
    case Rounding::nearest_even: // all ones are odd, so a tie goes up
    case Rounding::nearest_away: return discarded >= half;
    case Rounding::nearest_zero: return discarded > half;
    case Rounding::up: return !negative && discarded != 0;
    case Rounding::down: return negative && discarded != 0;
    case Rounding::away_from_zero: return discarded != 0;
    default: return false; // toward zero, and to odd
    }
}

/// The flags of a finite value other than zero, as they are without Choice::exceptions.
[[nodiscard]] constexpr Code flags_of_number(const Format& from, const Format& to, const Choices& choices, Code code) {
    // The value is significand x 2^exponent, its leading bit at `top`.
    const Code magnitude = code & from.magnitude_mask();
    const Code field = magnitude >> from.fraction_bits;
    const bool subnormal = field == 0; // every source that is offered has subnormals
    const Code significand = (magnitude & from.fraction_mask()) | (subnormal ? 0 : Code{1} << from.fraction_bits);
    const int exponent = static_cast<int>(subnormal ? 1 : field) - from.bias - from.fraction_bits;
    const int top = static_cast<int>(std::bit_width(significand)) - 1;
    const int binade = exponent + top;
    const bool negative = from.is_negative(code);

    // Bits below the last place of the target, in its own binade and where the exponent has no lower bound.
    const auto discarded_by = [&](int cut) {
        return cut <= 0 ? Code{0} : cut > 62 ? significand : significand & ((Code{1} << cut) - 1);
    };
    const int unbounded_cut = binade - to.fraction_bits - exponent;
    const int cut = std::max(binade, to.emin()) - to.fraction_bits - exponent;
    const bool inexact = discarded_by(cut) != 0;
    // Rounded to the precision of the target, the value reaches the next binade.
    const bool all_ones = unbounded_cut > 0 && (significand >> unbounded_cut) == (Code{2} << to.fraction_bits) - 1;
    const bool next = all_ones && carries(choices.rounding, negative, discarded_by(unbounded_cut), unbounded_cut);

    // The largest value of E4M3 ends in a zero: what carries into the last place is beyond it.
    const Code largest = to.max_code() & to.fraction_mask();
    const bool ends_in_ones = largest == to.fraction_mask();
    bool overflow = binade > to.emax();
    if (binade == to.emax()) {
        if (ends_in_ones) {
            overflow = next;
        } else {
            const Code kept = (significand << (unbounded_cut < 0 ? -unbounded_cut : 0)) >> std::max(unbounded_cut, 0);
            const Code fraction = kept & to.fraction_mask();
            const Code rest = discarded_by(unbounded_cut);
            const bool up =
                unbounded_cut > 0 &&
                (choices.rounding == Rounding::nearest_even
                     ? rest > Code{1} << (unbounded_cut - 1) // the largest is even: a tie stays
                 : choices.rounding == Rounding::to_odd ? rest != 0
                                                        : carries(choices.rounding, negative, rest, unbounded_cut));
            overflow = fraction > largest || (fraction == largest && up);
        }
    }
    if (overflow) return bit(Flag::overflow) | bit(Flag::inexact);
    if (!inexact) return 0;
    const bool tiny =
        choices.tininess == Tininess::before_rounding ? binade < to.emin() : binade + (next ? 1 : 0) < to.emin();
    return bit(Flag::inexact) | (tiny ? bit(Flag::underflow) : 0);
}

/// The flags of one conversion. Precondition: offers(from, flags of to, choices).
[[nodiscard]] constexpr Code flags_of(const Format& from, const Format& to, const Choices& choices, Code code) {
    if (choices.exceptions == Exceptions::none) return 0;
    if (from.is_nan(code)) return nan_is_invalid(from, choices.invalid_nan, code) ? bit(Flag::invalid) : 0;
    if (from.is_inf(code)) {
        const bool stays = to.has_inf() && (choices.overflow != Overflow::sat || keeps_inf(from, to));
        if (stays || choices.inf_flags == InfFlags::none) return 0;
        if (choices.inf_flags == InfFlags::invalid) return bit(Flag::invalid);
        return bit(Flag::overflow) | bit(Flag::inexact);
    }
    if ((code & from.magnitude_mask()) == 0) return 0;
    return flags_of_number(from, to, choices, code);
}

} // namespace mxcert::fast
