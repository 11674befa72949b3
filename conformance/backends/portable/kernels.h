/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MXCERT_PORTABLE_KERNELS_H
#define MXCERT_PORTABLE_KERNELS_H

#include <stdint.h>
#include <string.h>

/* Converts `count` values. The types of the buffers are those that the name says. */
typedef void portable_kernel(const void* input, void* output, uint64_t count);

/* The same with the E8M0 scale of all of them. */
typedef void portable_scaled_kernel(const void* input, void* output, uint64_t count, uint8_t scale);

/* The same with random bits, `bits` of them in the low bits of a word for each value. */
typedef void portable_random_kernel(const void* input, const uint32_t* random, unsigned bits, void* output,
                                    uint64_t count);

/* stochastic.c: truncation after the random bits were added. */
portable_random_kernel portable_fp32_e4m3_random_sat, portable_fp32_e4m3_random_nosat, portable_fp32_e5m2_random_sat,
    portable_fp32_e5m2_random_nosat, portable_fp32_e2m1_random_sat;

/* fp8_encode.c: nearest_even and toward_zero, saturating and not. */
portable_kernel portable_fp32_e4m3_ne_sat, portable_fp32_e4m3_ne_nosat, portable_fp32_e4m3_tz_sat,
    portable_fp32_e4m3_tz_nosat, portable_fp32_e5m2_ne_sat, portable_fp32_e5m2_ne_nosat, portable_fp32_e5m2_tz_sat,
    portable_fp32_e5m2_tz_nosat;
portable_kernel portable_fp16_e4m3_ne_sat, portable_fp16_e4m3_ne_nosat, portable_fp16_e4m3_tz_sat,
    portable_fp16_e4m3_tz_nosat, portable_fp16_e5m2_ne_sat, portable_fp16_e5m2_ne_nosat, portable_fp16_e5m2_tz_sat,
    portable_fp16_e5m2_tz_nosat;
portable_kernel portable_bf16_e4m3_ne_sat, portable_bf16_e4m3_ne_nosat, portable_bf16_e4m3_tz_sat,
    portable_bf16_e4m3_tz_nosat, portable_bf16_e5m2_ne_sat, portable_bf16_e5m2_ne_nosat, portable_bf16_e5m2_tz_sat,
    portable_bf16_e5m2_tz_nosat;
portable_kernel portable_fp64_e4m3_ne_sat, portable_fp64_e4m3_ne_nosat, portable_fp64_e4m3_tz_sat,
    portable_fp64_e4m3_tz_nosat, portable_fp64_e5m2_ne_sat, portable_fp64_e5m2_ne_nosat, portable_fp64_e5m2_tz_sat,
    portable_fp64_e5m2_tz_nosat;

/* e8m0_encode.c: toward_zero, up and nearest_away, saturating and not. */
portable_kernel portable_fp32_e8m0_tz_sat, portable_fp32_e8m0_tz_nosat, portable_fp32_e8m0_up_sat,
    portable_fp32_e8m0_up_nosat, portable_fp32_e8m0_na_sat, portable_fp32_e8m0_na_nosat;
portable_kernel portable_fp16_e8m0_tz_sat, portable_fp16_e8m0_tz_nosat, portable_fp16_e8m0_up_sat,
    portable_fp16_e8m0_up_nosat, portable_fp16_e8m0_na_sat, portable_fp16_e8m0_na_nosat;
portable_kernel portable_bf16_e8m0_tz_sat, portable_bf16_e8m0_tz_nosat, portable_bf16_e8m0_up_sat,
    portable_bf16_e8m0_up_nosat, portable_bf16_e8m0_na_sat, portable_bf16_e8m0_na_nosat;
portable_kernel portable_fp64_e8m0_tz_sat, portable_fp64_e8m0_tz_nosat, portable_fp64_e8m0_up_sat,
    portable_fp64_e8m0_up_nosat, portable_fp64_e8m0_na_sat, portable_fp64_e8m0_na_nosat;

/* fp8_decode.c and e8m0_decode.c. */
portable_kernel portable_e4m3_fp32, portable_e4m3_fp16, portable_e4m3_bf16, portable_e4m3_fp64;
portable_kernel portable_e5m2_fp32, portable_e5m2_fp16, portable_e5m2_bf16, portable_e5m2_fp64;
portable_kernel portable_e8m0_fp32, portable_e8m0_fp16, portable_e8m0_bf16, portable_e8m0_fp64;

/* unsigned.c: nearest_even and toward_zero, saturating and not, and back. */
#define PORTABLE_UNSIGNED_FROM(source, element)                                                                        \
    portable_kernel portable_##source##_##element##_ne_sat, portable_##source##_##element##_ne_nosat,                  \
        portable_##source##_##element##_tz_sat, portable_##source##_##element##_tz_nosat;
