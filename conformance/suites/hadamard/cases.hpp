// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "conformance/cases/given_case.hpp"
#include "conformance/frames/run.hpp"
#include "conformance/level.hpp"
#include "conformance/suites/matrices/tile_cases.hpp"
#include "reference/operation/operation.hpp"

// Matrices in groups of 16 values. A line of whole groups is asked only: a shorter group has no transform.
namespace mxcert::suites {

/// One value other than zero a group: in each place, of each sign, of each binade of the source, the subnormal ones
/// too, with fractions that are ties of the target among others. False if a call returned false.
bool for_each_single_case(const HadamardTransform& transform, Level level, std::uint64_t seed,
                          const CallTileCase& call);

/// Matrices of several sizes, with and without sides that 16 divides across the groups, in which each group tells its
/// place, and rings. Every sum is exact. False if a call returned false.
bool for_each_group_size_case(const HadamardTransform& transform, Level level, const CallTileCase& call);
[[nodiscard]] std::vector<TileCase> hadamard_rings(const HadamardTransform& transform);

/// Sums of 2 to 16 values that are exact in every order: pairs, whole numbers by a power of two, numbers that are far
/// apart, rows of the matrix, by which all values but one cancel, zeros of both signs; and NaN and Inf. False if a call
/// returned false.
bool for_each_sum_case(const HadamardTransform& transform, Level level, std::uint64_t seed, const CallTileCase& call);

/// Groups whose sums depend on the order: of one binade and of many, with large values that cancel, about the largest
/// value, subnormal. False if a call returned false.
bool for_each_inexact_case(const HadamardTransform& transform, Level level, std::uint64_t seed,
                           const CallTileCase& call);

/// The values of such a group, drawn.
[[nodiscard]] std::vector<Code> draw_group(const Format& format, SplitMix64& random);
/// Whole numbers by a power of two, that one or any: every sum of them is exact.
[[nodiscard]] std::vector<Code> draw_exact_group(const Format& format, SplitMix64& random,
                                                 std::optional<int> of_power = {});

/// A matrix of so many groups or a few more, whose sides 16 divides.
[[nodiscard]] Extent extent_of_groups(const BlockShape& group, std::uint64_t groups);

/// The sizes of for_each_group_size_case(): whole groups.
[[nodiscard]] std::vector<Extent> group_extents(const BlockShape& group);

/// A run of a case. One input, one output.
[[nodiscard]] frames::RunCase run_of(const HadamardTransform& transform, const TileCase& tile_case);

/// A case that was written down.
[[nodiscard]] TileCase case_of(const HadamardTransform& transform, const cases::GivenCase& given_case);

/// Whether it may be refused: a side that 16 does not divide.
[[nodiscard]] bool may_be_refused(const TileCase& tile_case);

} // namespace mxcert::suites
