// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "conformance/suites/blocks/judge.hpp"
#include "conformance/suites/float_blocks/float_cases.hpp"
#include "conformance/suites/float_blocks/float_diagnose.hpp"
#include "conformance/suites/float_blocks/float_expected.hpp"

namespace mxcert::suites {

/// Judges the blocks of a matrix: each scale and each element is the expected one; of a case with amaxes the scales
/// alone. `line` of a fault is the row of blocks. Throws std::logic_error where the two models disagree. Blocks are
/// added to `samples`.
[[nodiscard]] std::vector<BlockFault> judge(const QuantizeFloat& quantize, FloatExpected& expected,
                                            const FloatCase& float_case, const std::vector<frames::Values>& outputs,
                                            FloatSamples& samples);

/// The same of the values of a dequantizer; the first wrong one of a block.
[[nodiscard]] std::vector<BlockFault> judge(const DequantizeFloat& dequantize, FloatValues& expected,
                                            const FloatDequantizeCase& float_dequantize_case,
                                            const std::vector<frames::Values>& outputs);

} // namespace mxcert::suites