#define PORTABLE_UNSIGNED(element)                                                                                     \
    PORTABLE_UNSIGNED_FROM(fp32, element)                                                                              \
    PORTABLE_UNSIGNED_FROM(fp16, element)                                                                              \
    PORTABLE_UNSIGNED_FROM(bf16, element)                                                                              \
    PORTABLE_UNSIGNED_FROM(fp64, element)                                                                              \
    portable_kernel portable_##element##_fp32, portable_##element##_fp16, portable_##element##_bf16,                   \
        portable_##element##_fp64;
PORTABLE_UNSIGNED(ue4m3)
PORTABLE_UNSIGNED(ue5m3)

/* fp6_fp4_encode.c and int8.c, nearest_even and toward_zero, and fp6_fp4_decode.c. */
#define PORTABLE_SMALL(element)                                                                                        \
    portable_kernel portable_fp32_##element##_ne_sat, portable_fp32_##element##_tz_sat,                                \
        portable_fp16_##element##_ne_sat, portable_fp16_##element##_tz_sat, portable_bf16_##element##_ne_sat,          \
        portable_bf16_##element##_tz_sat, portable_fp64_##element##_ne_sat, portable_fp64_##element##_tz_sat,          \
        portable_##element##_fp32, portable_##element##_fp16, portable_##element##_bf16, portable_##element##_fp64;
/* scale.c by ocp_floor, quantize.c and dequantize.c of the same elements. */
#define PORTABLE_SMALL_BLOCKS(element)                                                                                 \
    portable_kernel portable_fp32_e8m0_for_##element##_floor_sat, portable_fp16_e8m0_for_##element##_floor_sat,        \
        portable_bf16_e8m0_for_##element##_floor_sat;                                                                  \
    portable_scaled_kernel portable_quantize_fp32_##element##_sat, portable_quantize_fp16_##element##_sat,             \
        portable_quantize_bf16_##element##_sat, portable_dequantize_##element##_fp32,                                  \
        portable_dequantize_##element##_fp16, portable_dequantize_##element##_bf16,                                    \
        portable_dequantize_##element##_fp64;
PORTABLE_SMALL(e3m2)
PORTABLE_SMALL(e2m3)
PORTABLE_SMALL(e2m1)
PORTABLE_SMALL(int8)
PORTABLE_SMALL_BLOCKS(e3m2)
PORTABLE_SMALL_BLOCKS(e2m3)
PORTABLE_SMALL_BLOCKS(e2m1)
PORTABLE_SMALL_BLOCKS(int8)

/* scale.c: an amax to the scale of its block, by the rules ocp_floor and rceil. */
portable_kernel portable_fp32_e8m0_for_e4m3_floor_sat, portable_fp32_e8m0_for_e4m3_floor_nosat,
    portable_fp32_e8m0_for_e4m3_rceil_sat, portable_fp32_e8m0_for_e5m2_floor_sat,
    portable_fp32_e8m0_for_e5m2_floor_nosat, portable_fp32_e8m0_for_e5m2_rceil_sat;
portable_kernel portable_fp16_e8m0_for_e4m3_floor_sat, portable_fp16_e8m0_for_e4m3_floor_nosat,
    portable_fp16_e8m0_for_e4m3_rceil_sat, portable_fp16_e8m0_for_e5m2_floor_sat,
    portable_fp16_e8m0_for_e5m2_floor_nosat, portable_fp16_e8m0_for_e5m2_rceil_sat;
portable_kernel portable_bf16_e8m0_for_e4m3_floor_sat, portable_bf16_e8m0_for_e4m3_floor_nosat,
    portable_bf16_e8m0_for_e4m3_rceil_sat, portable_bf16_e8m0_for_e5m2_floor_sat,
    portable_bf16_e8m0_for_e5m2_floor_nosat, portable_bf16_e8m0_for_e5m2_rceil_sat;

/* quantize.c: values to elements, by the inverse of the scale; nearest_even. */
portable_scaled_kernel portable_quantize_fp32_e4m3_sat, portable_quantize_fp32_e4m3_nosat,
    portable_quantize_fp32_e5m2_sat, portable_quantize_fp32_e5m2_nosat;
portable_scaled_kernel portable_quantize_fp16_e4m3_sat, portable_quantize_fp16_e4m3_nosat,
    portable_quantize_fp16_e5m2_sat, portable_quantize_fp16_e5m2_nosat;
portable_scaled_kernel portable_quantize_bf16_e4m3_sat, portable_quantize_bf16_e4m3_nosat,
    portable_quantize_bf16_e5m2_sat, portable_quantize_bf16_e5m2_nosat;

