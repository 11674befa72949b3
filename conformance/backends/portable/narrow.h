/* SPDX-License-Identifier: Apache-2.0
 * float to the narrower formats of values. */
#ifndef MXCERT_PORTABLE_NARROW_H
#define MXCERT_PORTABLE_NARROW_H

#include "kernels.h"

/* float to BF16, to nearest even. A NaN keeps all ones: rounding must not carry it to zero. */
static inline uint16_t bf16_from_float(float x) {
    const uint32_t u = float_bits(x);
    const uint32_t rounded = (u + 0x7FFFu + ((u >> 16) & 1u)) >> 16;
    return (uint16_t)((u & 0x7FFFFFFFu) > 0x7F800000u ? 0x7FFFu : rounded);
}

/* float to FP16, to nearest even. */
static inline uint16_t half_from_float(float x) {
    const uint32_t u = float_bits(x);
    const uint32_t magnitude = u & 0x7FFFFFFFu;
    const uint32_t normal = ((magnitude + 0x0FFFu + ((magnitude >> 13) & 1u)) >> 13) - (112u << 10);
    /* The unit in the last place of 0.5 is that of FP16's subnormals, so the addition rounds. */
    const uint32_t subnormal = float_bits(bits_float(magnitude) + 0.5f) - float_bits(0.5f);
    const uint32_t finite = magnitude < 0x38800000u ? subnormal : normal;
    const uint32_t code = finite > 0x7C00u ? 0x7C00u : finite;
    return (uint16_t)(magnitude > 0x7F800000u ? 0x7FFFu : code | ((u >> 16) & 0x8000u));
}

#endif
