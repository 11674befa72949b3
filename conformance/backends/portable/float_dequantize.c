/* SPDX-License-Identifier: Apache-2.0
 * Elements times the float scale of their block: in float, and from there to half or bfloat16; in double exactly. */
#include "operations.h"

#include "narrow.h"

/* `x`: elements as float; `at`: of the first value. */
static void multiply(portable_target target, const float* x, float scale, void* values, uint64_t at, uint64_t count) {
    switch (target) {
    case TO_FP32:
        for (uint64_t i = 0; i < count; ++i) ((float*)values)[at + i] = x[i] * scale;
        break;
    case TO_FP16:
        for (uint64_t i = 0; i < count; ++i) ((uint16_t*)values)[at + i] = half_from_float(x[i] * scale);
        break;
    case TO_BF16:
        for (uint64_t i = 0; i < count; ++i) ((uint16_t*)values)[at + i] = bf16_from_float(x[i] * scale);
        break;
    case TO_FP64:
        for (uint64_t i = 0; i < count; ++i) ((double*)values)[at + i] = (double)x[i] * (double)scale;
        break;
    }
}

int32_t portable_run_float_dequantize(const void* how, const mxcert_run_args* args, const char** error) {
    const portable_float_dequantize* by = how;
    const uint64_t rows = args->shape[0];
    const uint64_t columns = args->shape[1];
    if (rows == 0 || columns == 0) return portable_fail(MXCERT_UNSUPPORTED, "a matrix without elements", error);
    if (args->input_count != 2 || args->output_count != 1)
        return portable_fail(MXCERT_ERROR, "wrong number of arrays", error);
    const uint64_t high = by->tile.rows == 0 ? rows : by->tile.rows;
    const uint64_t wide = by->tile.columns == 0 ? columns : by->tile.columns;
    const uint64_t blocks_in_row = (columns + wide - 1) / wide;
    const uint8_t* elements = args->inputs[0].data;
    float x[512];
    const uint64_t at_once = sizeof(x) / sizeof(x[0]);
    for (uint64_t r = 0; r < rows; ++r) {
        for (uint64_t b = 0; b < blocks_in_row; ++b) {
            const float scale = portable_load_scale(by->kind, args->inputs[1].data, r / high * blocks_in_row + b);
            const uint64_t last = columns - b * wide < wide ? columns : (b + 1) * wide;
            for (uint64_t c = b * wide; c < last; c += at_once) {
                const uint64_t count = last - c < at_once ? last - c : at_once;
                by->element(elements + r * columns + c, x, count);
                multiply(by->target, x, scale, args->outputs[0].data, r * columns + c, count);
            }
        }
    }
    return MXCERT_OK;
}