/* dequantize.c: elements times their scale. */
portable_scaled_kernel portable_dequantize_e4m3_fp32, portable_dequantize_e4m3_fp16, portable_dequantize_e4m3_bf16,
    portable_dequantize_e4m3_fp64;
portable_scaled_kernel portable_dequantize_e5m2_fp32, portable_dequantize_e5m2_fp16, portable_dequantize_e5m2_bf16,
    portable_dequantize_e5m2_fp64;

static inline uint32_t float_bits(float x) {
    uint32_t u;
    memcpy(&u, &x, sizeof u);
    return u;
}
static inline float bits_float(uint32_t u) {
    float x;
    memcpy(&x, &u, sizeof x);
    return x;
}
static inline uint64_t double_bits(double x) {
    uint64_t u;
    memcpy(&u, &x, sizeof u);
    return u;
}
static inline double bits_double(uint64_t u) {
    double x;
    memcpy(&x, &u, sizeof x);
    return x;
}

/* The wider formats as float, exactly. */
static inline float half_to_float(uint16_t h) {
    const uint32_t magnitude = (uint32_t)(h & 0x7FFFu) << 13;
    const uint32_t sign = (uint32_t)(h & 0x8000u) << 16;
    /* A subnormal half gets an exponent and one unit too many, which the subtraction takes away exactly. */
    const uint32_t normal = magnitude + (112u << 23);
    const uint32_t subnormal = float_bits(bits_float(magnitude + (113u << 23)) - 0x1p-14f);
    const uint32_t special = magnitude | 0x7F800000u;
    const uint32_t finite = magnitude < 0x00800000u ? subnormal : normal;
    return bits_float((magnitude >= 0x0F800000u ? special : finite) | sign);
}
static inline float bf16_to_float(uint16_t b) { return bits_float((uint32_t)b << 16); }

/* The loop of a kernel: `expression` of each value x. */
#define PORTABLE_LOOP(in_type, out_type, expression)                                                                   \
    const in_type* in = (const in_type*)input;                                                                         \
    out_type* out = (out_type*)output;                                                                                 \
    for (uint64_t i = 0; i < count; ++i) {                                                                             \
        const in_type x = in[i];                                                                                       \
        out[i] = (out_type)(expression);                                                                               \
    }

/* Defines a kernel from a function of one value. */
#define PORTABLE_KERNEL(name, in_type, out_type, expression)                                                           \
    void name(const void* input, void* output, uint64_t count) { PORTABLE_LOOP(in_type, out_type, expression) }

/* The same with what the scale of all values comes to: `factor` in the expression. Of some kernels there are 2^40
 * inputs, so there are two for wider vectors too: the same source, chosen when it runs. PORTABLE_PLAIN leaves it out.
 */
#if defined(__x86_64__) && defined(__GNUC__) && !defined(PORTABLE_PLAIN)
#define PORTABLE_WIDE 1
#endif
#if defined(PORTABLE_WIDE)
#define PORTABLE_SCALED_KERNEL(name, in_type, out_type, factor_type, factor_of_scale, expression)                      \
    static inline __attribute__((always_inline)) void name##_of(const void* input, void* output, uint64_t count,       \
                                                                uint8_t scale) {                                       \
        const factor_type factor = factor_of_scale(scale);                                                             \
        PORTABLE_LOOP(in_type, out_type, expression)                                                                   \
    }                                                                                                                  \
    static void name##_sse2(const void* input, void* output, uint64_t count, uint8_t scale) {                          \
        name##_of(input, output, count, scale);                                                                        \
    }                                                                                                                  \
    __attribute__((target("avx2"))) static void name##_avx2(const void* input, void* output, uint64_t count,           \
                                                            uint8_t scale) {                                           \
        name##_of(input, output, count, scale);                                                                        \
    }                                                                                                                  \
    __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl"))) static void name##_avx512(                           \
        const void* input, void* output, uint64_t count, uint8_t scale) {                                              \
        name##_of(input, output, count, scale);                                                                        \
    }                                                                                                                  \
    void name(const void* input, void* output, uint64_t count, uint8_t scale) {                                        \
        if (__builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq") &&                                \
            __builtin_cpu_supports("avx512bw"))                                                                        \
            name##_avx512(input, output, count, scale);                                                                \
        else if (__builtin_cpu_supports("avx2"))                                                                       \
            name##_avx2(input, output, count, scale);                                                                  \
        else                                                                                                           \
            name##_sse2(input, output, count, scale);                                                                  \
    }
#else
#define PORTABLE_SCALED_KERNEL(name, in_type, out_type, factor_type, factor_of_scale, expression)                      \
    void name(const void* input, void* output, uint64_t count, uint8_t scale) {                                        \
        const factor_type factor = factor_of_scale(scale);                                                             \
        PORTABLE_LOOP(in_type, out_type, expression)                                                                   \
    }
#endif

#endif
