/* SPDX-License-Identifier: Apache-2.0
 * Float scales of blocks, in the arithmetic of float. */
#include "narrow.h"
#include "operations.h"

#include <math.h>

void portable_store_scale(portable_scale_kind kind, void* scales, uint64_t at, float scale) {
    switch (kind) {
    case SCALE_FP32: ((float*)scales)[at] = scale; break;
    case SCALE_FP16: ((uint16_t*)scales)[at] = half_from_float(scale); break;
    case SCALE_BF16: ((uint16_t*)scales)[at] = bf16_from_float(scale); break;
    case SCALE_E8M0: ((uint8_t*)scales)[at] = (uint8_t)(float_bits(scale) >> 23); break;
    }
}

float portable_load_scale(portable_scale_kind kind, const void* scales, uint64_t at) {
    switch (kind) {
    case SCALE_FP16: return half_to_float(((const uint16_t*)scales)[at]);
    case SCALE_BF16: return bf16_to_float(((const uint16_t*)scales)[at]);
    case SCALE_E8M0: {
        const uint32_t exponent = ((const uint8_t*)scales)[at];
        if (exponent == 0xFF) return NAN;
        return exponent == 0 ? 0x1p-127f : bits_float(exponent << 23);
    }
    default: return ((const float*)scales)[at];
    }
}

static portable_scales of_scale(float scale) { return (portable_scales){scale, 1.0f / scale}; }

portable_scales portable_absmax(float amax, float largest, float limit, portable_scale_kind kind) {
    (void)limit;
    if (amax == 0) return of_scale(1);
    const float scale = amax / largest;
    if (kind == SCALE_FP16) return of_scale(half_to_float(half_from_float(scale)));
    if (kind == SCALE_BF16) return of_scale(bf16_to_float(bf16_from_float(scale)));
    return of_scale(scale);
}

static int usable(float amax) { return amax > 0 && amax < INFINITY; }

portable_scales portable_te(float amax, float largest, float limit, portable_scale_kind kind) {
    (void)kind;
    if (!usable(amax)) return of_scale(1);
    float inverse = largest / amax;
    if (isinf(inverse)) inverse = limit;
    return (portable_scales){1.0f / inverse, inverse};
}

portable_scales portable_te_power_of_two(float amax, float largest, float limit, portable_scale_kind kind) {
    portable_scales scales = portable_te(amax, largest, limit, kind);
    scales.inverse = bits_float(float_bits(scales.inverse) & 0x7F800000u);
    scales.scale = 1.0f / scales.inverse;
    return scales;
}

portable_scales portable_deepseek(float amax, float largest, float limit, portable_scale_kind kind) {
    (void)limit;
    (void)kind;
    return of_scale(amax / largest);
}

static float at_least_1e_4(float amax) { return amax < 1e-4f ? 1e-4f : amax; }

portable_scales portable_deepgemm(float amax, float largest, float limit, portable_scale_kind kind) {
    return portable_deepseek(at_least_1e_4(amax), largest, limit, kind);
}

/* The next power of two, if it is none. */
portable_scales portable_deepgemm_power_of_two(float amax, float largest, float limit, portable_scale_kind kind) {
    const float scale = portable_deepgemm(amax, largest, limit, kind).scale;
    if (!usable(scale)) return of_scale(scale);
    return of_scale(bits_float((float_bits(scale) + 0x7FFFFFu) & 0x7F800000u));
}
