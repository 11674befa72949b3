/* SPDX-License-Identifier: Apache-2.0
 * The E8M0 scale of a block from its amax: the rule of the MX specification, and NVIDIA's in float arithmetic as
 * Transformer Engine has it. NaN gives 0xFF; an infinite amax 0xFE saturating, else 0xFF. */
#include "e8m0_encode.h"

enum { E4M3_EMAX = 8, E5M2_EMAX = 15, E3M2_EMAX = 4, E2M3_EMAX = 2, E2M1_EMAX = 2, INT8_EMAX = 0 };

/* The exponent of the amax, lowered by that of the largest element. Subnormals are far below the smallest scale. */
static inline uint8_t scale_floor(float amax, int emax, int overflow) {
    const int32_t bits = (int32_t)float_bits(amax);
    const int32_t code = (bits >> 23) - emax;
    const int32_t inf = overflow == SAT ? LARGEST : NAN_CODE;
    const int32_t number = bits == 0x7F800000 ? inf : code < 0 ? 0 : code;
    return (uint8_t)(bits > 0x7F800000 ? NAN_CODE : number);
}

/* The smallest power of two not below amax / max. */
static inline uint8_t scale_rceil(float amax, float reciprocal_of_max) {
    return e8m0_from_float(amax * reciprocal_of_max, UP, SAT);
}

#define SCALE_KERNELS(prefix, in_type, value)                                                                          \
    PORTABLE_KERNEL(prefix##_e8m0_for_e4m3_floor_sat, in_type, uint8_t, scale_floor(value, E4M3_EMAX, SAT))            \
    PORTABLE_KERNEL(prefix##_e8m0_for_e4m3_floor_nosat, in_type, uint8_t, scale_floor(value, E4M3_EMAX, NOSAT))        \
    PORTABLE_KERNEL(prefix##_e8m0_for_e4m3_rceil_sat, in_type, uint8_t, scale_rceil(value, 1.0f / 448.0f))             \
    PORTABLE_KERNEL(prefix##_e8m0_for_e5m2_floor_sat, in_type, uint8_t, scale_floor(value, E5M2_EMAX, SAT))            \
    PORTABLE_KERNEL(prefix##_e8m0_for_e5m2_floor_nosat, in_type, uint8_t, scale_floor(value, E5M2_EMAX, NOSAT))        \
    PORTABLE_KERNEL(prefix##_e8m0_for_e5m2_rceil_sat, in_type, uint8_t, scale_rceil(value, 1.0f / 57344.0f))           \
    PORTABLE_KERNEL(prefix##_e8m0_for_e3m2_floor_sat, in_type, uint8_t, scale_floor(value, E3M2_EMAX, SAT))            \
    PORTABLE_KERNEL(prefix##_e8m0_for_e2m3_floor_sat, in_type, uint8_t, scale_floor(value, E2M3_EMAX, SAT))            \
    PORTABLE_KERNEL(prefix##_e8m0_for_e2m1_floor_sat, in_type, uint8_t, scale_floor(value, E2M1_EMAX, SAT))            \
    PORTABLE_KERNEL(prefix##_e8m0_for_int8_floor_sat, in_type, uint8_t, scale_floor(value, INT8_EMAX, SAT))

SCALE_KERNELS(portable_fp32, float, x)
SCALE_KERNELS(portable_fp16, uint16_t, half_to_float(x))
SCALE_KERNELS(portable_bf16, uint16_t, bf16_to_float(x))
