// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "conformance/observe/subject.hpp"
#include "conformance/suites/found_cases.hpp"
#include "reference/operation/operation.hpp"

namespace mxcert::suites {

/// What explains a quantizer with float scales, from its answers alone: of what it declares only the formats and the
/// block are looked at. Asks the operation "quantize_float" for the scale of every amax of FP16 and BF16, of FP32 for
/// a sample, for elements on either side of what the recipes of the table make of them, and for the cases of
/// for_each_case(); then looks for the choices of a recipe::FloatBlock, and for the known ways to get the rest wrong.
[[nodiscard]] FoundCases identify_quantize_float(observe::Subject& subject, const Operation& operation);

/// The same of the operation "dequantize_float": every element under many scales, and dequantize_cases().
[[nodiscard]] FoundCases identify_dequantize_float(observe::Subject& subject, const Operation& operation);

} // namespace mxcert::suites
