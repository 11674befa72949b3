/* SPDX-License-Identifier: Apache-2.0
 * What the 32 lanes of a warp hold of a product of tiles, 16 x 32 times 32 x 8, as the PTX ISA has it for mma with
 * operands of 8 bits (9.7.14.5.10, "Matrix Fragments for mma.m16n8k32"). wgmma with A in registers has the same, for
 * each of its four warps (9.7.15.5.1). What lies outside of a matrix is +0, with the scale 1.
 *
 * A tile is named by the row and the column of D that it begins with; `at` is the first of its products. */
#ifndef MXCERT_KERNELS_TILE_H
#define MXCERT_KERNELS_TILE_H

#define TILE_ROWS 16
#define TILE_COLUMNS 8

/* Four elements of a line from the one at `first`, as a word. */
DEVICE u32 four_of(MEMORY const u8* line, const u64 next, const u64 first, const u64 k) {
    u32 word = 0;
    for (u32 i = 0; i < 4; ++i)
        if (first + i < k) word |= (u32)line[(first + i) * next] << (8 * i);
    return word;
}

/* The four words of A. The first two are all there is of 16 products. */
DEVICE void hold_left(u32* words, MEMORY const void* values, const u64 tile, const u32 lane, const u64 at,
                      const parameters p) {
    for (u32 i = 0; i < 4; ++i) {
        const u64 row = tile + lane / 4 + i % 2 * 8;
        MEMORY const u8* line = (MEMORY const u8*)values + row * p.multiply.left_line;
        words[i] = row < p.multiply.rows
                       ? four_of(line, p.multiply.left_next, at + lane % 4 * 4 + i / 2 * 16, p.multiply.k)
                       : 0u;
    }
}

/* The two words of B; of 16 products the first. */
DEVICE void hold_right(u32* words, MEMORY const void* values, const u64 tile, const u32 lane, const u64 at,
                       const parameters p) {
    for (u32 i = 0; i < 2; ++i) {
        const u64 column = tile + lane / 4;
        MEMORY const u8* line = (MEMORY const u8*)values + column * p.multiply.right_line;
        words[i] = column < p.multiply.columns
                       ? four_of(line, p.multiply.right_next, at + lane % 4 * 4 + i * 16, p.multiply.k)
                       : 0u;
    }
}

/* The scale of a row of A: of the four lanes of a row the first has its own, the second that of the row 8 below. */
DEVICE u32 hold_left_scale(MEMORY const void* scales, const u64 tile, const u32 lane, const u64 at,
                           const parameters p) {
    const u64 row = tile + lane / 4 + lane % 2 * 8;
    return row < p.multiply.rows
               ? ((MEMORY const u8*)
                      scales)[row * p.multiply.left_scale_line + at / p.multiply.block * p.multiply.left_scale_next]
               : (u32)SCALE_BIAS;
}
DEVICE u32 hold_right_scale(MEMORY const void* scales, const u64 tile, const u32 lane, const u64 at,
                            const parameters p) {
    const u64 column = tile + lane / 4;
    return column < p.multiply.columns ? ((MEMORY const u8*)scales)[column * p.multiply.right_scale_line +
                                                                    at / p.multiply.block * p.multiply.right_scale_next]
                                       : (u32)SCALE_BIAS;
}

/* Where the four elements of C and D lie in memory; NO_PLACE: nowhere. */
#define NO_PLACE (~(u64)0)
DEVICE u64 place_of(const u32 i, const u64 tile_row, const u64 tile_column, const u32 lane, const parameters p) {
    const u64 row = tile_row + lane / 4 + i / 2 * 8;
    const u64 column = tile_column + lane % 4 * 2 + i % 2;
    return row < p.multiply.rows && column < p.multiply.columns ? row * p.multiply.columns + column : NO_PLACE;
}

#endif
