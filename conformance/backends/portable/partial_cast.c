/* SPDX-License-Identifier: Apache-2.0
 * A shard of a matrix to its elements, by scales that are given, into the buffer of all elements. */
#include "operations.h"

#include <float.h>

enum { PIECE = 256 };

static float nvfp4_multiplier(float scale, float encode) {
    const float decode = 1.0f / (encode <= 0 ? 1.0f : encode);
    uint8_t code;
    float rounded;
    portable_fp32_e4m3_ne_sat(&scale, &code, 1);
    portable_e4m3_fp32(&code, &rounded, 1);
    if (!(rounded > 0)) return FLT_MAX;
    const float multiplier = 1.0f / (rounded * decode);
    return multiplier <= FLT_MAX ? multiplier : FLT_MAX;
}

static float multiplier_of(const portable_partial_cast* by, const mxcert_run_args* args, uint64_t block) {
    const void* scales = args->inputs[2].data;
    if (by->given == GIVEN_E8M0) return 1.0f / portable_load_scale(SCALE_E8M0, scales, block);
    const float scale = portable_load_scale(SCALE_FP32, scales, block);
    if (by->given == GIVEN_ENCODE) return scale;
    return nvfp4_multiplier(scale, ((const float*)args->inputs[3].data)[0]);
}

/* A nibble of a byte that another shard may have the other one of. */
static void store_nibble(uint8_t* bytes, uint64_t element, uint8_t code) {
    const unsigned shift = element % 2 != 0 ? 4 : 0;
    uint8_t* byte = bytes + element / 2;
    *byte = (uint8_t)((*byte & ~(0xFu << shift)) | (unsigned)code << shift);
}

/* Elements of one row and one block. */
static void cast_piece(const portable_partial_cast* by, const mxcert_run_args* args, uint64_t value, uint64_t element,
                       uint64_t count, float multiplier) {
    float products[PIECE];
    uint8_t codes[PIECE];
    uint8_t* out = args->outputs[0].data;
    portable_load_floats(by->source, args->inputs[0].data, value, count, products);
    for (uint64_t i = 0; i < count; ++i) products[i] *= multiplier;
    by->element(products, codes, count);
    if (!by->packs)
        memcpy(out + element, codes, count);
    else
        for (uint64_t i = 0; i < count; ++i) store_nibble(out, element + i, codes[i]);
}

int32_t portable_run_partial_cast(const void* how, const mxcert_run_args* args, const char** error) {
    const portable_partial_cast* by = how;
    const uint64_t columns = args->shape[1];
    const uint64_t first = args->shape[2];
    const uint64_t count = args->shape[3];
    if (args->input_count != (by->given == GIVEN_NVFP4 ? 4u : 3u) || args->output_count != 1)
        return portable_fail(MXCERT_ERROR, "wrong number of arrays", error);
    if (by->packs && columns % 2 != 0)
        return portable_fail(MXCERT_UNSUPPORTED, "rows of an odd number of elements that are packed", error);
    memcpy(args->outputs[0].data, args->inputs[1].data, args->outputs[0].count);
    const uint64_t across = (columns + by->block.columns - 1) / by->block.columns;
    for (uint64_t done = 0; done < count;) {
        const uint64_t row = (first + done) / columns;
        const uint64_t column = (first + done) % columns;
        const uint64_t block = column / by->block.columns;
        const uint64_t end = portable_smaller((block + 1) * by->block.columns, columns);
        const uint64_t piece = portable_smaller(portable_smaller(end - column, count - done), PIECE);
        cast_piece(by, args, done, first + done, piece, multiplier_of(by, args, row / by->block.rows * across + block));
        done += piece;
    }
    return MXCERT_OK;
}
