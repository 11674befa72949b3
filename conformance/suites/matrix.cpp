// SPDX-License-Identifier: Apache-2.0
#include "conformance/suites/matrix.hpp"

#include "conformance/frames/words.hpp"

namespace mxcert::suites {

frames::RunCase run_of(const Quantize& quantize, const BlockMatrix& matrix) {
    frames::RunCase run;
    run.shape = matrix.shape();
    run.inputs = {frames::Values(matrix.elements(), frames::bytes_of(*quantize.format.value))};
    run.outputs = {frames::Values(matrix.elements(), frames::bytes_of(*quantize.format.element)),
                   frames::Values(matrix.blocks(), 1)};
    return run;
}

frames::RunCase run_of(const Dequantize& dequantize, const BlockMatrix& matrix) {
    frames::RunCase run;
    run.shape = matrix.shape();
    run.inputs = {frames::Values(matrix.elements(), frames::bytes_of(*dequantize.element)),
                  frames::Values(matrix.blocks(), 1)};
    run.outputs = {frames::Values(matrix.elements(), frames::bytes_of(*dequantize.value.to))};
    return run;
}

} // namespace mxcert::suites
