/* SPDX-License-Identifier: Apache-2.0
 * FP32 to MXFP8 E4M3 in blocks of 32 along a row: the scale by the rule of the OCP specification (floor), the elements
 * rounded to nearest even and saturating. Integers alone. */
#include "plugin.h"

/* The exponent of the largest element, 448 = 1.75 x 2^8. */
#define EMAX 8u

/* An element of a value under the scale 2^(scale - 127). */
static uint8_t element_of(uint32_t x, uint32_t scale) {
    const uint32_t sign = (x >> 24) & 0x80u;
    const uint32_t magnitude = x & 0x7FFFFFFFu;
    if (scale == 0xFFu || magnitude > 0x7F800000u) return 0x7Fu;
    if (magnitude == 0x7F800000u) return (uint8_t)(sign | 0x7Eu);

    if (magnitude == 0u) return (uint8_t)sign;

    /* Bit 23 becomes the highest one: subnormals are normalised, because a small scale makes them normal elements. */
    int32_t exponent = (int32_t)(magnitude >> 23);
    uint32_t significand = magnitude & 0x007FFFFFu;
    if (exponent != 0) {
        significand |= 0x00800000u;
    } else {
        const int32_t up = __builtin_clz(significand) - 8;
        significand <<= up;
        exponent = 1 - up;
    }
    /* E4M3's field of it, if it is normal: its bias is 7. */
    const int32_t field = exponent - (int32_t)scale + 7;
    const int32_t below = field < 1 ? 1 - field : 0;
    const int32_t cut = below > 5 ? 25 : 20 + below;
    const uint32_t half = (uint32_t)1 << (cut - 1);
    const uint32_t rest = significand & ((half << 1) - 1u);
    uint32_t code = significand >> cut;
    if (rest > half || (rest == half && (code & 1u) != 0u)) code += 1u;
    if (field > 1) code += (uint32_t)(field - 1) << 3;
    return (uint8_t)(sign | (code > 0x7Eu ? 0x7Eu : code));
}

static uint8_t quantize_block(const uint32_t* values, uint8_t* elements, uint64_t count) {
    uint32_t amax = 0;
    for (uint64_t i = 0; i < count; ++i) {
        const uint32_t magnitude = values[i] & 0x7FFFFFFFu;
        if (magnitude <= 0x7F800000u && magnitude > amax) amax = magnitude;
    }
    const uint32_t exponent = amax >> 23;
    uint32_t scale = exponent > EMAX ? exponent - EMAX : 0u;
    if (amax == 0x7F800000u) scale = 0xFEu;
    for (uint64_t i = 0; i < count; ++i) elements[i] = element_of(values[i], scale);
    return (uint8_t)scale;
}

static int32_t run(const mxcert_run_args* args) {
    const uint64_t columns = args->shape[1];
    const uint64_t blocks = (columns + 31u) / 32u;
    const uint32_t* values = args->inputs[0].data;
    uint8_t* elements = args->outputs[0].data;
    uint8_t* scales = args->outputs[1].data;
    for (uint64_t row = 0; row < args->shape[0]; ++row) {
        for (uint64_t block = 0; block < blocks; ++block) {
            const uint64_t first = row * columns + block * 32u;
            const uint64_t left = columns - block * 32u;
            scales[row * blocks + block] = quantize_block(values + first, elements + first, left < 32u ? left : 32u);
        }
    }
    return MXCERT_OK;
}

static const mxcert_operation operations[] = {
    {sizeof(mxcert_operation), "quantize",
     "source=fp32 element=e4m3 scale=e8m0 rule=ocp_floor rounding=nearest_even overflow=sat axis=row block=32"},
};
PLUGIN_API(.operation_count = 1, .operations = operations, .run = run)
