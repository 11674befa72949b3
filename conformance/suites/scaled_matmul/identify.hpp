// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "conformance/observe/subject.hpp"
#include "conformance/suites/found_cases.hpp"
#include "reference/operation/operation.hpp"

namespace mxcert::suites {

/// Which epilogue explains the answers of the operation "scaled_matmul", and which of the known slips. The accumulator
/// is the declared one.
[[nodiscard]] FoundCases identify_scaled_matmul(observe::Subject& subject, const Operation& operation);

} // namespace mxcert::suites
