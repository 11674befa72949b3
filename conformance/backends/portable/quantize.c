/* SPDX-License-Identifier: Apache-2.0
 * Values to elements with a given scale: times its inverse in float, which is exact unless the product leaves the range
 * of a float, and that is far below the smallest element or beyond the largest. */
#include "e8m0_decode.h"
#include "fp8_encode.h"
#include "int8.h"

typedef struct {
    float inverse;
    uint32_t least; /* bits of a magnitude: smaller ones give zero */
} scaling;

/* 2^(127 - code) as a float: the code of the inverse is 254 less that of the scale. NaN stays NaN. */
static inline scaling scaling_of(uint8_t scale) {
    const float inverse = bits_float(e8m0_float_bits(scale == 0xFFu ? scale : (uint8_t)(0xFEu - scale)));
    return (scaling){inverse, scale > 40u ? (uint32_t)(scale - 40u) << 23 : 0u};
}

/* Products far below the smallest element are zero: a processor takes a hundred cycles for one that is a subnormal
 * float. */
static inline float scaled(float x, scaling by) {
    const uint32_t u = float_bits(x);
    return bits_float((u & 0x7FFFFFFFu) < by.least ? u & 0x80000000u : u) * by.inverse;
}

#define QUANTIZE_SMALL(source, in_type, value, element, target)                                                        \
    PORTABLE_SCALED_KERNEL(portable_quantize_##source##_##element##_sat, in_type, uint8_t, scaling, scaling_of,        \
                           fp8_from_float(scaled(value, factor), target, NEAREST, SAT))
#define QUANTIZE(source, in_type, value)                                                                               \
    PORTABLE_SCALED_KERNEL(portable_quantize_##source##_e4m3_sat, in_type, uint8_t, scaling, scaling_of,               \
                           fp8_from_float(scaled(value, factor), E4M3, NEAREST, SAT))                                  \
    PORTABLE_SCALED_KERNEL(portable_quantize_##source##_e4m3_nosat, in_type, uint8_t, scaling, scaling_of,             \
                           fp8_from_float(scaled(value, factor), E4M3, NEAREST, NOSAT))                                \
    PORTABLE_SCALED_KERNEL(portable_quantize_##source##_e5m2_sat, in_type, uint8_t, scaling, scaling_of,               \
                           fp8_from_float(scaled(value, factor), E5M2, NEAREST, SAT))                                  \
    PORTABLE_SCALED_KERNEL(portable_quantize_##source##_e5m2_nosat, in_type, uint8_t, scaling, scaling_of,             \
                           fp8_from_float(scaled(value, factor), E5M2, NEAREST, NOSAT))                                \
    QUANTIZE_SMALL(source, in_type, value, e3m2, E3M2)                                                                 \
    QUANTIZE_SMALL(source, in_type, value, e2m3, E2M3)                                                                 \
    QUANTIZE_SMALL(source, in_type, value, e2m1, E2M1)                                                                 \
    PORTABLE_SCALED_KERNEL(portable_quantize_##source##_int8_sat, in_type, uint8_t, scaling, scaling_of,               \
                           int8_from_float(scaled(value, factor), NEAREST))

QUANTIZE(fp32, float, x)
QUANTIZE(fp16, uint16_t, half_to_float(x))
QUANTIZE(bf16, uint16_t, bf16_to_float(x))
