// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "conformance/observe.hpp"

namespace mxcert {

/// Inputs of a source of more than 32 bits that are compared: the first and the last code, at every boundary the two
/// codes before and after it, and `per_step` seeded ones inside every step (all of a step that has no more; fewer, but
/// not none, where they would be more than 2^19). Ascending, no duplicates. `firsts`: the first inputs of the steps,
/// ascending, starting with 0.
[[nodiscard]] std::vector<Point> choose_points(const std::vector<Code>& firsts, Code last, unsigned per_step,
                                               std::uint64_t seed);

/// The first inputs of the steps of a table.
template <class Table> [[nodiscard]] std::vector<Code> firsts_of(const Table& table) {
    std::vector<Code> firsts;
    firsts.reserve(table.steps.size());
    for (const auto& step : table.steps) firsts.push_back(step.first);
    return firsts;
}

} // namespace mxcert
