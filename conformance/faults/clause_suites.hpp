// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "reference/clause.hpp"
#include "vectors/golden_store/manifest.hpp"

namespace mxcert::faults {

/// What checks a clause, in the order of the manifest: the golden files with rows of the clause (Clause::rows,
/// Clause::formats), as "fp32-e4m3"; for a provision the profiles that state it, as "profile ocp". Empty: nothing
/// checks it.
[[nodiscard]] std::vector<std::string> suites_of(const Clause& clause, const Manifest& manifest);

/// Whether something must check it: every clause but a silent one and one outside all profiles.
[[nodiscard]] bool needs_suite(const Clause& clause);

} // namespace mxcert::faults
