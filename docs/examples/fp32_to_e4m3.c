/* SPDX-License-Identifier: Apache-2.0
 * FP32 to E4M3 in integers, to nearest even and saturating, for ./dev prove-c (docs/c-proofs.md). `narrow` is right.
 * `narrow_wrong` takes the significand of the smallest NaN alone, 0x7F800001, for that of a number: two inputs of 2^32.
 */
#include <stdint.h>
#include <string.h>

static inline uint8_t code_of(float x, uint32_t smallest_nan) {
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    const uint8_t sign = (uint8_t)(bits >> 31 << 7);
    const uint32_t magnitude = bits & 0x7FFFFFFFu;
    if (magnitude >= smallest_nan) return 0x7F;
    if (magnitude >= 0x43E80000u) return sign | 0x7E;
    if (magnitude < 0x3A800000u) return sign; /* below half of the smallest subnormal, 2^-10 */
    const uint32_t exponent = magnitude >> 23;
    const uint32_t significand = (magnitude & 0x7FFFFFu) | 0x800000u;
    const uint32_t cut =
        exponent < 121 ? 141 - exponent : 20; /* subnormals of E4M3 end at 2^-6, whose exponent is 121 */
    const uint32_t kept = (significand + (1u << (cut - 1)) - 1u + (significand >> cut & 1u)) >> cut;
    return (uint8_t)(sign | ((exponent < 121 ? 0 : (exponent - 121) << 3) + kept));
}

uint8_t narrow(float x) { return code_of(x, 0x7F800001u); }
uint8_t narrow_wrong(float x) { return code_of(x, 0x7F800002u); }
