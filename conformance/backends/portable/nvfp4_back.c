/* SPDX-License-Identifier: Apache-2.0
 * NVFP4 and back: what each recipe makes of the scale of a block and the number of the tensor is a float, and the rest
 * is what any float scale does. */
#include "operations.h"

#include <stdlib.h>

float portable_nvfp4_times_amax(float scale, float amax) { return scale * amax * (1.0f / (6.0f * 448.0f)); }
float portable_nvfp4_times_decode(float scale, float decode) { return scale * decode; }
float portable_nvfp4_over_encode(float scale, float encode) { return scale / encode; }

void portable_e2m1_fp32_no_minus_zero(const void* in, void* out, uint64_t count) {
    portable_e2m1_fp32(in, out, count);
    float* const values = out;
    for (uint64_t i = 0; i < count; ++i) values[i] = values[i] == 0 ? 0 : values[i];
}

int32_t portable_run_nvfp4_back(const void* how, const mxcert_run_args* args, const char** error) {
    const portable_nvfp4_back* by = how;
    if (args->input_count != (by->factor == NULL ? 2u : 3u) || args->output_count != 1)
        return portable_fail(MXCERT_ERROR, "wrong number of arrays", error);
    const uint64_t blocks = args->inputs[1].count;
    if (blocks == 0) return portable_fail(MXCERT_UNSUPPORTED, "a matrix without elements", error);
    float* const factors = malloc(blocks * sizeof *factors);
    if (factors == NULL) return portable_fail(MXCERT_ERROR, "no memory for the factors", error);
    by->scale(args->inputs[1].data, factors, blocks);
    if (by->factor != NULL)
        for (uint64_t i = 0; i < blocks; ++i) factors[i] = by->factor(factors[i], *(const float*)args->inputs[2].data);
    const mxcert_array inputs[2] = {args->inputs[0], {factors, blocks, sizeof *factors, 0}};
    mxcert_run_args of_factors = *args;
    of_factors.input_count = 2;
    of_factors.inputs = inputs;
    const int32_t status = portable_run_float_dequantize(&by->multiply, &of_factors, error);
    free(factors);
    return status;
}
