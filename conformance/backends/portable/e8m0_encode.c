/* SPDX-License-Identifier: Apache-2.0
 * To E8M0, a power of two without sign: |x| rounded, zero to the smallest scale, NaN to 0xFF. */
#include "portable.h"

enum { TOWARD_ZERO, UP, NEAREST_AWAY };
enum { NOSAT = 0, SAT = 1 };

/* 2^127, and the NaN above it. */
enum { LARGEST = 0xFE, NAN_CODE = 0xFF };

static inline uint8_t e8m0_from_float(float x, int rounding, int overflow) {
    const int32_t a = (int32_t)(float_bits(x) & 0x7FFFFFFFu);
    const int32_t exponent = a >> 23;
    const int32_t fraction = a & 0x007FFFFF;
    /* Exponent field 0 is 2^-127 here, half-way up the subnormals of a float. */
    const int32_t exact = exponent == 0 ? 0x00400000 : 0;
    int32_t code = exponent;
    if (rounding == UP) code += fraction > exact;
    if (rounding == NEAREST_AWAY) code += fraction >= exact + (exponent == 0 ? 0x00200000 : 0x00400000);
    const int32_t beyond = overflow == SAT ? LARGEST : NAN_CODE;
    code = code > LARGEST ? beyond : code;
    return (uint8_t)(a > 0x7F800000 ? NAN_CODE : code);
}

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
