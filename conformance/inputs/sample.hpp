// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "conformance/inputs/point.hpp"

namespace mxcert::inputs {

/// Single-bit neighbours of a sample, where not all are asked.
inline constexpr std::size_t usual_neighbours = std::size_t{1} << 18;

/// The inputs at the boundaries of a source: the first and the last code, and two codes on either side of every
/// boundary. Ascending, no duplicates. `firsts`: the first inputs of the steps, ascending, starting with 0.
[[nodiscard]] std::vector<Point> boundary_points(const Format& from, const std::vector<Code>& firsts);

/// Inputs of a source of more than 32 bits that are compared: those at the boundaries, the single-bit neighbours of
/// every boundary and exact value (vectors/tables/single_bits.hpp; where they would be more than `most_neighbours`, for
/// every binade under every scale each sticky bit, all neighbours under three scales, and a seeded part), and
/// `per_step` seeded inputs inside every step (all of a step that has no more; fewer, but not none, where they would be
/// more than 2^19). Ascending, no duplicates. `firsts` as above.
[[nodiscard]] std::vector<Point> choose_points(const Format& from, const std::vector<Code>& firsts, unsigned per_step,
                                               std::uint64_t seed, std::size_t most_neighbours = usual_neighbours);

/// The first inputs of the steps of a table.
template <class Table> [[nodiscard]] std::vector<Code> firsts_of(const Table& table) {
    std::vector<Code> firsts;
    firsts.reserve(table.steps.size());
    for (const auto& step : table.steps) firsts.push_back(step.first);
    return firsts;
}

} // namespace mxcert::inputs
