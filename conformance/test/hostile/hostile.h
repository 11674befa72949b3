/* SPDX-License-Identifier: Apache-2.0
 *
 * What the hostile backends share: a conversion that is easy to predict (the upper byte of the input), and the table of
 * a plugin around it. Each file defines `hostile_convert` and then says HOSTILE_PLUGIN("name").
 */
#ifndef MXCERT_TEST_HOSTILE_H
#define MXCERT_TEST_HOSTILE_H

#include "conformance/backend.h"

static uint32_t hostile_top_byte(const mxcert_convert_args* args, uint64_t i) {
    switch (args->conversion) {
    case 0: return ((const uint32_t*)args->input)[i] >> 24;
    case 1: return (uint32_t)((const uint16_t*)args->input)[i] >> 8;
    default: return (uint32_t)(((const uint64_t*)args->input)[i] >> 56);
    }
}

/* Honest: gives every input its upper byte; stochastic: plus its random word. */
static inline void hostile_honest(const mxcert_convert_args* args) {
    uint8_t* output = (uint8_t*)args->output;
    if (args->conversion == 0) {
        const uint32_t* input = (const uint32_t*)args->input;
        for (uint64_t i = 0; i < args->count; ++i) output[i] = (uint8_t)(input[i] >> 24);
        return;
    }
    for (uint64_t i = 0; i < args->count; ++i)
        output[i] = (uint8_t)(hostile_top_byte(args, i) + (args->conversion == 3 ? args->random[i] : 0));
}

#define HOSTILE_PLUGIN(NAME)                                                                                           \
    static const mxcert_conversion hostile_conversions[] = {                                                           \
        {sizeof(mxcert_conversion), 0, "fp32", "e4m3", "nearest_even", "sat"},                                         \
        {sizeof(mxcert_conversion), 0, "fp16", "e4m3", "nearest_even", "sat"},                                         \
        {sizeof(mxcert_conversion), 0, "fp64", "e4m3", "nearest_even", "sat"},                                         \
        {sizeof(mxcert_conversion), 8, "fp64", "e4m3", "stochastic_a", "sat"},                                         \
    };                                                                                                                 \
    static const char* hostile_error(void) { return "it hurts"; }                                                      \
    static const mxcert_api hostile_api = {sizeof(mxcert_api),                                                         \
                                           MXCERT_ABI_MAJOR,                                                           \
                                           MXCERT_ABI_MINOR,                                                           \
                                           sizeof(hostile_conversions) / sizeof(hostile_conversions[0]),               \
                                           hostile_conversions,                                                        \
                                           NAME,                                                                       \
                                           "1",                                                                        \
                                           "a backend for tests",                                                      \
                                           0,                                                                          \
                                           hostile_convert,                                                            \
                                           hostile_error,                                                              \
                                           0,                                                                          \
                                           0,                                                                          \
                                           0,                                                                          \
                                           0,                                                                          \
                                           0,                                                                          \
                                           0,                                                                          \
                                           0,                                                                          \
                                           0};                                                                         \
    const mxcert_api* mxcert_get_api(uint32_t host_abi_major) {                                                        \
        return host_abi_major == MXCERT_ABI_MAJOR ? &hostile_api : 0;                                                  \
    }

#endif
