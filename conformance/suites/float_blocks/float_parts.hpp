// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string_view>

#include "conformance/suites/suite.hpp"

namespace mxcert::suites {

/// The parts of "quantize_float", judged by equality with what both models give: "scale" (of every amax of FP16 and
/// BF16, of FP32 a sample), "elements" (a sample of amaxes and of values under them) and "blocks" (what joins them).
[[nodiscard]] std::unique_ptr<CasePart> quantize_float_part(const SuiteRun& run, std::string_view part);
/// The same of "dequantize_float": "values" (every element under every E8M0 scale, or a sample of the others) and
/// "blocks".
[[nodiscard]] std::unique_ptr<CasePart> dequantize_float_part(const SuiteRun& run, std::string_view part);

} // namespace mxcert::suites
