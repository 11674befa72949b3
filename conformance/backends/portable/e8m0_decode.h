/* SPDX-License-Identifier: Apache-2.0
 * E8M0 as float and double. 0x00 is 2^-127, a subnormal float; 0xFF becomes the all-ones NaN. */
#ifndef MXCERT_PORTABLE_E8M0_DECODE_H
#define MXCERT_PORTABLE_E8M0_DECODE_H

#include "kernels.h"

static inline uint32_t e8m0_float_bits(uint8_t code) {
    return code == 0xFFu ? 0x7FFFFFFFu : code == 0 ? 0x00400000u : (uint32_t)code << 23;
}

static inline double e8m0_double(uint8_t code) {
    return bits_double(code == 0xFFu ? 0x7FFFFFFFFFFFFFFFu : (uint64_t)(code + (1023 - 127)) << 52);
}

#endif
