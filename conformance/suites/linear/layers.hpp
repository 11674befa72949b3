// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string_view>

#include "conformance/suites/suite.hpp"

namespace mxcert::suites {

/// The parts of "linear", "values" and "special": the operands are quantized as the recipe says, and the product is
/// judged as that of "matmul".
[[nodiscard]] std::unique_ptr<CasePart> linear_part(const SuiteRun& run, std::string_view part);

} // namespace mxcert::suites
