/* SPDX-License-Identifier: Apache-2.0
 * E8M0 to wider formats. */
#include "e8m0_decode.h"

/* FP16 holds 2^-24 to 2^15. Half of the smallest is a tie and goes to zero, which is even. */
static inline uint16_t e8m0_half(uint8_t code) {
    const int exponent = (int)code - 127;
    if (code == 0xFFu) return 0x7FFFu;
    if (exponent > 15) return 0x7C00u;
    if (exponent >= -14) return (uint16_t)((exponent + 15) << 10);
    if (exponent >= -24) return (uint16_t)(1 << (exponent + 24));
    return 0;
}

PORTABLE_KERNEL(portable_e8m0_fp32, uint8_t, float, bits_float(e8m0_float_bits(x)))
PORTABLE_KERNEL(portable_e8m0_fp16, uint8_t, uint16_t, e8m0_half(x))
PORTABLE_KERNEL(portable_e8m0_bf16, uint8_t, uint16_t, e8m0_float_bits(x) >> 16)
PORTABLE_KERNEL(portable_e8m0_fp64, uint8_t, double, e8m0_double(x))
