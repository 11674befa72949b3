/* SPDX-License-Identifier: Apache-2.0
 * Elements times their scale. A product has at most seven bits and is exact in float, subnormal floats too; beyond the
 * largest float it becomes Inf. */
#include "e8m0_decode.h"
#include "fp6_fp4_decode.h"
#include "fp8_decode.h"
#include "int8.h"
#include "narrow.h"

static inline float scale_of(uint8_t scale) { return bits_float(e8m0_float_bits(scale)); }

static inline uint32_t e3m2_float_bits(uint8_t code) { return float_bits(small_value(code, E3M2)); }
static inline uint32_t e2m3_float_bits(uint8_t code) { return float_bits(small_value(code, E2M3)); }
static inline uint32_t e2m1_float_bits(uint8_t code) { return float_bits(small_value(code, E2M1)); }
static inline uint32_t int8_float_bits(uint8_t code) { return float_bits(int8_value(code)); }

#define DEQUANTIZE(source)                                                                                             \
    PORTABLE_SCALED_KERNEL(portable_dequantize_##source##_fp32, uint8_t, float, float, scale_of,                       \
                           bits_float(source##_float_bits(x)) * factor)                                                \
    PORTABLE_SCALED_KERNEL(portable_dequantize_##source##_fp16, uint8_t, uint16_t, float, scale_of,                    \
                           half_from_float(bits_float(source##_float_bits(x)) * factor))                               \
    PORTABLE_SCALED_KERNEL(portable_dequantize_##source##_bf16, uint8_t, uint16_t, float, scale_of,                    \
                           bf16_from_float(bits_float(source##_float_bits(x)) * factor))                               \
    PORTABLE_SCALED_KERNEL(portable_dequantize_##source##_fp64, uint8_t, double, double, e8m0_double,                  \
                           float_bits_to_double(source##_float_bits(x)) * factor)

DEQUANTIZE(e4m3)
DEQUANTIZE(e5m2)
DEQUANTIZE(e3m2)
DEQUANTIZE(e2m3)
DEQUANTIZE(e2m1)
DEQUANTIZE(int8)
