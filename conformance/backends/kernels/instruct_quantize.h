/* SPDX-License-Identifier: Apache-2.0
 * Blocks whose elements are made by conversion instructions: each value times the power of two that its scale divides
 * by, in FP32, and then what the instruction makes of it. The product is exact, or below 2^-126 and so zero in every
 * element format. A block of 32 is read once, and where it lies in a row 16 bytes at a time, so that memory is what
 * limits it. */
#ifndef MXCERT_KERNELS_INSTRUCT_QUANTIZE_H
#define MXCERT_KERNELS_INSTRUCT_QUANTIZE_H

#define MX_BLOCK 32

/* 16 bytes that are moved at once. */
typedef struct ALIGNED_16 {
    u32 word[4];
} quarter_line;

/* 2^(127 - scale). */
DEVICE float factor_of(const u32 scale) { return FLOAT(scale == 254u ? 0x00400000u : (254u - scale) << 23); }

DEVICE void read_block(u32* bits, MEMORY const u32* from) {
    UNROLL for (u32 i = 0; i < MX_BLOCK / 4; ++i) {
        const quarter_line four = ((MEMORY const quarter_line*)(MEMORY const void*)from)[i];
        UNROLL for (u32 j = 0; j < 4; ++j) bits[i * 4 + j] = four.word[j];
    }
}
DEVICE void read_block_16(u32* bits, MEMORY const u16* from) {
    UNROLL for (u32 i = 0; i < MX_BLOCK / 8; ++i) {
        const quarter_line eight = ((MEMORY const quarter_line*)(MEMORY const void*)from)[i];
        UNROLL for (u32 j = 0; j < 8; ++j) bits[i * 8 + j] = eight.word[j / 2] >> (16 * (j % 2)) & 0xFFFFu;
    }
}

#define IS_ALIGNED(pointer) (((u64)(pointer)&15u) == 0)

/* `as_float` makes a float of the bits of a value, `read` takes a whole block of a row. */
#define INSTRUCT_QUANTIZE(source, width, as_float, read, element)                                                      \
    KERNEL(instruct_quantize_##source##_##element) {                                                                   \
        if (OUTSIDE) return;                                                                                           \
        MEMORY const width* block = (MEMORY const width*)values + PLACE(value);                                        \
        MEMORY u8* elements = (MEMORY u8*)result + PLACE(value);                                                       \
        const u64 left = p.place.length - ALONG;                                                                       \
        const u64 count = left < p.place.block ? left : p.place.block;                                                 \
        const u32 is_whole = count == MX_BLOCK ? 1u : 0u;                                                              \
        const u32 is_line = is_whole && p.place.stride == 1 && IS_ALIGNED(block) && IS_ALIGNED(elements) ? 1u : 0u;    \
        u32 bits[MX_BLOCK] = {0};                                                                                      \
        u32 amax = 0;                                                                                                  \
        if (is_line) read(bits, block);                                                                                \
        if (is_whole && !is_line) UNROLL for (u32 i = 0; i < MX_BLOCK; ++i) bits[i] = block[i * p.place.stride];       \
        UNROLL for (u32 i = 0; i < MX_BLOCK; ++i) {                                                                    \
            const u32 value = is_whole ? counted(bits[i], p) : 0u;                                                     \
            amax = value > amax ? value : amax;                                                                        \
        }                                                                                                              \
        for (u64 i = 0; i < count && !is_whole; ++i) {                                                                 \
            const u32 value = counted(block[i * p.place.stride], p);                                                   \
            amax = value > amax ? value : amax;                                                                        \
        }                                                                                                              \
        const u32 scale = scale_of(amax, p);                                                                           \
        const float factor = factor_of(scale);                                                                         \
        ((MEMORY u8*)scales)[PLACE(scale)] = (u8)scale;                                                                \
        if (!is_whole) {                                                                                               \
            for (u64 i = 0; i < count; ++i)                                                                            \
                elements[i * p.place.stride] =                                                                         \
                    (u8)(scale == SCALE_NAN                                                                            \
                             ? p.to.nan                                                                                \
                             : instructed_##element(BITS(as_float((u32)block[i * p.place.stride]) * factor), p));      \
            return;                                                                                                    \
        }                                                                                                              \
        quarter_line made[2];                                                                                          \
        UNROLL for (u32 i = 0; i < MX_BLOCK; ++i) {                                                                    \
            const u32 code =                                                                                           \
                scale == SCALE_NAN ? p.to.nan : instructed_##element(BITS(as_float(bits[i]) * factor), p);             \
            const u32 in_word = code << (8 * (i % 4));                                                                 \
            made[i / 16].word[i % 16 / 4] = i % 4 == 0 ? in_word : made[i / 16].word[i % 16 / 4] | in_word;            \
            if (!is_line) elements[i * p.place.stride] = (u8)code;                                                     \
        }                                                                                                              \
        if (is_line) {                                                                                                 \
            ((MEMORY quarter_line*)(MEMORY void*)elements)[0] = made[0];                                               \
            ((MEMORY quarter_line*)(MEMORY void*)elements)[1] = made[1];                                               \
        }                                                                                                              \
    }

#define INSTRUCT_QUANTIZE_TO(element)                                                                                  \
    INSTRUCT_QUANTIZE(fp32, u32, FLOAT, read_block, element)                                                           \
    INSTRUCT_QUANTIZE(fp16, u16, FLOAT_OF_FP16, read_block_16, element)                                                \
    INSTRUCT_QUANTIZE(bf16, u16, FLOAT_OF_BF16, read_block_16, element)
#define FLOAT_OF_BF16(bits) FLOAT((bits) << 16)
INSTRUCT_QUANTIZE_TO(e4m3)
INSTRUCT_QUANTIZE_TO(e5m2)

#endif
