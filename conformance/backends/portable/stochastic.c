/* SPDX-License-Identifier: Apache-2.0
 * Rounding at random: a value is cut to a whole number of units of the target after random bits were added below the
 * unit. They are given, or come from a counter that is mixed and goes on from call to call. */
#include "operations.h"

static const portable_stochastic e4m3 = PORTABLE_STOCHASTIC_E4M3;
static const portable_stochastic e5m2 = PORTABLE_STOCHASTIC_E5M2;
static const portable_stochastic e2m1 = PORTABLE_STOCHASTIC_E2M1;

static uint64_t counter = 0x6D78636572740001u;

static uint32_t random_word(void) {
    counter += 0x9E3779B97F4A7C15u;
    uint64_t z = counter;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return (uint32_t)((z ^ (z >> 31)) >> 32);
}

/* `random` has `bits` bits. */
static uint8_t round_at_random(float x, uint32_t random, unsigned bits, portable_stochastic t, int saturates) {
    const uint32_t u = float_bits(x);
    const uint8_t sign = u >> 31 != 0 ? t.sign : 0;
    const uint32_t magnitude = u & 0x7FFFFFFFu;
    const uint8_t beyond = (uint8_t)(sign | (saturates ? t.max_code : t.overflow_code));
    if (magnitude > 0x7F800000u) return t.nan_code;
    if (magnitude == 0x7F800000u) return beyond;
    const int field = (int)(magnitude >> 23);
    const uint64_t significand = (magnitude & 0x7FFFFFu) | (field == 0 ? 0u : 0x800000u);
    /* Units of the target at this magnitude: those of its binade, or of its subnormals. */
    const int exponent = field == 0 ? -126 : field - 127;
    const int lowest = 1 - t.bias;
    const int binade = exponent < lowest ? lowest : exponent;
    const int drop = 23 - t.fraction_bits + (binade - exponent);
    const uint64_t fixed = drop > 63 ? 0 : (significand << 32) >> drop;
    const uint64_t units = ((fixed >> (32 - bits)) + random) >> bits;
    const uint64_t code = ((uint64_t)(binade - lowest) << t.fraction_bits) + units;
    return code > t.max_code ? beyond : (uint8_t)(sign | code);
}

int32_t portable_run_stochastic(const void* how, const mxcert_run_args* args, const char** error) {
    if (args->input_count != 1 || args->output_count != 1 || args->inputs[0].count != args->outputs[0].count)
        return portable_fail(MXCERT_ERROR, "arrays of different sizes", error);
    const portable_stochastic* to = how;
    const float* in = args->inputs[0].data;
    uint8_t* out = args->outputs[0].data;
    for (uint64_t i = 0; i < args->inputs[0].count; ++i) out[i] = round_at_random(in[i], random_word(), 32, *to, 1);
    return MXCERT_OK;
}

/* 16 bits a value: each one its own, so that both elements of a byte are rounded apart. */
void portable_fp32_e2m1_at_random_a16(const void* in, void* out, uint64_t count) {
    for (uint64_t i = 0; i < count; ++i)
        ((uint8_t*)out)[i] = round_at_random(((const float*)in)[i], random_word() >> 16, 16, e2m1, 1);
}

/* Both elements of a byte are rounded by the same bits, as instructions for several elements do. */
void portable_fp32_e2m1_at_random_a16_pairs(const void* in, void* out, uint64_t count) {
    uint32_t random = 0;
    for (uint64_t i = 0; i < count; ++i) {
        if (i % 2 == 0) random = random_word() >> 16;
        ((uint8_t*)out)[i] = round_at_random(((const float*)in)[i], random, 16, e2m1, 1);
    }
}

#define GIVEN(name, target, saturates)                                                                                 \
    void name(const void* in, const uint32_t* random, unsigned bits, void* out, uint64_t count) {                      \
        for (uint64_t i = 0; i < count; ++i)                                                                           \
            ((uint8_t*)out)[i] = round_at_random(((const float*)in)[i], random[i], bits, target, saturates);           \
    }
GIVEN(portable_fp32_e4m3_random_sat, e4m3, 1)
GIVEN(portable_fp32_e4m3_random_nosat, e4m3, 0)
GIVEN(portable_fp32_e5m2_random_sat, e5m2, 1)
GIVEN(portable_fp32_e5m2_random_nosat, e5m2, 0)
GIVEN(portable_fp32_e2m1_random_sat, e2m1, 1)
