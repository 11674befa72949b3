// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "conformance/observe/subject.hpp"
#include "conformance/suites/found_cases.hpp"

namespace mxcert::suites {

/// What a Hadamard transform does, from its answers to groups whose sums are exact.
[[nodiscard]] FoundCases identify_hadamard(observe::Subject& subject, const Operation& operation);

} // namespace mxcert::suites
