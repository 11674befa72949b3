// SPDX-License-Identifier: Apache-2.0
#include "conformance/suites/matrix.hpp"

#include "conformance/frames/words.hpp"

namespace mxcert {

RunCase run_of(const Quantize& quantize, const BlockMatrix& matrix) {
    RunCase run;
    run.shape = matrix.shape();
    run.inputs = {Values(matrix.elements(), bytes_of(*quantize.format.value))};
    run.outputs = {Values(matrix.elements(), bytes_of(*quantize.format.element)), Values(matrix.blocks(), 1)};
    return run;
}

RunCase run_of(const Dequantize& dequantize, const BlockMatrix& matrix) {
    RunCase run;
    run.shape = matrix.shape();
    run.inputs = {Values(matrix.elements(), bytes_of(*dequantize.element)), Values(matrix.blocks(), 1)};
    run.outputs = {Values(matrix.elements(), bytes_of(*dequantize.value.to))};
    return run;
}

} // namespace mxcert
