/* SPDX-License-Identifier: Apache-2.0
 * E4M3 and E5M2 to wider formats. Every value fits, so nothing is rounded; NaN becomes the all-ones NaN without sign.
 */
#include "fp8_decode.h"

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

PORTABLE_KERNEL(portable_e4m3_fp32, uint8_t, float, bits_float(e4m3_float_bits(x)))
PORTABLE_KERNEL(portable_e4m3_fp16, uint8_t, uint16_t, e4m3_half(x))
PORTABLE_KERNEL(portable_e4m3_bf16, uint8_t, uint16_t, e4m3_float_bits(x) >> 16)
PORTABLE_KERNEL(portable_e4m3_fp64, uint8_t, double, float_bits_to_double(e4m3_float_bits(x)))

PORTABLE_KERNEL(portable_e5m2_fp32, uint8_t, float, bits_float(e5m2_float_bits(x)))
PORTABLE_KERNEL(portable_e5m2_fp16, uint8_t, uint16_t, e5m2_half(x))
PORTABLE_KERNEL(portable_e5m2_bf16, uint8_t, uint16_t, e5m2_float_bits(x) >> 16)
PORTABLE_KERNEL(portable_e5m2_fp64, uint8_t, double, float_bits_to_double(e5m2_float_bits(x)))
