// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "conformance/suites/blocks/judge.hpp"
#include "conformance/suites/float_blocks/float_cases.hpp"
#include "conformance/suites/float_blocks/float_diagnose.hpp"
#include "conformance/suites/float_blocks/float_expected.hpp"

namespace mxcert::suites {

/// What the blocks of a matrix must be; of a case with amaxes the scales alone. Throws std::logic_error where the two
/// models disagree.
[[nodiscard]] std::vector<FloatExpected::Block> wanted_of(FloatExpected& expected, const FloatCase& float_case);

/// Judges the blocks of a matrix: each scale and each element is the one that wanted_of() gives. `line` of a fault is
/// the row of blocks. Blocks are added to `samples`, unless it is null.
[[nodiscard]] std::vector<BlockFault> judge(const QuantizeFloat& quantize,
                                            const std::vector<FloatExpected::Block>& wanted,
                                            const FloatCase& float_case, const std::vector<frames::Values>& outputs,
                                            FloatSamples* samples);

/// The same of the values of a dequantizer; the first wrong one of a block.
[[nodiscard]] std::vector<BlockFault> judge(const DequantizeFloat& dequantize, FloatValues& expected,
                                            const FloatDequantizeCase& float_dequantize_case,
                                            const std::vector<frames::Values>& outputs);

} // namespace mxcert::suites
