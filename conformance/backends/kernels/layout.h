/* SPDX-License-Identifier: Apache-2.0
 * Scales from rows to the layout of a matmul library, and back. */
#ifndef MXCERT_KERNELS_LAYOUT_H
#define MXCERT_KERNELS_LAYOUT_H

/* Tiles of 128 x 4 scales, or 4 x 128 columnwise, one after the other: 32 lines of 16 bytes, in each of them 4 rows
 * that are 32 apart. */
#define TILE_LONG 128u
#define TILE_SHORT 4u
#define TILE_LINES 32u

DEVICE u64 swizzled_place(const u64 along, const u64 across, const u64 tiles_across) {
    const u64 tile = along / TILE_LONG * tiles_across + across / TILE_SHORT;
    const u64 quarter = along % TILE_LONG / TILE_LINES;
    return ((tile * TILE_LINES + along % TILE_LINES) * TILE_SHORT + quarter) * TILE_SHORT + across % TILE_SHORT;
}

KERNEL(move_scales) {
    if (OUTSIDE) return;
    const u32 is_inside = Y < p.arrange.rows && X < p.arrange.columns ? 1u : 0u;
    const u64 rowwise = Y * p.arrange.columns + X;
    /* As many tiles lie across as the padded matrix has there. */
    const u64 tiles = (p.arrange.columnwise ? p.size[1] : p.size[0]) / TILE_SHORT;
    const u64 swizzled = p.arrange.columnwise ? swizzled_place(X, Y, tiles) : swizzled_place(Y, X, tiles);
    const u64 there = p.arrange.swizzled ? swizzled : Y * p.size[0] + X;
    if (!p.arrange.restores)
        ((MEMORY u8*)result)[there] = is_inside ? ((MEMORY const u8*)values)[rowwise] : (u8)0;
    else if (is_inside)
        ((MEMORY u8*)result)[rowwise] = ((MEMORY const u8*)values)[there];
}

#endif
