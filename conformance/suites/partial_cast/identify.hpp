// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "conformance/observe/subject.hpp"
#include "conformance/suites/found_cases.hpp"
#include "reference/operation/operation.hpp"

namespace mxcert::suites {

/// What casting a shard does, from its answers.
[[nodiscard]] FoundCases identify_partial_cast(observe::Subject& subject, const Operation& operation);

} // namespace mxcert::suites
