// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "reference/dot/accumulator.hpp"
#include "reference/dot/dot.hpp"
#include "reference/fast/wide_sum.hpp"

// What follows from the formats of an accumulator's operands.
namespace mxcert::fast {

/// The least magnitude of a format that is no subnormal of another one.
[[nodiscard]] inline Code kept_from(const Format& format, const Format& other_format) {
    const int above = other_format.emin() - format.emin();
    if (above >= 0) return static_cast<Code>(above + 1) << format.fraction_bits;
    return Code{1} << std::max(above + format.fraction_bits, 0);
}

/// The place of the product that is added as number i; beyond the last product there is a zero.
[[nodiscard]] constexpr std::size_t place_in_order(const Accumulator& accumulator, std::size_t i) {
    if (accumulator.grouping != Grouping::two_of_four) return i;
    const std::size_t group = accumulator.group;
    const std::size_t in_group = i % group;
    return i / (2 * group) * (2 * group) + in_group / 2 * 4 + in_group % 2 + (i / group % 2) * 2;
}

/// A fixed-point number for all products with their scales, and c.
[[nodiscard]] inline WideSum sum_of_products(const DotFormat& format, const Format& c) {
    int lowest = 0;
    int highest = 0;
    for (const Format* factor : {format.a, format.b, format.scale_a, format.scale_b}) {
        if (factor == nullptr) continue;
        lowest += factor->emin() - factor->fraction_bits;
        highest += factor->emax() + 1;
    }
    return {std::min(lowest, c.emin() - c.fraction_bits), std::max(highest, c.emax() + 1)};
}

} // namespace mxcert::fast
