// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

#include "reference/choices.hpp"

namespace mxcert {

/// What a scale rule divides the amax by. The element format fixes the number.
enum class Divisor : std::uint8_t {
    largest,        ///< max: 448 for E4M3, 57344 for E5M2
    largest_power,  ///< 2^emax, the largest power of two: 256, 32768
    half_power,     ///< half of it: 128, 16384
    half_ulp_below, ///< half an ulp of the element below 2^(emax+1): 496, 61440
    overflow_tie,   ///< half an ulp above max, where rounding to nearest begins to overflow: 464, 61440
    one,
};

/// A scale rule as data: the scale is the power of two that amax / divisor is rounded to.
struct ScaleRuleInfo {
    ScaleRule rule;
    Divisor divisor;
    Rounding rounding;      ///< of the quotient, to a power of two
    bool rounds_first;      ///< the amax is rounded before, to the fraction bits of the element, ties away; to Inf too
    std::string_view bump;  ///< of E4M3 and E5M2, m the 23 fraction bits of the amax: "+1 if m >= 0x600001"
    std::string_view users; ///< who does it
};

/// Every rule but `none`, in the order of the enumeration.
[[nodiscard]] std::span<const ScaleRuleInfo> all_scale_rules();

/// Throws std::out_of_range for `none`.
[[nodiscard]] const ScaleRuleInfo& info(ScaleRule rule);

} // namespace mxcert
