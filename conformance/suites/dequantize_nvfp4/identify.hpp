// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "conformance/observe/subject.hpp"
#include "conformance/suites/found_cases.hpp"
#include "reference/operation/operation.hpp"

namespace mxcert::suites {

/// Finds how an implementation dequantizes NVFP4: the recipe, or the choices in which it differs from the nearest one.
[[nodiscard]] FoundCases identify_dequantize_nvfp4(observe::Subject& subject, const Operation& operation);

} // namespace mxcert::suites
