/* SPDX-License-Identifier: Apache-2.0
 * E4M3 and E5M2 as float, exactly; NaN becomes the all-ones NaN without sign. */
#ifndef MXCERT_PORTABLE_FP8_DECODE_H
#define MXCERT_PORTABLE_FP8_DECODE_H

#include "kernels.h"

static inline uint32_t e4m3_float_bits(uint8_t code) {
    const uint32_t magnitude = code & 0x7Fu;
    const uint32_t sign = (uint32_t)(code & 0x80u) << 24;
    const uint32_t normal = (magnitude << 20) + (120u << 23);
    const uint32_t subnormal = float_bits((float)magnitude * 0x1p-9f);
    return magnitude == 0x7Fu ? 0x7FFFFFFFu : (magnitude < 8u ? subnormal : normal) | sign;
}

static inline uint32_t e5m2_float_bits(uint8_t code) {
    const uint32_t magnitude = code & 0x7Fu;
    const uint32_t sign = (uint32_t)(code & 0x80u) << 24;
    const uint32_t normal = (magnitude << 21) + (112u << 23);
    const uint32_t subnormal = float_bits((float)magnitude * 0x1p-16f);
    const uint32_t finite = magnitude < 4u ? subnormal : normal;
    return magnitude > 0x7Cu ? 0x7FFFFFFFu : (magnitude == 0x7Cu ? 0x7F800000u : finite) | sign;
}

static inline double float_bits_to_double(uint32_t u) {
    return u == 0x7FFFFFFFu ? bits_double(0x7FFFFFFFFFFFFFFFu) : (double)bits_float(u);
}

#endif
