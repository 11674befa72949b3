/* SPDX-License-Identifier: Apache-2.0
 * float -> E4M3, E5M2 and the elements of six and four bits without branches, so that a loop over it becomes vector
 * code. */
#ifndef MXCERT_PORTABLE_FP8_ENCODE_H
#define MXCERT_PORTABLE_FP8_ENCODE_H

#include "kernels.h"

enum { TOWARD_ZERO = 0, NEAREST = 1 };
enum { NOSAT = 0, SAT = 1 };

/* What tells the targets apart. `unit` is the smallest subnormal. */
typedef struct {
    int fraction_bits;
    int bias;
    int32_t max_code;
    int32_t overflow_code;
    int32_t nan_code;
    int sign_bit; /* its number */
    double unit;
} fp8_target;

/* Not variables: a compiler folds literals into the code, and need not do so with objects. */
#define E4M3 ((fp8_target){3, 7, 0x7E, 0x7F, 0x7F, 7, 0x1p-9})
#define E5M2 ((fp8_target){2, 15, 0x7B, 0x7C, 0x7F, 7, 0x1p-16})
/* Neither Inf nor NaN: the largest magnitude for both, without a sign for NaN. */
#define E3M2 ((fp8_target){2, 3, 0x1F, 0x1F, 0x1F, 5, 0x1p-4})
#define E2M3 ((fp8_target){3, 1, 0x1F, 0x1F, 0x1F, 5, 0x1p-3})
#define E2M1 ((fp8_target){1, 1, 0x07, 0x07, 0x07, 3, 0x1p-1})

static inline uint8_t fp8_finish(int32_t code, int is_inf, int is_nan, uint32_t sign, fp8_target t, int rounding,
                                 int overflow) {
    /* Truncation stops at the largest finite value; only Inf itself goes further. */
    const int32_t beyond = overflow == SAT ? t.max_code : t.overflow_code;
    if (rounding == NEAREST) {
        code = code > t.max_code ? beyond : code;
    } else {
        code = code > t.max_code ? t.max_code : code;
        code = is_inf ? beyond : code;
    }
    return (uint8_t)(is_nan ? t.nan_code : code | (int32_t)(sign << t.sign_bit));
}

static inline uint8_t fp8_from_float(float x, fp8_target t, int rounding, int overflow) {
    const uint32_t u = float_bits(x);
    const int32_t a = (int32_t)(u & 0x7FFFFFFFu);
    const int drop = 23 - t.fraction_bits;
    const int32_t rebias = (127 - t.bias) << t.fraction_bits;
    const int is_subnormal = a < (128 - t.bias) << 23;
    int32_t normal;
    int32_t subnormal;
    if (rounding == NEAREST) {
        /* Just under half of what is dropped, and the last bit kept: a tie goes up only from an odd code. */
        const uint32_t bits = (uint32_t)a;
        normal = (int32_t)((bits + ((1u << (drop - 1)) - 1u) + ((bits >> drop) & 1u)) >> drop) - rebias;
        /* The unit in the last place of `magic` is that of the target's subnormals, so the addition rounds. */
        const float magic = (float)(t.unit * 0x1p23);
        subnormal = (int32_t)(float_bits(bits_float((uint32_t)a) + magic) - float_bits(magic));
    } else {
        normal = (a >> drop) - rebias;
        /* Scaled up exactly; the conversion cuts the fraction. Larger values must not reach it: they may not fit. */
        const float small = is_subnormal ? bits_float((uint32_t)a) : 0.0f;
        subnormal = (int32_t)(small * (float)(1.0 / t.unit));
    }
    return fp8_finish(is_subnormal ? subnormal : normal, a == 0x7F800000, a > 0x7F800000, u >> 31, t, rounding,
                      overflow);
}

/* The same steps in double, not through float: that would round twice. */
static inline uint8_t fp8_from_double(double x, fp8_target t, int rounding, int overflow) {
    const uint64_t u = double_bits(x);
    const int64_t a = (int64_t)(u & 0x7FFFFFFFFFFFFFFFu);
    const int drop = 52 - t.fraction_bits;
    const int64_t rebias = (int64_t)(1023 - t.bias) << t.fraction_bits;
    const int is_subnormal = a < (int64_t)(1024 - t.bias) << 52;
    int64_t normal;
    int64_t subnormal;
    if (rounding == NEAREST) {
        const uint64_t bits = (uint64_t)a;
        normal = (int64_t)((bits + (((uint64_t)1 << (drop - 1)) - 1u) + ((bits >> drop) & 1u)) >> drop) - rebias;
        const double magic = t.unit * 0x1p52;
        subnormal = (int64_t)(double_bits(bits_double((uint64_t)a) + magic) - double_bits(magic));
    } else {
        normal = (a >> drop) - rebias;
        const double small = is_subnormal ? bits_double((uint64_t)a) : 0.0;
        subnormal = (int64_t)(small * (1.0 / t.unit));
    }
    /* Codes of normal values reach 2^13 here, which is beyond every limit and still fits. */
    return fp8_finish((int32_t)(is_subnormal ? subnormal : normal), a == 0x7FF0000000000000, a > 0x7FF0000000000000,
                      (uint32_t)(u >> 63), t, rounding, overflow);
}

/* The eight kernels of a source: PREFIX_e4m3_ne_sat and so on. `convert` is fp8_from_float or fp8_from_double, `value`
 * the input x as its argument. */
#define FP8_KERNELS(prefix, in_type, convert, value)                                                                   \
    PORTABLE_KERNEL(prefix##_e4m3_ne_sat, in_type, uint8_t, convert(value, E4M3, NEAREST, SAT))                        \
    PORTABLE_KERNEL(prefix##_e4m3_ne_nosat, in_type, uint8_t, convert(value, E4M3, NEAREST, NOSAT))                    \
    PORTABLE_KERNEL(prefix##_e4m3_tz_sat, in_type, uint8_t, convert(value, E4M3, TOWARD_ZERO, SAT))                    \
    PORTABLE_KERNEL(prefix##_e4m3_tz_nosat, in_type, uint8_t, convert(value, E4M3, TOWARD_ZERO, NOSAT))                \
    PORTABLE_KERNEL(prefix##_e5m2_ne_sat, in_type, uint8_t, convert(value, E5M2, NEAREST, SAT))                        \
    PORTABLE_KERNEL(prefix##_e5m2_ne_nosat, in_type, uint8_t, convert(value, E5M2, NEAREST, NOSAT))                    \
    PORTABLE_KERNEL(prefix##_e5m2_tz_sat, in_type, uint8_t, convert(value, E5M2, TOWARD_ZERO, SAT))                    \
    PORTABLE_KERNEL(prefix##_e5m2_tz_nosat, in_type, uint8_t, convert(value, E5M2, TOWARD_ZERO, NOSAT))

#endif
