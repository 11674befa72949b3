/* SPDX-License-Identifier: Apache-2.0
 * E3M2, E2M3 and E2M1 to wider formats. Every value fits, so nothing is rounded. */
#include "fp6_fp4_decode.h"
#include "narrow.h"

#define KERNELS_OF(element, target)                                                                                    \
    PORTABLE_KERNEL(portable_##element##_fp32, uint8_t, float, small_value(x, target))                                 \
    PORTABLE_KERNEL(portable_##element##_fp16, uint8_t, uint16_t, half_from_float(small_value(x, target)))             \
    PORTABLE_KERNEL(portable_##element##_bf16, uint8_t, uint16_t, float_bits(small_value(x, target)) >> 16)            \
    PORTABLE_KERNEL(portable_##element##_fp64, uint8_t, double, (double)small_value(x, target))
KERNELS_OF(e3m2, E3M2)
KERNELS_OF(e2m3, E2M3)
KERNELS_OF(e2m1, E2M1)
