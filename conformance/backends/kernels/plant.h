/* SPDX-License-Identifier: Apache-2.0
 * Bugs that are planted for tests, to see them found and named. Nothing here happens unless it is asked for when the
 * kernels are compiled. */
#ifndef MXCERT_KERNELS_PLANT_H
#define MXCERT_KERNELS_PLANT_H

#if defined(PLANT_VIA_FP16) || defined(PLANT_CUT_TO_FP16)

/* A number rounded to FP16 first, or cut to it, so that the rounding that follows is the second. */
DEVICE number planted(const number n) {
    const format fp16 = {10, 15, 15, 0x7FFFu, 0x7BFFu, 0x7C00u, 0x7E00u, 0};
#if defined(PLANT_VIA_FP16)
    const rounding narrow = {0xFFFFFFFFu, 0x7C00u, 0x7C00u, 0};
#else
    const rounding narrow = {0, 0x7BFFu, 0x7C00u, 0};
#endif
    const u32 between = n.significand == 0 ? 0 : magnitude_of(n.significand, TOP, n.exponent + fp16.bias, fp16, narrow);
    number beyond = n;
    beyond.exponent = 200;
    return between > fp16.largest ? beyond : unpack(between, fp16);
}

#else

DEVICE number planted(const number n) { return n; }

#endif

#endif
