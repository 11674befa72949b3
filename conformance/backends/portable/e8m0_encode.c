/* SPDX-License-Identifier: Apache-2.0
 * To E8M0, a power of two without sign: |x| rounded, zero to the smallest scale, NaN to 0xFF. */
#include "e8m0_encode.h"

static inline uint8_t e8m0_from_double(double x, int rounding, int overflow) {
    const int64_t a = (int64_t)(double_bits(x) & 0x7FFFFFFFFFFFFFFFu);
    const int64_t fraction = a & 0x000FFFFFFFFFFFFF;
    int64_t code = (a >> 52) - (1023 - 127);
    if (rounding == UP) code += fraction != 0;
    if (rounding == NEAREST_AWAY) code += fraction >= 0x0008000000000000;
    /* Below 2^-127 there is nothing to round to; what would round up to it becomes the same code. */
    code = code < 0 ? 0 : code;
    /* Truncation stops at the largest scale; only Inf itself goes further. */
    const int64_t beyond = overflow == SAT || (rounding == TOWARD_ZERO && a < 0x7FF0000000000000) ? LARGEST : NAN_CODE;
    code = code > LARGEST ? beyond : code;
    return (uint8_t)(a > 0x7FF0000000000000 ? NAN_CODE : code);
}

#define E8M0_KERNELS(prefix, in_type, convert, value)                                                                  \
    PORTABLE_KERNEL(prefix##_e8m0_tz_sat, in_type, uint8_t, convert(value, TOWARD_ZERO, SAT))                          \
    PORTABLE_KERNEL(prefix##_e8m0_tz_nosat, in_type, uint8_t, convert(value, TOWARD_ZERO, NOSAT))                      \
    PORTABLE_KERNEL(prefix##_e8m0_up_sat, in_type, uint8_t, convert(value, UP, SAT))                                   \
    PORTABLE_KERNEL(prefix##_e8m0_up_nosat, in_type, uint8_t, convert(value, UP, NOSAT))                               \
    PORTABLE_KERNEL(prefix##_e8m0_na_sat, in_type, uint8_t, convert(value, NEAREST_AWAY, SAT))                         \
    PORTABLE_KERNEL(prefix##_e8m0_na_nosat, in_type, uint8_t, convert(value, NEAREST_AWAY, NOSAT))

E8M0_KERNELS(portable_fp32, float, e8m0_from_float, x)
E8M0_KERNELS(portable_fp16, uint16_t, e8m0_from_float, half_to_float(x))
E8M0_KERNELS(portable_bf16, uint16_t, e8m0_from_float, bf16_to_float(x))
E8M0_KERNELS(portable_fp64, double, e8m0_from_double, x)
