// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "vectors/golden_store/golden.hpp"

namespace mxcert {

/// The same rows, those that follow from one another by a constant difference as one. Rows of one condition must not
/// overlap and must ascend, and the result is ordered like them. Differences that recur from scale to scale and between
/// neighbours are found, as long as they are sums of whole numbers that stay codes: two rows that differ in the sign of
/// a 64-bit code remain two.
[[nodiscard]] std::vector<GoldenRow> compact(std::vector<GoldenRow> rows, const Format& from, const Format& to);

} // namespace mxcert
