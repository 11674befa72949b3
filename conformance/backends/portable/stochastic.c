/* SPDX-License-Identifier: Apache-2.0
 * Rounding at random: a value is cut to a whole number of units of the target after random bits were added below the
 * unit. The generator is a counter that is mixed, and goes on from call to call. */
#include "stochastic.h"

#include "portable.h"

static uint64_t counter = 0x6D78636572740001u;

static uint32_t random_word(void) {
    counter += 0x9E3779B97F4A7C15u;
    uint64_t z = counter;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return (uint32_t)((z ^ (z >> 31)) >> 32);
}

static uint8_t round_at_random(float x, int fraction_bits, int bias, uint8_t max_code) {
    const uint32_t u = float_bits(x);
    const uint32_t random = random_word();
    const uint8_t sign = (uint8_t)((u >> 24) & 0x80u);
    const uint32_t magnitude = u & 0x7FFFFFFFu;
    if (magnitude > 0x7F800000u) return 0x7F;
    if (magnitude == 0x7F800000u) return (uint8_t)(sign | max_code);
    const int field = (int)(magnitude >> 23);
    const uint64_t significand = (magnitude & 0x7FFFFFu) | (field == 0 ? 0u : 0x800000u);
    /* Units of the target at this magnitude: those of its binade, or of its subnormals. */
    const int exponent = field == 0 ? -126 : field - 127;
    const int lowest = 1 - bias;
    const int binade = exponent < lowest ? lowest : exponent;
    const int drop = 23 - fraction_bits + (binade - exponent);
    const uint64_t fixed = drop > 63 ? 0 : (significand << 32) >> drop;
    const uint64_t units = (fixed + random) >> 32;
    const uint64_t code = ((uint64_t)(binade - lowest) << fraction_bits) + units;
    return (uint8_t)(sign | (code > max_code ? max_code : (uint8_t)code));
}

void portable_stochastic_e4m3(const float* in, uint8_t* out, uint64_t count) {
    for (uint64_t i = 0; i < count; ++i) out[i] = round_at_random(in[i], 3, 7, 0x7E);
}

void portable_stochastic_e5m2(const float* in, uint8_t* out, uint64_t count) {
    for (uint64_t i = 0; i < count; ++i) out[i] = round_at_random(in[i], 2, 15, 0x7B);
}
