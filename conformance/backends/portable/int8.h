/* SPDX-License-Identifier: Apache-2.0
 * INT8: two's complement times 2^-6. The range is symmetric: 0x80 is read, and never made. */
#ifndef MXCERT_PORTABLE_INT8_H
#define MXCERT_PORTABLE_INT8_H

#include "fp8_encode.h"

/* A NaN gives the largest number, as in the other formats without NaN. */
static inline uint8_t int8_from_float(float x, int rounding) {
    const float units = x * 0x1p6f;
    const float raised = units > -127.0f ? units : -127.0f;
    const float clamped = raised < 127.0f ? raised : 127.0f;
    /* The unit in the last place of `magic` is 1, so the addition rounds; its half above keeps negative sums there. */
    const float magic = 0x1.8p23f;
    const uint32_t nearest = float_bits(clamped + magic) - float_bits(magic);
    return (uint8_t)(x != x ? 127u : rounding == NEAREST ? nearest : (uint32_t)(int32_t)clamped);
}

static inline uint8_t int8_from_double(double x, int rounding) {
    const double units = x * 0x1p6;
    const double raised = units > -127.0 ? units : -127.0;
    const double clamped = raised < 127.0 ? raised : 127.0;
    const double magic = 0x1.8p52;
    const uint64_t nearest = double_bits(clamped + magic) - double_bits(magic);
    return (uint8_t)(x != x ? 127u : rounding == NEAREST ? (uint32_t)nearest : (uint32_t)(int32_t)clamped);
}

static inline float int8_value(uint8_t code) { return (float)(code < 0x80u ? code : code - 0x100) * 0x1p-6f; }

#endif
