// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "conformance/verdict/judge.hpp"
#include "reference/operation/operation.hpp"

namespace mxcert {

/// Asks for the operation "scaling" and compares its answers with the golden trace (docs/recipes.md), and but for small
/// suites with that of 65,537 steps in a seeded order: a sample. A known
/// fault whose whole trace is the observed one is named. No profile has a say in it: those fields of the row, its id
/// and its operation are the caller's.
[[nodiscard]] Row certify_scaling(Subject& subject, const Operation& operation, const CertifyOptions& options);

} // namespace mxcert
