/* SPDX-License-Identifier: Apache-2.0
 * INT8 from the wider formats and to them. Every value fits, so nothing is rounded on the way back. */
#include "int8.h"
#include "narrow.h"

#define KERNELS_FROM(prefix, in_type, convert, value)                                                                  \
    PORTABLE_KERNEL(prefix##_int8_ne_sat, in_type, uint8_t, convert(value, NEAREST))                                   \
    PORTABLE_KERNEL(prefix##_int8_tz_sat, in_type, uint8_t, convert(value, TOWARD_ZERO))
KERNELS_FROM(portable_fp32, float, int8_from_float, x)
KERNELS_FROM(portable_fp16, uint16_t, int8_from_float, half_to_float(x))
KERNELS_FROM(portable_bf16, uint16_t, int8_from_float, bf16_to_float(x))
KERNELS_FROM(portable_fp64, double, int8_from_double, x)

PORTABLE_KERNEL(portable_int8_fp32, uint8_t, float, int8_value(x))
PORTABLE_KERNEL(portable_int8_fp16, uint8_t, uint16_t, half_from_float(int8_value(x)))
PORTABLE_KERNEL(portable_int8_bf16, uint8_t, uint16_t, float_bits(int8_value(x)) >> 16)
PORTABLE_KERNEL(portable_int8_fp64, uint8_t, double, (double)int8_value(x))
