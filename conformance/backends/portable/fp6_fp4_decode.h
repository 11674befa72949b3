/* SPDX-License-Identifier: Apache-2.0
 * E3M2, E2M3 and E2M1 as float, exactly. */
#ifndef MXCERT_PORTABLE_FP6_FP4_DECODE_H
#define MXCERT_PORTABLE_FP6_FP4_DECODE_H

#include "fp8_encode.h"

static inline float small_value(uint8_t code, fp8_target t) {
    const uint32_t magnitude = code & ((1u << t.sign_bit) - 1u);
    const uint32_t sign = (uint32_t)(code >> t.sign_bit) << 31;
    const uint32_t normal = (magnitude << (23 - t.fraction_bits)) + ((uint32_t)(127 - t.bias) << 23);
    const uint32_t subnormal = float_bits((float)magnitude * (float)t.unit);
    return bits_float((magnitude >> t.fraction_bits == 0 ? subnormal : normal) | sign);
}

#endif
