/* SPDX-License-Identifier: Apache-2.0
 * A plugin that says what it sees of the interface: its version is that of the header it was built with, its
 * description has the sizes of what it fills in, and every call fails with the size of what it was given.
 */
#include <stdio.h>

#include "conformance/backend.h"

static mxcert_conversion conversions[2];
static mxcert_operation operations[2];
static mxcert_api api;
static char version[32];
static char description[128];
static char seen[32];

static int32_t say(uint32_t struct_size) {
    (void)snprintf(seen, sizeof seen, "given %u bytes", (unsigned)struct_size);
    return MXCERT_ERROR;
}

static int32_t convert(const mxcert_convert_args* args) {
    return args->tensor_scale != 0 ? MXCERT_UNSUPPORTED : say(args->struct_size);
}
static int32_t convert_range(const mxcert_range_args* args) { return say(args->struct_size); }
static int32_t run(const mxcert_run_args* args) {
    for (uint32_t i = 0; i < args->input_count; ++i)
        if (args->inputs[i].packing != 0) return MXCERT_UNSUPPORTED;
    for (uint32_t i = 0; i < args->output_count; ++i)
        if (args->outputs[i].packing != 0) return MXCERT_UNSUPPORTED;
    return say(args->struct_size);
}
static const char* last_error(void) { return seen; }

const mxcert_api* mxcert_get_api(uint32_t host_abi_major) {
    static const char* const sources[2] = {"fp16", "bf16"};
    static const char* const names[2] = {"quantize", "dequantize"};
    (void)host_abi_major;
    for (int i = 0; i < 2; ++i) {
        conversions[i].struct_size = sizeof conversions[i];
        conversions[i].source = sources[i];
        conversions[i].target = "e4m3";
        conversions[i].rounding = "nearest_even";
        conversions[i].overflow = "sat";
        operations[i].struct_size = sizeof operations[i];
        operations[i].name = names[i];
        operations[i].attributes = "block=32";
    }
    (void)snprintf(version, sizeof version, "%u.%u", MXCERT_ABI_MAJOR, MXCERT_ABI_MINOR);
    (void)snprintf(description, sizeof description, "api %u, conversion %u, operation %u", (unsigned)sizeof api,
                   (unsigned)sizeof conversions[0], (unsigned)sizeof operations[0]);
    api.struct_size = sizeof api;
    api.abi_major = MXCERT_ABI_MAJOR;
    api.abi_minor = MXCERT_ABI_MINOR;
    api.conversion_count = 2;
    api.conversions = conversions;
    api.name = "sizes";
    api.version = version;
    api.description = description;
    api.convert = convert;
    api.last_error = last_error;
    api.operation_count = 2;
    api.operations = operations;
    api.run = run;
    api.convert_range = convert_range;
    return &api;
}
