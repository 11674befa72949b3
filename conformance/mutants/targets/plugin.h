/* SPDX-License-Identifier: Apache-2.0
 * A plugin around one function, for the targets of `./dev mutants`. Nothing here is mutated. */
#ifndef MXCERT_MUTANTS_PLUGIN_H
#define MXCERT_MUTANTS_PLUGIN_H

#include "conformance/backend.h"

#define PLUGIN_API(...)                                                                                                \
    static const mxcert_api api = {.struct_size = sizeof(mxcert_api),                                                  \
                                   .abi_major = MXCERT_ABI_MAJOR,                                                      \
                                   .abi_minor = MXCERT_ABI_MINOR,                                                      \
                                   .name = "mutant",                                                                   \
                                   .version = "1",                                                                     \
                                   .description = "a target of mutants",                                               \
                                   __VA_ARGS__};                                                                       \
    MXCERT_EXPORT const mxcert_api* mxcert_get_api(uint32_t host_abi_major) {                                          \
        return host_abi_major == MXCERT_ABI_MAJOR ? &api : NULL;                                                       \
    }

/* FP32 to an 8-bit format, rounded to nearest even and saturating, by `one`. */
#define CONVERTER_PLUGIN(target, one)                                                                                  \
    static int32_t convert(const mxcert_convert_args* args) {                                                          \
        const uint32_t* in = args->input;                                                                              \
        uint8_t* out = args->output;                                                                                   \
        for (uint64_t i = 0; i < args->count; ++i) out[i] = one(in[i]);                                                \
        return MXCERT_OK;                                                                                              \
    }                                                                                                                  \
    static const mxcert_conversion conversions[] = {                                                                   \
        {sizeof(mxcert_conversion), 0, "fp32", target, "nearest_even", "sat"},                                         \
    };                                                                                                                 \
    PLUGIN_API(.conversion_count = 1, .conversions = conversions, .convert = convert)

#endif
