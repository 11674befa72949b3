/* SPDX-License-Identifier: Apache-2.0
 * FP16 to E4M3, saturating, by adding half a unit and cutting: a tie goes up, whatever the bit above it. With FIXED
 * defined a tie goes to the even code. README.md shows what mxcert says of both. */
#include <stddef.h>
#include <string.h>

#include "conformance/backend.h"

/* x / 2^shift, rounded to a whole number. */
static uint32_t round_to_unit(uint32_t x, unsigned shift) {
    const uint32_t half = 1U << (shift - 1);
#ifdef FIXED
    const uint32_t odd = x >> shift & 1U;
    return (x + half - 1 + odd) >> shift;
#else
    return (x + half) >> shift;
#endif
}

static uint8_t to_e4m3(uint16_t x) {
    const uint32_t sign = x >> 8 & 0x80U;
    const uint32_t magnitude = x & 0x7FFFU;
    const uint32_t exponent = magnitude >> 10;
    uint32_t code = 0;
    if (magnitude > 0x7C00U) return 0x7F;
    if (exponent > 8) { /* normal in E4M3: another bias, three bits of the fraction */
        code = round_to_unit(magnitude - (8U << 10), 7);
        if (code > 0x7EU) code = 0x7E;
    } else if (exponent > 0) { /* units of 2^-9 */
        code = round_to_unit(0x400U | (magnitude & 0x3FFU), 16 - exponent);
    } else {
        code = round_to_unit(magnitude, 15);
    }
    return (uint8_t)(sign | code);
}

static int32_t convert(const mxcert_convert_args* args) {
    uint8_t* out = (uint8_t*)args->output;
    for (uint64_t i = 0; i < args->count; ++i) {
        uint16_t x = 0;
        memcpy(&x, (const char*)args->input + i * sizeof x, sizeof x);
        out[i] = to_e4m3(x);
    }
    return MXCERT_OK;
}

static const mxcert_conversion conversions[] = {
    {sizeof(mxcert_conversion), 0, "fp16", "e4m3", "nearest_even", "sat"},
};

static const mxcert_api api = {
    .struct_size = sizeof(mxcert_api),
    .abi_major = MXCERT_ABI_MAJOR,
    .abi_minor = MXCERT_ABI_MINOR,
    .conversion_count = sizeof conversions / sizeof conversions[0],
    .conversions = conversions,
    .name = "half_up",
    .version = "1",
    .description = "FP16 to E4M3, an example",
    .convert = convert,
};

const mxcert_api* mxcert_get_api(uint32_t host_abi_major) { return host_abi_major == MXCERT_ABI_MAJOR ? &api : NULL; }
