/* SPDX-License-Identifier: Apache-2.0
 * Tiles with one scale: the amax of a tile, copied together, makes it; the elements of each row of the tile come from
 * the kernels of single values. Products along columns get the same elements, and the scale once for each column. */
#include "operations.h"

enum { LARGEST_SIDE = 64 };

int32_t portable_run_quantize_2d(const void* how, const mxcert_run_args* args, const char** error) {
    const portable_quantize_2d* e = how;
    const uint64_t rows = args->shape[0];
    const uint64_t columns = args->shape[1];
    if (rows == 0 || columns == 0) return portable_fail(MXCERT_UNSUPPORTED, "a matrix without elements", error);
    if (args->input_count != 1 || args->output_count != 4)
        return portable_fail(MXCERT_ERROR, "wrong number of arrays", error);

    const uint32_t bytes = e->blocks.from;
    const uint64_t across = (columns + e->tile.columns - 1) / e->tile.columns;
    const unsigned char* in = args->inputs[0].data;
    uint8_t* elements = args->outputs[0].data;
    uint8_t* row_scales = args->outputs[1].data;
    uint8_t* column_elements = args->outputs[2].data;
    uint8_t* column_scales = args->outputs[3].data;
    _Alignas(8) unsigned char tile[LARGEST_SIDE * LARGEST_SIDE * 4];
    for (uint64_t top = 0; top < rows; top += e->tile.rows) {
        const uint64_t high = rows - top < e->tile.rows ? rows - top : e->tile.rows;
        for (uint64_t left = 0; left < columns; left += e->tile.columns) {
            const uint64_t wide = columns - left < e->tile.columns ? columns - left : e->tile.columns;
            for (uint64_t row = 0; row < high; ++row)
                memcpy(tile + row * wide * bytes, in + ((top + row) * columns + left) * bytes, wide * bytes);
            const uint8_t scale = portable_scale_of(&e->blocks, tile, high * wide);
            for (uint64_t row = 0; row < high; ++row) {
                const uint64_t at = (top + row) * columns + left;
                e->blocks.value(in + at * bytes, elements + at, wide, scale);
                memcpy(column_elements + at, elements + at, wide);
                row_scales[(top + row) * across + left / e->tile.columns] = scale;
            }
            memset(column_scales + top / e->tile.rows * columns + left, scale, wide);
        }
    }
    return MXCERT_OK;
}
