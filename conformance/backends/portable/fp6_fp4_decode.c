/* SPDX-License-Identifier: Apache-2.0
 * E3M2, E2M3 and E2M1 to wider formats. Every value fits, so nothing is rounded. */
#include "narrow.h"

static inline float small_value(uint8_t code, int sign_bit, int fraction_bits, int bias) {
    const uint32_t magnitude = code & ((1u << sign_bit) - 1u);
    const uint32_t sign = (uint32_t)(code >> sign_bit) << 31;
    const uint32_t normal = (magnitude << (23 - fraction_bits)) + ((uint32_t)(127 - bias) << 23);
    /* The unit of subnormals is 2^(1 - bias - fraction_bits). */
    const float unit = bits_float((uint32_t)(128 - bias - fraction_bits) << 23);
    const uint32_t subnormal = float_bits((float)magnitude * unit);
    return bits_float((magnitude >> fraction_bits == 0 ? subnormal : normal) | sign);
}

#define KERNELS_OF(element, ...)                                                                                       \
    PORTABLE_KERNEL(portable_##element##_fp32, uint8_t, float, small_value(x, __VA_ARGS__))                            \
    PORTABLE_KERNEL(portable_##element##_fp16, uint8_t, uint16_t, half_from_float(small_value(x, __VA_ARGS__)))        \
    PORTABLE_KERNEL(portable_##element##_bf16, uint8_t, uint16_t, float_bits(small_value(x, __VA_ARGS__)) >> 16)       \
    PORTABLE_KERNEL(portable_##element##_fp64, uint8_t, double, (double)small_value(x, __VA_ARGS__))
KERNELS_OF(e3m2, 5, 2, 3)
KERNELS_OF(e2m3, 5, 3, 1)
KERNELS_OF(e2m1, 3, 1, 1)
