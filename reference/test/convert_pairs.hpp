// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <span>

#include "reference/fast/convert.hpp"

namespace mxcert {

/// Calls visit(from, to) for every pair of formats that the fast model offers, but for sources with a given scale and
/// for flags.
inline void for_each_pair(const std::function<void(const Format&, const Format&)>& visit) {
    for (const Format& from : all_formats()) {
        for (const Format& to : all_formats()) {
            if (from.scale == nullptr && to.flags_of == nullptr && fast::offers(from, to)) visit(from, to);
        }
    }
}

/// Calls visit(choices) for every set of choices that the fast model offers for a pair of formats, with one stochastic
/// rounding or none. `all`: every combination; otherwise those that can differ for finite values.
inline void for_each_choices(const Format& to, bool all, const std::function<void(const Choices&)>& visit) {
    constexpr NanRule codes[] = {NanRule::canonical, NanRule::sign, NanRule::negative};
    constexpr NanRule numbers[] = {NanRule::max, NanRule::max_sign, NanRule::zero, NanRule::zero_inverted};
    const std::span<const NanRule> nan_rules = to.has_nan() ? std::span<const NanRule>(codes) : numbers;
    Choices c;
    for (unsigned rounding = 0; rounding <= static_cast<unsigned>(Rounding::to_odd); ++rounding) {
        set(c, Choice::rounding, rounding);
        for (const Overflow overflow : {Overflow::sat, Overflow::nosat, Overflow::sat_finite}) {
            c.overflow = overflow;
            for (unsigned rest = 0; rest < 2U * 3 * 3 * 3 * 2; ++rest) {
                c.directed_overflow = static_cast<DirectedOverflow>(rest % 2);
                c.negative = static_cast<Negative>(rest / 2 % 3);
                c.nan = nan_rules[rest / 6 % 3];
                c.overflow_nan = static_cast<OverflowNan>(rest / 18 % 3);
                c.zero = static_cast<Zero>(rest / 54);
                c.lowest = to.is_twos_complement() && rest % 2 == 1 ? Lowest::used : Lowest::unused;
                const bool needed = rest < (to.is_signed ? 2U : 6U) &&
                                    (rest % 2 == 0 || overflow == Overflow::nosat || to.is_twos_complement());
                if (all || needed) visit(c);
            }
        }
    }
}

} // namespace mxcert
