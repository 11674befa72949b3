/* SPDX-License-Identifier: Apache-2.0
 * FP32 to E4M3 as a datapath: align, then round by guard, round and sticky bit. Nearest even, saturating. */
#include "plugin.h"

static uint8_t convert_one(uint32_t x) {
    const uint32_t sign = (x >> 24) & 0x80u;
    const uint32_t magnitude = x & 0x7FFFFFFFu;
    if (magnitude > 0x7F800000u) return (uint8_t)(sign | 0x7Fu);

    /* The hidden bit is bit 23. FP32's own subnormals are far below half of the smallest E4M3. */
    const uint32_t exponent = magnitude >> 23;
    uint32_t significand = magnitude & 0x007FFFFFu;
    if (exponent != 0u) significand |= 0x00800000u;

    /* 2^-6, exponent 121, is the smallest normal number. Below it the significand moves right, and what leaves it is
     * kept in the sticky bit. The hidden bit adds one to the field. */
    uint32_t field = 0;
    uint32_t lost = 0;
    if (exponent >= 121u) {
        field = exponent - 121u;
    } else {
        const uint32_t right = 121u - exponent < 25u ? 121u - exponent : 25u;
        lost = significand & ((1u << right) - 1u);
        significand >>= right;
    }

    const uint32_t kept = significand >> 20;
    const uint32_t guard = (significand >> 19) & 1u;
    const uint32_t round = (significand >> 18) & 1u;
    const uint32_t sticky = ((significand & 0x0003FFFFu) | lost) != 0u ? 1u : 0u;
    const uint32_t up = guard & (round | sticky | (kept & 1u));
    const uint32_t code = (field << 3) + kept + up;
    return (uint8_t)(sign | (code > 0x7Eu ? 0x7Eu : code));
}

CONVERTER_PLUGIN("e4m3", convert_one)
