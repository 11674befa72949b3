/* SPDX-License-Identifier: Apache-2.0
 * The portable backend with a bug of time or place, which its option names: no table of inputs and outputs shows it, or
 * only one entry of it does. Without an option nothing is wrong.
 */
#define _POSIX_C_SOURCE 200809L /* NOLINT(bugprone-reserved-identifier): its name */
#include <stddef.h>
#include <string.h>
#include <time.h>

#include "conformance/backend.h"

/* mxcert_get_api() of the portable backend, which is built under this name here. */
const mxcert_api* misplaced_portable_api(uint32_t host_abi_major);

static const mxcert_api* portable;
static mxcert_api api;
static const char* fault = "";
static uint64_t calls;  /* before this one */
static uint64_t values; /* of the calls before this one */

typedef const mxcert_convert_args* Args;

static uint8_t* outputs(Args args) { return (uint8_t*)args->output; }

/* The lowest bit of the answer to this input, of any width that has it, is turned. */
static void turn(Args args, uint32_t input) {
    const int wide = strcmp(api.conversions[args->conversion].source, "fp32") == 0;
    for (uint64_t i = 0; i < args->count; ++i) {
        const uint32_t given = wide ? ((const uint32_t*)args->input)[i] : ((const uint16_t*)args->input)[i];
        if (given == input) outputs(args)[i] ^= 1u;
    }
}

static void one_fp16_input(Args args) { turn(args, 0x3C01); }
static void one_fp32_input(Args args) { turn(args, 0x3F880001); }
static void one_lane(Args args) {
    for (uint64_t i = 17; i < args->count; i += 32) outputs(args)[i] = outputs(args)[i - 1];
}
/* Lane 15 of 16 is left out, and has what its neighbour has. */
static void lane_repeated(Args args) {
    for (uint64_t i = 15; i < args->count; i += 16) outputs(args)[i] = outputs(args)[i - 1];
}
static void swap(uint8_t* a, uint8_t* b) {
    const uint8_t kept = *a;
    *a = *b;
    *b = kept;
}
static void lanes_swapped(Args args) {
    for (uint64_t i = 0; i + 3 < args->count; i += 16) swap(&outputs(args)[i + 2], &outputs(args)[i + 3]);
}
/* Only a pair is converted: the rest has what its second half has. */
static void one_pair(Args args) {
    for (uint64_t i = 2; i < args->count; ++i) outputs(args)[i] = outputs(args)[1];
}
/* A register that is not written in time. */
static void one_before(Args args) {
    for (uint64_t i = args->count - args->count % 64; i >= 64; i -= 64) outputs(args)[i - 1] = outputs(args)[i - 2];
}
/* Four answers are packed to a word from the other end. */
static void packed_from_the_end(Args args) {
    for (uint64_t i = 0; i + 3 < args->count; i += 4) {
        swap(&outputs(args)[i], &outputs(args)[i + 3]);
        swap(&outputs(args)[i + 1], &outputs(args)[i + 2]);
    }
}
static void last_of_a_call(Args args) {
    if (args->count > 1) outputs(args)[args->count - 1] = outputs(args)[args->count - 2];
}
static void one_call_in_16(Args args) {
    if (calls % 16 == 15) outputs(args)[0] ^= 1u;
}
static void one_value_in_a_million(Args args) {
    static const uint64_t million = 1u << 20;
    for (uint64_t i = million - 1 - values % million; i < args->count; i += million) outputs(args)[i] ^= 1u;
}
static void second_time(Args args) {
    static int asked; /* before */
    for (uint64_t i = 0; i < args->count; ++i)
        if (((const uint16_t*)args->input)[i] == 0x3C01 && asked++ != 0) outputs(args)[i] ^= 1u;
}
static void unaligned(Args args) {
    if ((uintptr_t)args->input % 16 != 0) outputs(args)[0] ^= 1u;
}
static void race(Args args) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    if (now.tv_nsec / 64 % 4 != 0) outputs(args)[0] ^= 1u;
}

static const struct {
    const char* name;
    void (*spoil)(Args args);
} faults[] = {
    {"one input of 2^16", one_fp16_input},
    {"one input of 2^32", one_fp32_input},
    {"one lane of 32", one_lane},
    {"lane 15 repeats lane 14", lane_repeated},
    {"lanes 2 and 3 swapped", lanes_swapped},
    {"only the first two lanes", one_pair},
    {"the answer before in 1 of 64", one_before},
    {"bytes of a pack reversed", packed_from_the_end},
    {"the last value of a call", last_of_a_call},
    {"one call in 16", one_call_in_16},
    {"one value in 2^20", one_value_in_a_million},
    {"only the second time", second_time},
    {"only unaligned arrays", unaligned},
    {"a race", race},
};

static int32_t open_misplaced(const char* options) {
    fault = "";
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; ++i)
        if (strcmp(options, faults[i].name) == 0) fault = faults[i].name;
    return options[0] == '\0' || fault[0] != '\0' ? MXCERT_OK : MXCERT_UNSUPPORTED;
}

static int32_t convert(Args args) {
    const int32_t status = portable->convert(args);
    if (status != MXCERT_OK) return status;
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; ++i)
        if (faults[i].name == fault) faults[i].spoil(args);
    ++calls;
    values += args->count;
    return status;
}

const mxcert_api* mxcert_get_api(uint32_t host_abi_major) {
    portable = misplaced_portable_api(host_abi_major);
    if (portable == NULL) return NULL;
    api = *portable;
    api.name = "misplaced";
    api.open = open_misplaced;
    api.convert = convert;
    return &api;
}
