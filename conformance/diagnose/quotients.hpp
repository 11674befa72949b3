// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "vectors/tables/compare.hpp"
#include "vectors/tables/input_ranges.hpp"
#include "vectors/tables/step_table.hpp"

// A value with a given scale is converted as their quotient, and most mistakes depend on the quotient alone, whatever
// the scale.
namespace mxcert::diagnose {

/// Whether inputs of this format are values divided by a power of two.
[[nodiscard]] bool are_quotients(const Format& from);

/// The answers to quotients, and which of them are not permitted.
struct Quotients {
    std::vector<Step> steps;             ///< of the value's format, ascending, disjoint
    std::vector<Difference> differences; ///< those of these quotients, without what is expected
};

/// The quotients of inputs by their scales, where both they and the values are normal numbers: a quotient that has
/// different answers under different scales is left out. Both are empty if that were more than a tenth of those whose
/// answer is not permitted. `steps`, `differences`: of `from`, ascending, disjoint. Precondition: are_quotients(from).
[[nodiscard]] Quotients quotients_of(const Format& from, const std::vector<Step>& steps,
                                     const std::vector<Difference>& differences);

/// The inputs among the differences whose quotients lie in these ranges.
[[nodiscard]] InputRanges inputs_with(const Format& from, const std::vector<Difference>& differences,
                                      const InputRanges& quotients);

} // namespace mxcert::diagnose
