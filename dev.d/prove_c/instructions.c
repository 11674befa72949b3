/* SPDX-License-Identifier: Apache-2.0
 * A function for each instruction that translate.py knows, for ./dev prove-c --instructions. `a` and `b` are the halves of
 * the input. */
#include <stdint.h>
#include <string.h>

#define A ((uint16_t)x)
#define B ((uint16_t)(x >> 16))
#define SA ((int16_t)A)
#define SB ((int16_t)B)
#define F(u) float_from((uint32_t)(u) << 16)
#define EACH(name, expression)                                                                                         \
    uint32_t name(uint32_t x) { return (uint32_t)(expression); }

static inline float float_from(uint32_t u) {
    float f;
    memcpy(&f, &u, sizeof f);
    return f;
}
static inline uint32_t bits_from(float f) {
    uint32_t u;
    memcpy(&u, &f, sizeof u);
    return f != f ? 0x7FC00000u : u; /* a NaN may have any payload */
}
static inline uint32_t upper(double d) {
    uint64_t u;
    memcpy(&u, &d, sizeof u);
    return d != d ? 0x7FF80000u : (uint32_t)(u >> 32);
}
static inline float half(float f) { return f * 0x1p-1f; }

EACH(i_add, A + B)
EACH(i_sub, (uint32_t)A - B)
EACH(i_mul, (uint32_t)A * B)
EACH(i_and, A & B)
EACH(i_or, A | B)
EACH(i_xor, A ^ B)
EACH(i_shl, (uint32_t)A << (B & 31))
EACH(i_lshr, (x | 0x80000000u) >> (B & 31))
EACH(i_ashr, (int32_t)(x | 0x80000000u) >> (B & 31))
EACH(i_sext, (int32_t)SA + 1)
EACH(i_signed_less, SA < SB ? 5 : 9)
EACH(i_signed_less_or_equal, SA <= SB ? x : ~x)
EACH(i_less, A < B ? x : ~x)
EACH(i_greater, A > B ? 2 * x : x)
EACH(i_equal, A == B ? 7 : x)
EACH(i_smallest, (int32_t)x < SB ? (int32_t)x : SB)
EACH(i_largest, (int32_t)x > SB ? (int32_t)x : SB)
EACH(i_smallest_unsigned, x * 3u < B ? x * 3u : B)
EACH(i_largest_unsigned, x * 3u > B ? x * 3u : B)
EACH(i_zeros, x == 0 ? 32 : __builtin_clz(x))
EACH(f_add, bits_from(F(A) + F(B)))
EACH(f_sub, bits_from(F(A) - F(B)))
EACH(f_mul, bits_from(F(A) * F(B)))
EACH(f_div, bits_from(F(A) / F(B)))
EACH(f_neg, bits_from(-(F(A) + 1.0f)))
EACH(f_abs, bits_from(__builtin_fabsf(half(F(A)))))
EACH(f_less, F(A) < F(B))
EACH(f_less_or_equal, F(A) <= F(B))
EACH(f_equal, F(A) == F(B))
EACH(f_not_equal, F(A) != F(B))
EACH(f_not_less, !(F(A) < F(B)))
EACH(f_unordered, F(A) != F(A) || F(B) != F(B))
EACH(f_to_int, F(A) > -0x1p31f && F(A) < 0x1p31f ? (uint32_t)(int32_t)F(A) : 1u)
EACH(f_to_unsigned, F(A) > -1.0f && F(A) < 0x1p32f ? (uint32_t)F(A) : 1u)
EACH(f_of_int, bits_from((float)(int32_t)x))
EACH(f_of_unsigned, bits_from((float)x))
EACH(d_of_float, upper((double)F(A) * 3))
EACH(f_of_double, bits_from((float)((double)F(A) * 0x1.000001p0)))

uint32_t a_switch(uint32_t x) {
    switch (A & 7) {
    case 0: return B * 3u;
    case 2: return B + 9u;
    case 3: return B ^ 0x5555u;
    case 6: return x >> 3;
    default: return x + 1u;
    }
}
uint32_t a_branch(uint32_t x) {
    uint32_t r = B;
    if (A > 1000) {
        if (SB < 0) return x * 5u;
        r += A / 256u;
    }
    return r ^ 0x1234u;
}
