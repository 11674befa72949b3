/* SPDX-License-Identifier: Apache-2.0
 * The E8M0 scale of a block from its amax; of one value, its power of two. X, Y, Z is a block. */
#ifndef MXCERT_KERNELS_SCALE_H
#define MXCERT_KERNELS_SCALE_H

DEVICE u32 scale_of(const u32 amax, const parameters p) {
    const number n = unpack(amax, p.from);
    const u32 m = (n.significand & ((1u << TOP) - 1u)) >> (TOP - 23);
    const i32 floor_code = n.exponent - p.scale.emax + SCALE_BIAS;
    const i32 code = floor_code + (m > p.scale.threshold + (floor_code == 0 ? p.scale.lowest_more : 0u) ? 1 : 0);
    const i32 in_range = n.significand == 0 || code < 0 ? 0 : code;
    const u32 finite = in_range >= (i32)SCALE_NAN ? p.scale.beyond : (u32)in_range;
    return amax <= p.from.largest ? finite : amax == p.from.infinity ? p.scale.beyond_infinity : SCALE_NAN;
}

/* The magnitude of a value, if it may be an amax. */
DEVICE u32 counted(const u32 bits, const parameters p) {
    const u32 magnitude = bits & p.from.magnitude;
    return magnitude <= p.scale.largest_counted ? magnitude : 0u;
}

/* The values of a block and how many they are, and the scale of their amax. */
#define BLOCK(width)                                                                                                   \
    MEMORY const width* block = (MEMORY const width*)values + PLACE(value);                                            \
    const u64 left = p.place.length - ALONG;                                                                           \
    const u64 count = left < p.place.block ? left : p.place.block;                                                     \
    u32 amax = 0;                                                                                                      \
    for (u64 i = 0; i < count; ++i) {                                                                                  \
        const u32 value = counted(block[i * p.place.stride], p);                                                       \
        amax = value > amax ? value : amax;                                                                            \
    }                                                                                                                  \
    const u32 scale = scale_of(amax, p);                                                                               \
    ((MEMORY u8*)scales)[PLACE(scale)] = (u8)scale;

#define SCALE(width)                                                                                                   \
    KERNEL(scale_##width) {                                                                                            \
        if (OUTSIDE) return;                                                                                           \
        BLOCK(width)                                                                                                   \
    }
SCALE(u32)
SCALE(u16)

/* The scale and, while the values are still near, the elements under it. */
#define QUANTIZE(width)                                                                                                \
    KERNEL(quantize_##width) {                                                                                         \
        if (OUTSIDE) return;                                                                                           \
        BLOCK(width)                                                                                                   \
        MEMORY u8* elements = (MEMORY u8*)result + PLACE(value);                                                       \
        for (u64 i = 0; i < count; ++i)                                                                                \
            elements[i * p.place.stride] = (u8)encode_scaled(block[i * p.place.stride], scale, p);                     \
    }
QUANTIZE(u32)
QUANTIZE(u16)

#endif
