/* SPDX-License-Identifier: Apache-2.0
 * FP32 divided by an E8M0 scale, rounded to E4M3: one conversion with 2^40 inputs. */
#include <stddef.h>
#include <string.h>

#include "conformance/backend.h"

/* Without a branch, so that a compiler makes vectors of it. */
static uint32_t choose(int first, uint32_t a, uint32_t b) { return b ^ ((a ^ b) & (0U - (uint32_t)first)); }

/* A quotient in FP32 will do: where it is inexact it is below 2^-126, and zero in E4M3; where it is too large, it
 * saturates. */
static uint8_t to_e4m3(float quotient) {
    uint32_t bits = 0;
    memcpy(&bits, &quotient, sizeof bits);
    const uint32_t sign = bits >> 24 & 0x80U;
    const uint32_t magnitude = bits & 0x7FFFFFFFU;
    /* A normal number: the exponent's bias becomes 7, three bits of the fraction stay, and a tie goes to the even one.
     */
    const uint32_t normal = ((magnitude + 0x7FFFFU + (magnitude >> 20 & 1U)) >> 20) - (120U << 3);
    /* A subnormal one counts units of 2^-9. Below a quarter of the unit nothing is left. */
    const uint32_t exponent = magnitude >> 23;
    const uint32_t shift = 141U - (exponent < 116U ? 116U : exponent);
    const uint32_t significand = exponent < 116U ? 0 : (magnitude & 0x7FFFFFU) | 0x800000U;
    const uint32_t subnormal =
        (significand + (1U << (shift & 31U) >> 1) - 1U + (significand >> (shift & 31U) & 1U)) >> (shift & 31U);
    uint32_t code = choose(magnitude < 0x3C800000U, subnormal, normal); /* 2^-6 */
    code = choose(magnitude > 0x43E00000U, 0x7EU, code);                /* 448 */
    code = choose(magnitude > 0x7F800000U, 0x7FU, code);                /* NaN */
    return (uint8_t)(sign | code);
}

static int32_t convert(const mxcert_convert_args* args) {
    uint8_t* out = (uint8_t*)args->output;
    const float* in = (const float*)args->input;
    /* 2^(127 - scale): its exponent with the bias is 254 - scale. 2^-127 is a subnormal number, and the scale FF is
     * NaN. */
    uint32_t bits = (254U - args->scale) << 23;
    if (args->scale == 0xFEU) bits = 0x00400000U;
    if (args->scale == 0xFFU) bits = 0x7FC00000U;
    float factor = 0;
    memcpy(&factor, &bits, sizeof factor);
    const uint64_t count = args->count; /* for all that a compiler knows, `out` could change the other */
    for (uint64_t i = 0; i < count; ++i) out[i] = to_e4m3(in[i] * factor);
    return MXCERT_OK;
}

static const mxcert_conversion conversions[] = {
    {sizeof(mxcert_conversion), 0, "fp32_by_e8m0", "e4m3", "nearest_even", "sat"},
};

static const mxcert_api api = {
    .struct_size = sizeof(mxcert_api),
    .abi_major = MXCERT_ABI_MAJOR,
    .abi_minor = MXCERT_ABI_MINOR,
    .conversion_count = sizeof conversions / sizeof conversions[0],
    .conversions = conversions,
    .name = "quotients",
    .version = "1",
    .description = "FP32 by an E8M0 scale to E4M3, an example",
    .convert = convert,
};

const mxcert_api* mxcert_get_api(uint32_t host_abi_major) { return host_abi_major == MXCERT_ABI_MAJOR ? &api : NULL; }
