// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "conformance/verdict/verdict.hpp"
#include "reference/profile/profile.hpp"

namespace mxcert::verdict {

/// The rows of a profile's provision clauses, one a clause: PASS if, for every source format offered at all, each
/// target the clause names has a conversion of the kind it names, and there is at least one source. Otherwise
/// UNSUPPORTED, required. `offered`: what the backend offers and did not refuse when it was asked.
[[nodiscard]] std::vector<Row> judge_offers(const Profile& profile, const std::vector<Conversion>& offered);

} // namespace mxcert::verdict
