/* SPDX-License-Identifier: Apache-2.0
 * Conversions written in C by hand, as many programs have them, with the mistake that the option names. They share
 * nothing with the models of mxcert. Without an option nothing is wrong.
 */
#include <stddef.h>
#include <string.h>

#include "conformance/backend.h"

static const char* mistake = "";
static int is(const char* name) { return strcmp(mistake, name) == 0; }

/* A target of 8 bits. */
typedef struct {
    unsigned fraction; /* bits */
    int bias;
    uint32_t largest; /* code of the largest finite number */
} target;
static const target e4m3 = {3, 7, 0x7E};
static const target e5m2 = {2, 15, 0x7B};

/* A shift as a processor does it that looks at the lowest bits of its count alone. */
static unsigned word = 64;
static uint64_t up(uint64_t x, unsigned count) { return x << (count % word); }
static uint64_t down(uint64_t x, unsigned count) { return x >> (count % word); }

static int below_normal(uint32_t magnitude, const target* to) { return (int)(magnitude >> 23) - 127 < 1 - to->bias; }

static uint32_t widen_fp16(uint32_t half) {
    const uint32_t sign = (half & 0x8000u) << 16;
    uint32_t fraction = half & 0x3FFu;
    uint32_t exponent = half >> 10 & 0x1Fu;
    if (exponent == 31) return sign | 0x7F800000u | fraction << 13;
    if (exponent == 0) {
        if (fraction == 0) return sign;
        exponent = 1;
        for (; (fraction & 0x400u) == 0; fraction <<= 1) --exponent;
        fraction &= 0x3FFu;
    }
    return sign | (exponent + 112) << 23 | fraction << 13;
}

/* Whether the bits below the round bit decide a tie. */
static int sticky(uint64_t below) {
    if (is("sticky mask without bit 17")) below &= ~(uint64_t)0x20000;
    if (is("sticky mask without the low byte")) below &= ~(uint64_t)0xFF;
    if (is("sticky mask of 12 bits")) below &= 0xFFF;
    return below != 0;
}

static uint32_t narrow(uint32_t bits, const target* to, int saturates, int was_half) {
    const uint32_t sign = bits >> 24 & 0x80u;
    uint32_t magnitude = bits & 0x7FFFFFFFu;
    if (magnitude > 0x7F800000u) return sign | 0x7Fu;
    if (is("tiny numbers as FP16") && !was_half && below_normal(magnitude, to))
        return narrow(widen_fp16(bits >> 16), to, saturates, 1);
    if (is("tiny numbers without sign") && magnitude < 0x3A800000u) return 0;
    int exponent = (int)(magnitude >> 23) - 127;
    uint64_t significand = magnitude & 0x7FFFFFu;
    if (magnitude >= 0x800000u)
        significand |= 0x800000u;
    else
        exponent = -126;
    const int smallest = 1 - to->bias; /* exponent of the smallest normal number */
    if (is("smallest subnormal is the least") && exponent < smallest - (int)to->fraction) return sign;
    const unsigned drop = 23 - to->fraction;
    unsigned extra = 0;
    if (exponent < smallest) {
        extra = (unsigned)(smallest - exponent);
        if (extra > 30 && !is("long shift") && !is("long shift of 32 bits")) extra = 30;
        exponent = smallest;
    }
    if (is("shifted before it is looked at")) significand = significand >> extra << extra;
    const uint64_t half = up(1, drop + extra - 1);
    const uint64_t dropped = significand & (up(1, drop + extra) - 1);
    significand = down(significand, extra);
    const uint64_t field = (uint64_t)(exponent + to->bias) - (significand < 0x800000u);
    const int odd = (significand >> drop & 1u) != 0;
    const int away = (significand >> (drop - 1) & 1u) != 0 && (odd || sticky(dropped & (half - 1)));
    uint32_t code = (uint32_t)((field << 23 | (significand & 0x7FFFFFu)) >> drop) + (uint32_t)away;
    uint32_t largest = to->largest;
    if (is("overflow by the exponent")) largest = to->largest | ((1u << to->fraction) - 1);
    if (is("the largest of E5M2") && magnitude < 0x47800000u) return sign | (code & 0x7Fu);
    if (code > largest) code = saturates ? to->largest : to->largest + 1;
    return sign | code;
}

