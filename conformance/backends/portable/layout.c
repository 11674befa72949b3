/* SPDX-License-Identifier: Apache-2.0
 * Scales from rows to where a matmul library wants them, and back. A tile has 128 x 4 scales in 512 bytes: row r and
 * column c of it at r % 32 * 16 + r / 32 * 4 + c. Tiles follow each other along a row of tiles. */
#include "operations.h"

enum { TILE_LONG = 128, TILE_SHORT = 4 };

static uint64_t padded(uint64_t length, uint64_t multiple) { return (length + multiple - 1) / multiple * multiple; }

/* Along the long side of the tiles and across it: rows and columns, or columns and rows. */
static uint64_t swizzled(uint64_t along, uint64_t across, uint64_t all_across) {
    const uint64_t tile = along / TILE_LONG * (padded(all_across, TILE_SHORT) / TILE_SHORT) + across / TILE_SHORT;
    const uint64_t in_tile = along % 32 * 16 + along % TILE_LONG / 32 * 4 + across % TILE_SHORT;
    return tile * (TILE_LONG * TILE_SHORT) + in_tile;
}

int32_t portable_run_layout(const void* how, const mxcert_run_args* args, const char** error) {
    const portable_layout_kind kind = ((const portable_layout*)how)->kind;
    const int restores = ((const portable_layout*)how)->restores;
    const uint64_t rows = args->shape[0];
    const uint64_t columns = args->shape[1];
    if (rows == 0 || columns == 0) return portable_fail(MXCERT_UNSUPPORTED, "a matrix without elements", error);
    const int columnwise = kind == PADDED_4X128 || kind == SWIZZLE_128X4_COLUMNWISE;
    const uint64_t padded_rows = padded(rows, columnwise ? TILE_SHORT : TILE_LONG);
    const uint64_t padded_columns = padded(columns, columnwise ? TILE_LONG : TILE_SHORT);
    const uint64_t buffer = padded_rows * padded_columns;
    if (args->input_count != 1 || args->output_count != 1 ||
        args->inputs[0].count != (restores ? buffer : rows * columns) ||
        args->outputs[0].count != (restores ? rows * columns : buffer))
        return portable_fail(MXCERT_ERROR, "arrays of other sizes than the scales", error);
    const uint8_t* in = args->inputs[0].data;
    uint8_t* out = args->outputs[0].data;
    if (!restores) memset(out, 0, buffer);
    for (uint64_t r = 0; r < rows; ++r) {
        for (uint64_t c = 0; c < columns; ++c) {
            uint64_t at = r * padded_columns + c;
            if (kind == SWIZZLE_128X4) at = swizzled(r, c, columns);
            if (kind == SWIZZLE_128X4_COLUMNWISE) at = swizzled(c, r, rows);
            if (restores)
                out[r * columns + c] = in[at];
            else
                out[at] = in[r * columns + c];
        }
    }
    return MXCERT_OK;
}
