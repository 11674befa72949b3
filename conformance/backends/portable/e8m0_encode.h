/* SPDX-License-Identifier: Apache-2.0
 * A float to E8M0, for the kernels that end in one. */
#ifndef MXCERT_PORTABLE_E8M0_ENCODE_H
#define MXCERT_PORTABLE_E8M0_ENCODE_H

#include "kernels.h"

enum { TOWARD_ZERO, UP, NEAREST_AWAY };
enum { NOSAT = 0, SAT = 1 };

/* 2^127, and the NaN above it. */
enum { LARGEST = 0xFE, NAN_CODE = 0xFF };

static inline uint8_t e8m0_from_float(float x, int rounding, int overflow) {
    const int32_t a = (int32_t)(float_bits(x) & 0x7FFFFFFFu);
    const int32_t exponent = a >> 23;
    const int32_t fraction = a & 0x007FFFFF;
    /* Exponent field 0 is 2^-127 here, half-way up the subnormals of a float. */
    const int32_t exact = exponent == 0 ? 0x00400000 : 0;
    int32_t code = exponent;
    if (rounding == UP) code += fraction > exact;
    if (rounding == NEAREST_AWAY) code += fraction >= exact + (exponent == 0 ? 0x00200000 : 0x00400000);
    const int32_t beyond = overflow == SAT ? LARGEST : NAN_CODE;
    code = code > LARGEST ? beyond : code;
    return (uint8_t)(a > 0x7F800000 ? NAN_CODE : code);
}

#endif
