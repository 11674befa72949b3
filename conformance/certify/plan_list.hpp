// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "conformance/certify/certify.hpp"

namespace mxcert::certify {

/// A row that a plan judges, under one profile.
struct PlannedRow {
    std::string row;
    std::string profile;
    std::string asked;  ///< how many inputs, "1,024 (sample)", or in words what else
    double seconds = 0; ///< with a backend as fast as `portable`
};

/// The rows of a plan.
struct PlanList {
    std::string text; ///< for people
    std::vector<PlannedRow> rows;
    std::uint64_t inputs = 0; ///< of all conversions
    double seconds = 0;       ///< on one processor; a row of several profiles counts once
};

/// The rows that a plan judges, a line for each row and profile: its name, the profile, how many inputs are
/// asked where that is known before, and how long that takes with a backend as fast as `portable`
/// (conformance/certify/plan_cost.hpp). The last line sums it up.
/// `width`: columns of the terminal, 0 if there is none.
[[nodiscard]] PlanList list_of(const Plan& plan, const verdict::CertifyOptions& options, const LevelOf& level,
                               std::size_t width);

/// How long the rows of an operation that are judged take on one processor, with a backend as fast as `portable`.
[[nodiscard]] double expected_seconds(const PlannedOperation& planned, const verdict::CertifyOptions& options);
/// The same for a conversion with random bits.
[[nodiscard]] double expected_seconds_of_given_bits(Level level);

} // namespace mxcert::certify
