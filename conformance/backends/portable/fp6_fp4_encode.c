/* SPDX-License-Identifier: Apache-2.0
 * To E3M2, E2M3 and E2M1, saturating: a code a byte, in its low bits. */
#include "fp8_encode.h"

#define KERNELS_TO(prefix, in_type, convert, value, element, target)                                                   \
    PORTABLE_KERNEL(prefix##_##element##_ne_sat, in_type, uint8_t, convert(value, target, NEAREST, SAT))               \
    PORTABLE_KERNEL(prefix##_##element##_tz_sat, in_type, uint8_t, convert(value, target, TOWARD_ZERO, SAT))
#define KERNELS_FROM(prefix, in_type, convert, value)                                                                  \
    KERNELS_TO(prefix, in_type, convert, value, e3m2, E3M2)                                                            \
    KERNELS_TO(prefix, in_type, convert, value, e2m3, E2M3)                                                            \
    KERNELS_TO(prefix, in_type, convert, value, e2m1, E2M1)
KERNELS_FROM(portable_fp32, float, fp8_from_float, x)
KERNELS_FROM(portable_fp16, uint16_t, fp8_from_float, half_to_float(x))
KERNELS_FROM(portable_bf16, uint16_t, fp8_from_float, bf16_to_float(x))
KERNELS_FROM(portable_fp64, double, fp8_from_double, x)
