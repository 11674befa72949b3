// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "conformance/certify/certify.hpp"

namespace mxcert::certify {

/// The rows of a plan, for people.
struct PlanList {
    std::string text;
    std::size_t rows = 0; ///< in all profiles
};

/// The rows that a plan judges, a line for each row and profile: its name, the profile, how many inputs are
/// asked where that is known before, and how long that takes with a backend as fast as `portable`
/// (conformance/certify/plan_cost.hpp). The last line sums it up.
[[nodiscard]] PlanList list_of(const Plan& plan, const verdict::CertifyOptions& options, const LevelOf& level);

/// How long the rows of an operation that are judged take on one processor, with a backend as fast as `portable`.
[[nodiscard]] double expected_seconds(const PlannedOperation& planned, const verdict::CertifyOptions& options);
/// The same for a conversion with random bits.
[[nodiscard]] double expected_seconds_of_given_bits(Level level);

} // namespace mxcert::certify