/* FP16 has the exponent of E5M2: half of its bits are cut off, or rounded away. */
static uint32_t halve(uint32_t half) {
    const uint32_t sign = half >> 8 & 0x80u;
    if (is("NaN by the upper byte") && (half >> 8 & 0x7Fu) == 0x7C) return sign | 0x7C;
    if (!is("NaN rounded") && (half & 0x7FFFu) > 0x7C00u) return sign | 0x7F;
    return (half + 0x7F + (half >> 8 & 1u)) >> 8 & 0xFFu;
}

/* BF16 of E4M3. */
static uint32_t widen_e4m3(uint32_t code) {
    const uint32_t sign = (code & 0x80u) << 8;
    uint32_t exponent = code >> 3 & 0xFu;
    uint32_t fraction = code & 7u;
    if ((code & 0x7Fu) == 0x7F && !is("480 is read")) return sign | 0x7FC0u;
    if (exponent == 0) {
        if (fraction == 0) return sign;
        exponent = 1;
        for (; (fraction & 8u) == 0; fraction <<= 1) --exponent;
        fraction &= 7u;
    }
    return sign | (exponent + 120) << 7 | fraction << 4;
}

static int32_t convert(const mxcert_convert_args* args) {
    const uint16_t* in = (const uint16_t*)args->input;
    uint8_t* out = (uint8_t*)args->output;
    for (uint64_t i = 0; i < args->count; ++i) switch (args->conversion) {
        case 0: out[i] = (uint8_t)narrow((uint32_t)in[i] << 16, &e4m3, 1, 0); break;
        case 1: out[i] = (uint8_t)narrow((uint32_t)in[i] << 16, &e5m2, 0, 0); break;
        case 2: out[i] = (uint8_t)halve(in[i]); break;
        case 3: out[i] = (uint8_t)narrow(((const uint32_t*)args->input)[i], &e4m3, 1, 0); break;
        default: ((uint16_t*)args->output)[i] = (uint16_t)widen_e4m3(((const uint8_t*)args->input)[i]); break;
        }
    return MXCERT_OK;
}

static int32_t open_foreign(const char* options) {
    static char name[64];
    if (strlen(options) >= sizeof name) return MXCERT_UNSUPPORTED;
    memcpy(name, options, strlen(options) + 1);
    mistake = name;
    word = is("long shift of 32 bits") ? 32 : 64;
    return MXCERT_OK;
}

const mxcert_api* mxcert_get_api(uint32_t host_abi_major) {
    static const mxcert_conversion conversions[] = {
        {sizeof(mxcert_conversion), 0, "bf16", "e4m3", "nearest_even", "sat"},
        {sizeof(mxcert_conversion), 0, "bf16", "e5m2", "nearest_even", "nosat"},
        {sizeof(mxcert_conversion), 0, "fp16", "e5m2", "nearest_even", "nosat"},
        {sizeof(mxcert_conversion), 0, "fp32", "e4m3", "nearest_even", "sat"},
        {sizeof(mxcert_conversion), 0, "e4m3", "bf16", "nearest_even", "nosat"},
    };
    static mxcert_api api;
    if (host_abi_major != MXCERT_ABI_MAJOR) return NULL;
    api.struct_size = sizeof api;
    api.abi_major = MXCERT_ABI_MAJOR;
    api.abi_minor = MXCERT_ABI_MINOR;
    api.conversion_count = sizeof conversions / sizeof conversions[0];
    api.conversions = conversions;
    api.name = "foreign";
    api.version = "1";
    api.description = "conversions written by hand, with a mistake";
    api.open = open_foreign;
    api.convert = convert;
    return &api;
}
