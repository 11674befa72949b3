// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "vectors/tables/input_ranges.hpp"
#include "vectors/tables/step_table.hpp"

// Parts of tables: steps that ascend, do not overlap and may leave gaps.
namespace mxcert {

/// Where two of them have both an answer, and the same one, or another.
[[nodiscard]] InputRanges where(const std::vector<Step>& a, const std::vector<Step>& b, bool same);

/// The steps without these inputs.
[[nodiscard]] std::vector<Step> without(const std::vector<Step>& steps, const InputRanges& ranges);

/// The steps, with those of `over` in these ranges.
[[nodiscard]] std::vector<Step> overlaid(const std::vector<Step>& steps, const std::vector<Step>& over,
                                         const InputRanges& ranges);

} // namespace mxcert
