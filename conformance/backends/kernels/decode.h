/* SPDX-License-Identifier: Apache-2.0
 * E4M3 and E5M2 times a scale, to wider formats. What has no scale of its own gets that of 1; a scale alone is an
 * element of 1 times it. */
#ifndef MXCERT_KERNELS_DECODE_H
#define MXCERT_KERNELS_DECODE_H

DEVICE u32 decode(const u32 bits, const u32 scale, const parameters p) {
    const u32 magnitude = bits & p.from.magnitude;
    const number n = unpack(magnitude, p.from);
    const i32 binade = n.exponent + ((i32)scale - SCALE_BIAS) + p.to.bias;
    const u32 code = magnitude_of(n.significand, TOP, binade, p.to, p.round);
    return finished(bits, n.significand == 0 ? 0 : code, scale == SCALE_NAN, p);
}

/* To FP64, which holds every product exactly as a normal number. */
DEVICE u64 decode_u64_of(const u32 bits, const u32 scale, const parameters p) {
    const u32 magnitude = bits & p.from.magnitude;
    const number n = unpack(magnitude, p.from);
    const u64 field = (u64)(n.exponent + (i32)scale - SCALE_BIAS + 1023);
    const u64 fraction = (u64)(n.significand & ((1u << TOP) - 1u)) << (52 - TOP);
    const u64 finite = n.significand == 0 ? 0 : field << 52 | fraction;
    const u64 sign = (u64)(bits >> p.from.sign_bit & 1u) << 63;
    const u32 is_nan = magnitude > p.from.largest && magnitude != p.from.infinity ? 1u : 0u;
    const u64 code = magnitude > p.from.largest ? (u64)0x7FF << 52 : finite;
    return is_nan || scale == SCALE_NAN ? (u64)0xFFF << 51 : code | sign;
}

#define decode_u32_of decode
#define decode_u16_of decode

#define DECODE(width)                                                                                                  \
    KERNEL(decode_##width) {                                                                                           \
        if (OUTSIDE || ALONG >= p.place.length) return;                                                                \
        ((MEMORY width*)result)[PLACE(result)] = (width)decode_##width##_of(                                           \
            ((MEMORY const u8*)values)[PLACE(value)], ((MEMORY const u8*)scales)[PLACE(scale)], p);                    \
    }
DECODE(u64)
DECODE(u32)
DECODE(u16)

#endif
