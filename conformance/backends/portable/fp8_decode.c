/* SPDX-License-Identifier: Apache-2.0
 * E4M3 and E5M2 to wider formats. Every value fits, so nothing is rounded; NaN becomes the all-ones NaN without sign.
 */
#include "portable.h"

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

/* The values of E4M3 are normal in FP16, zero apart: a shift and another bias. */
static inline uint16_t e4m3_half(uint8_t code) {
    const uint32_t u = e4m3_float_bits(code);
    const uint32_t magnitude = (u & 0x7FFFFFFFu) >> 13;
    const uint32_t finite = magnitude == 0 ? 0 : magnitude - (112u << 10);
    return (uint16_t)((code & 0x7Fu) == 0x7Fu ? 0x7FFFu : finite | ((u >> 16) & 0x8000u));
}

/* E5M2 is the upper half of FP16. */
static inline uint16_t e5m2_half(uint8_t code) {
    return (uint16_t)((code & 0x7Fu) > 0x7Cu ? 0x7FFFu : (uint32_t)code << 8);
}

static inline double float_bits_to_double(uint32_t u) {
    return u == 0x7FFFFFFFu ? bits_double(0x7FFFFFFFFFFFFFFFu) : (double)bits_float(u);
}

PORTABLE_KERNEL(portable_e4m3_fp32, uint8_t, float, bits_float(e4m3_float_bits(x)))
PORTABLE_KERNEL(portable_e4m3_fp16, uint8_t, uint16_t, e4m3_half(x))
PORTABLE_KERNEL(portable_e4m3_bf16, uint8_t, uint16_t, e4m3_float_bits(x) >> 16)
PORTABLE_KERNEL(portable_e4m3_fp64, uint8_t, double, float_bits_to_double(e4m3_float_bits(x)))

PORTABLE_KERNEL(portable_e5m2_fp32, uint8_t, float, bits_float(e5m2_float_bits(x)))
PORTABLE_KERNEL(portable_e5m2_fp16, uint8_t, uint16_t, e5m2_half(x))
PORTABLE_KERNEL(portable_e5m2_bf16, uint8_t, uint16_t, e5m2_float_bits(x) >> 16)
PORTABLE_KERNEL(portable_e5m2_fp64, uint8_t, double, float_bits_to_double(e5m2_float_bits(x)))
