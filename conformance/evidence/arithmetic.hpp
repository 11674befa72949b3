// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "conformance/files/json_members.hpp"

namespace mxcert::evidence {

/// The first thing in a report that contradicts the rest of it, "" if there is none: counts that are not those of the
/// rows, clauses that no row has, a PASS with wrong answers or without answers, a certificate or `complete` that its
/// rows do not give, an exit code that is not theirs. Precondition: report::read_report() took it.
[[nodiscard]] std::string contradiction(const files::Json& json);

} // namespace mxcert::evidence
