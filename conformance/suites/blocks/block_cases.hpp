// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "conformance/suites/suite.hpp"

namespace mxcert::suites {

/// The part "values" of a quantizer with an activation: every amax and value of FP16 and BF16, a sample of FP32's.
[[nodiscard]] std::unique_ptr<CasePart> quantize_activated(const SuiteRun& run);

/// The part "blocks" of the operations "quantize" and "dequantize".
[[nodiscard]] std::unique_ptr<CasePart> quantize_blocks(const SuiteRun& run);
[[nodiscard]] std::unique_ptr<CasePart> dequantize_blocks(const SuiteRun& run);

} // namespace mxcert::suites
