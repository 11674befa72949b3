// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "conformance/suites/suite.hpp"

namespace mxcert::suites {

/// Asks a quantizer for the parts that are tables, where they are wanted, and judges them: "scale", of every amax or a
/// sample of FP32's, and "elements", every value under every scale that goes with it, or a sample. Where there is no
/// profile they are asked all the same, and there is no row.
[[nodiscard]] std::vector<verdict::Row> quantize_tables(const SuiteRun& run);
/// The same of the way back: "values", every element under every scale.
[[nodiscard]] std::vector<verdict::Row> dequantize_tables(const SuiteRun& run);

} // namespace mxcert::suites
