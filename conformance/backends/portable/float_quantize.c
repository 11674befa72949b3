/* SPDX-License-Identifier: Apache-2.0
 * Matrices in blocks with a float scale: the amax and the scaled values in float, whatever the source, and the element
 * by the kernel of single values. */
#include "operations.h"

#include <math.h>

enum { PIECE = 256 }; /* values that are scaled at once */

void portable_load_floats(portable_source source, const void* values, uint64_t first, uint64_t count, float* to) {
    const uint16_t* narrow = (const uint16_t*)values + first;
    switch (source) {
    case FROM_FP32: memcpy(to, (const float*)values + first, count * sizeof(float)); break;
    case FROM_FP16:
        for (uint64_t i = 0; i < count; ++i) to[i] = half_to_float(narrow[i]);
        break;
    case FROM_BF16:
        for (uint64_t i = 0; i < count; ++i) to[i] = bf16_to_float(narrow[i]);
        break;
    }
}

/* Of a block and its place. */
typedef struct {
    uint64_t row, column, rows, columns;
} range;

static float amax_of(const portable_float_quantize* by, const void* values, uint64_t width, range block) {
    float piece[PIECE];
    float amax = 0;
    int any_nan = 0;
    for (uint64_t r = block.row; r < block.row + block.rows; ++r) {
        for (uint64_t done = 0; done < block.columns; done += PIECE) {
            const uint64_t count = portable_smaller(PIECE, block.columns - done);
            portable_load_floats(by->source, values, r * width + block.column + done, count, piece);
            for (uint64_t i = 0; i < count; ++i) {
                any_nan |= isnan(piece[i]);
                amax = fabsf(piece[i]) > amax ? fabsf(piece[i]) : amax;
            }
        }
    }
    return any_nan && by->nan_propagates ? NAN : amax;
}

static void elements_of(const portable_float_quantize* by, const void* values, uint64_t width, range block,
                        portable_scales scales, uint8_t* elements) {
    float piece[PIECE];
    for (uint64_t r = block.row; r < block.row + block.rows; ++r) {
        for (uint64_t done = 0; done < block.columns; done += PIECE) {
            const uint64_t count = portable_smaller(PIECE, block.columns - done);
            const uint64_t first = r * width + block.column + done;
            portable_load_floats(by->source, values, first, count, piece);
            if (by->divides)
                for (uint64_t i = 0; i < count; ++i) piece[i] /= scales.scale;
            else
                for (uint64_t i = 0; i < count; ++i) piece[i] *= scales.inverse;
            by->element(piece, elements + first, count);
        }
    }
}

int32_t portable_run_float_quantize(const void* how, const mxcert_run_args* args, const char** error) {
    const portable_float_quantize* by = how;
    const uint64_t rows = args->shape[0];
    const uint64_t columns = args->shape[1];
    if (rows == 0 || columns == 0) return portable_fail(MXCERT_UNSUPPORTED, "a matrix without elements", error);
    if (args->input_count != 1 || args->output_count != 2)
        return portable_fail(MXCERT_ERROR, "wrong number of arrays", error);
    const uint64_t high = by->tile.rows == 0 ? rows : by->tile.rows;
    const uint64_t wide = by->tile.columns == 0 ? columns : by->tile.columns;
    uint64_t number = 0;
    for (uint64_t r = 0; r < rows; r += high) {
        for (uint64_t c = 0; c < columns; c += wide) {
            const range block = {r, c, portable_smaller(high, rows - r), portable_smaller(wide, columns - c)};
            const float amax = amax_of(by, args->inputs[0].data, columns, block);
            const portable_scales scales = by->recipe(amax, by->largest, by->limit, by->kind);
            portable_store_scale(by->kind, args->outputs[1].data, number++, scales.scale);
            elements_of(by, args->inputs[0].data, columns, block, scales, args->outputs[0].data);
        }
    }
    return MXCERT_OK;
}
