// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "vectors/golden.hpp"

namespace mxcert {

/// The same rows, those that follow from one another by a constant difference as one. Rows of one condition must not
/// overlap and must ascend, and the result is ordered like them. Differences that recur from scale to scale and between
/// neighbours are found.
[[nodiscard]] std::vector<GoldenRow> compact(std::vector<GoldenRow> rows, const Format& from);

} // namespace mxcert
