/* SPDX-License-Identifier: Apache-2.0
 * UE4M3 and UE5M3, scales without sign: the magnitude of a value, and back. Only UE5M3 to FP16 goes beyond the target.
 */
#include "fp6_fp4_decode.h"
#include "fp8_decode.h"
#include "narrow.h"

/* The sign goes to bit 8, which no code has. */
#define UE4M3 ((fp8_target){3, 7, 0x7E, 0x7F, 0x7F, 8, 0x1p-9})
#define UE5M3 ((fp8_target){3, 15, 0xFE, 0xFF, 0xFF, 8, 0x1p-17})

static inline uint32_t unsigned_bits(uint8_t code, fp8_target t) {
    return code == t.nan_code ? 0x7FFFFFFFu : float_bits(small_value(code, t));
}

#define KERNELS_TO(prefix, in_type, convert, value, element, target)                                                   \
    PORTABLE_KERNEL(prefix##_##element##_ne_sat, in_type, uint8_t, convert(value, target, NEAREST, SAT))               \
    PORTABLE_KERNEL(prefix##_##element##_ne_nosat, in_type, uint8_t, convert(value, target, NEAREST, NOSAT))           \
    PORTABLE_KERNEL(prefix##_##element##_tz_sat, in_type, uint8_t, convert(value, target, TOWARD_ZERO, SAT))           \
    PORTABLE_KERNEL(prefix##_##element##_tz_nosat, in_type, uint8_t, convert(value, target, TOWARD_ZERO, NOSAT))
#define KERNELS_OF(element, target)                                                                                    \
    KERNELS_TO(portable_fp32, float, fp8_from_float, x, element, target)                                               \
    KERNELS_TO(portable_fp16, uint16_t, fp8_from_float, half_to_float(x), element, target)                             \
    KERNELS_TO(portable_bf16, uint16_t, fp8_from_float, bf16_to_float(x), element, target)                             \
    KERNELS_TO(portable_fp64, double, fp8_from_double, x, element, target)                                             \
    PORTABLE_KERNEL(portable_##element##_fp32, uint8_t, float, bits_float(unsigned_bits(x, target)))                   \
    PORTABLE_KERNEL(portable_##element##_fp16, uint8_t, uint16_t,                                                      \
                    half_from_float(bits_float(unsigned_bits(x, target))))                                             \
    PORTABLE_KERNEL(portable_##element##_bf16, uint8_t, uint16_t, unsigned_bits(x, target) >> 16)                      \
    PORTABLE_KERNEL(portable_##element##_fp64, uint8_t, double, float_bits_to_double(unsigned_bits(x, target)))
KERNELS_OF(ue4m3, UE4M3)
KERNELS_OF(ue5m3, UE5M3)
