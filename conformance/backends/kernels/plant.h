/* SPDX-License-Identifier: Apache-2.0
 * Bugs that are planted for tests, to see them found and named. Nothing here happens unless it is asked for when the
 * kernels are compiled. */
#ifndef MXCERT_KERNELS_PLANT_H
#define MXCERT_KERNELS_PLANT_H

#if defined(PLANT_VIA_FP16) || defined(PLANT_CUT_TO_FP16)

/* A magnitude of FP32 rounded to FP16 first, or cut to it, so that the rounding that follows is the second. */
DEVICE u32 planted(const u32 magnitude, const format from) {
    const format fp16 = {10, 15, 15, 0x7FFFu, 0x7BFFu, 0x7C00u, 0x7E00u, 0};
#if defined(PLANT_VIA_FP16)
    const rounding narrow = {0xFFFFFFFFu, 0x7C00u, 0x7C00u, 0};
#else
    const rounding narrow = {0, 0x7BFFu, 0x7C00u, 0};
#endif
    const rounding exact = {0, 0, 0, 0};
    if (from.fraction_bits != 23 || magnitude > from.largest) return magnitude;
    const number n = unpack(magnitude, from);
    const u32 between = magnitude_of(n.significand, TOP, n.exponent + fp16.bias, fp16, narrow);
    if (between > fp16.largest) return from.infinity;
    const number m = unpack(between, fp16);
    return m.significand == 0 ? 0 : magnitude_of(m.significand, TOP, m.exponent + from.bias, from, exact);
}

#else

#define planted(magnitude, from) (magnitude)

#endif

#endif
