// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "conformance/observe/subject.hpp"
#include "conformance/suites/found_cases.hpp"
#include "reference/operation/operation.hpp"

namespace mxcert::suites {

/// Asks a quantizer to NVFP4 for tensors, scales, elements and what joins them, and finds which recipe of the table
/// gives all answers, and the choices that give most of them, whatever it declares.
[[nodiscard]] FoundCases identify_nvfp4(observe::Subject& subject, const Operation& operation);

} // namespace mxcert::suites
