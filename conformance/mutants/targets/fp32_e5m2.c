/* SPDX-License-Identifier: Apache-2.0
 * FP32 to E5M2 as a datapath whose sticky bit is a tree of OR gates over groups of four bits. Nearest even, saturating.
 */
#include "plugin.h"

/* 1 if one of bits 0 to 19 is set. */
static uint32_t or_tree(uint32_t s) {
    const uint32_t g0 = (s & 0xFu) != 0u;
    const uint32_t g1 = ((s >> 4) & 0xFu) != 0u;
    const uint32_t g2 = ((s >> 8) & 0xFu) != 0u;
    const uint32_t g3 = ((s >> 12) & 0xFu) != 0u;
    const uint32_t g4 = ((s >> 16) & 0xFu) != 0u;
    return g0 | g1 | g2 | g3 | g4;
}

/* Right by up to 31 in stages of 16, 8, 4, 2 and 1; what leaves the word sets bit 0. */
static uint32_t sticky_shift(uint32_t s, uint32_t by) {
    if (by & 16u) s = (s >> 16) | ((s & 0xFFFFu) != 0u);
    if (by & 8u) s = (s >> 8) | ((s & 0xFFu) != 0u);
    if (by & 4u) s = (s >> 4) | ((s & 0xFu) != 0u);
    if (by & 2u) s = (s >> 2) | ((s & 0x3u) != 0u);
    if (by & 1u) s = (s >> 1) | (s & 0x1u);
    return s;
}

static uint8_t convert_one(uint32_t x) {
    const uint32_t exponent = (x >> 23) & 0xFFu;
    const uint32_t fraction = x & 0x7FFFFFu;
    const uint8_t sign = (uint8_t)((x >> 31) << 7);
    if (exponent == 0xFFu && fraction != 0u) return 0x7Fu;

    /* Exponent fields 113 to 142 are the normal numbers of E5M2, 1 to 30 there. */
    int32_t field = (int32_t)exponent - 112;
    uint32_t significand = 0x800000u | fraction;
    if (exponent == 0u || field < -24) return sign;
    if (field < 1) {
        significand = sticky_shift(significand, (uint32_t)(1 - field));
        field = 1;
    }
    const uint32_t kept = significand >> 21;
    const uint32_t guard = (significand >> 20) & 1u;
    const uint32_t up = guard & (or_tree(significand) | (kept & 1u));
    const uint32_t code = ((uint32_t)(field - 1) << 2) + kept + up;
    return (uint8_t)(code > 0x7Bu ? sign | 0x7Bu : sign | code);
}

CONVERTER_PLUGIN("e5m2", convert_one)
