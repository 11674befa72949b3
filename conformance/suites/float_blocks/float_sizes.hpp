// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "conformance/level.hpp"
#include "conformance/suites/certify_sizes.hpp"
#include "conformance/suites/float_blocks/float_cases.hpp"

// Matrices so large that indices and grids end in them, in blocks with float scales. They are a small matrix again and
// again, to the right or downwards: 61 blocks, or 61 values of one block where a side of it is as long as the matrix.
namespace mxcert::suites {

/// The small matrices. A block, or the value of one, tells its place.
[[nodiscard]] std::vector<FloatCase> float_rings(const QuantizeFloat& quantize);
[[nodiscard]] std::vector<FloatDequantizeCase> float_rings(const DequantizeFloat& dequantize);

/// What certify_sizes() is to ask of one of them.
[[nodiscard]] SizeQuestion size_question(const QuantizeFloat& quantize, const FloatCase& ring, Level level);
[[nodiscard]] SizeQuestion size_question(const DequantizeFloat& dequantize, const FloatDequantizeCase& ring,
                                         Level level);

} // namespace mxcert::suites
