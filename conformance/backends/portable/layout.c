/* SPDX-License-Identifier: Apache-2.0
 * Scales from rows to where a matmul library wants them, and back. A tile has 128 x 4 scales in 512 bytes: row r and
 * column c of it at r % 32 * 16 + r / 32 * 4 + c. Tiles follow each other along a row of tiles. */
#include "operations.h"

#include <stdlib.h>

enum { TILE_LONG = 128, TILE_SHORT = 4 };

static uint64_t padded(uint64_t length, uint64_t multiple) { return (length + multiple - 1) / multiple * multiple; }

/* Along the long side of the tiles and across it: rows and columns, or columns and rows. */
static uint64_t swizzled(uint64_t along, uint64_t across, uint64_t all_across) {
    const uint64_t tile = along / TILE_LONG * (padded(all_across, TILE_SHORT) / TILE_SHORT) + across / TILE_SHORT;
    const uint64_t in_tile = along % 32 * 16 + along % TILE_LONG / 32 * 4 + across % TILE_SHORT;
    return tile * (TILE_LONG * TILE_SHORT) + in_tile;
}

typedef struct {
    uint64_t rows;
    uint64_t columns;
    uint64_t padded_columns;
    uint64_t buffer;
} sizes;

static sizes sizes_of(portable_layout_kind kind, uint64_t rows, uint64_t columns) {
    const int columnwise = kind == PADDED_4X128 || kind == SWIZZLE_128X4_COLUMNWISE;
    const uint64_t padded_columns = padded(columns, columnwise ? TILE_LONG : TILE_SHORT);
    return (sizes){rows, columns, padded_columns, padded(rows, columnwise ? TILE_SHORT : TILE_LONG) * padded_columns};
}

static void move(portable_layout_kind kind, int restores, sizes s, const uint8_t* in, uint8_t* out) {
    if (!restores) memset(out, 0, s.buffer);
    for (uint64_t r = 0; r < s.rows; ++r) {
        for (uint64_t c = 0; c < s.columns; ++c) {
            uint64_t at = r * s.padded_columns + c;
            if (kind == SWIZZLE_128X4) at = swizzled(r, c, s.columns);
            if (kind == SWIZZLE_128X4_COLUMNWISE) at = swizzled(c, r, s.rows);
            if (restores)
                out[r * s.columns + c] = in[at];
            else
                out[at] = in[r * s.columns + c];
        }
    }
}

int32_t portable_run_layout(const void* how, const mxcert_run_args* args, const char** error) {
    const portable_layout_kind kind = ((const portable_layout*)how)->kind;
    const int restores = ((const portable_layout*)how)->restores;
    const uint64_t rows = args->shape[0];
    const uint64_t columns = args->shape[1];
    if (rows == 0 || columns == 0) return portable_fail(MXCERT_UNSUPPORTED, "a matrix without elements", error);
    const sizes s = sizes_of(kind, rows, columns);
    if (args->input_count != 1 || args->output_count != 1 ||
        args->inputs[0].count != (restores ? s.buffer : rows * columns) ||
        args->outputs[0].count != (restores ? rows * columns : s.buffer))
        return portable_fail(MXCERT_ERROR, "arrays of other sizes than the scales", error);
    move(kind, restores, s, args->inputs[0].data, args->outputs[0].data);
    return MXCERT_OK;
}

int32_t portable_run_laid_out(const void* how, const mxcert_run_args* args, const char** error) {
    const portable_laid_out* e = how;
    const uint64_t rows = args->shape[0];
    const uint64_t columns = args->shape[1];
    if (rows == 0 || columns == 0) return portable_fail(MXCERT_UNSUPPORTED, "a matrix without elements", error);
    const uint64_t along = ((e->axis == ROW ? columns : rows) + e->block - 1) / e->block;
    const sizes s = e->axis == ROW ? sizes_of(e->kind, rows, along) : sizes_of(e->kind, along, columns);
    mxcert_array inputs[3];
    mxcert_array outputs[3];
    memcpy(inputs, args->inputs, args->input_count * sizeof *inputs);
    memcpy(outputs, args->outputs, args->output_count * sizeof *outputs);
    mxcert_array* const scales = e->of_input ? &inputs[1] : &outputs[1];
    if (scales->count != s.buffer) return portable_fail(MXCERT_ERROR, "scales of another size", error);
    uint8_t* const buffer = scales->data;
    uint8_t* const in_rows = malloc(s.rows * s.columns);
    if (in_rows == NULL) return portable_fail(MXCERT_ERROR, "no memory for the scales", error);
    if (e->of_input) move(e->kind, 1, s, buffer, in_rows);
    scales->data = in_rows;
    scales->count = s.rows * s.columns;
    mxcert_run_args of_rows = *args;
    of_rows.inputs = inputs;
    of_rows.outputs = outputs;
    const int32_t status = e->run(e->how, &of_rows, error);
    if (status == MXCERT_OK && !e->of_input) move(e->kind, 0, s, in_rows, buffer);
    free(in_rows);
    return status;
}
