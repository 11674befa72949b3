/* SPDX-License-Identifier: Apache-2.0
 *
 * The backend behind the target `worker`: it reads every value and random word it is given and writes every output, so
 * that AddressSanitizer sees a buffer that is too short. One conversion for each width, one stochastic, one that is
 * refused, one of a format that the worker does not know; and an operation.
 */
#include <string.h>

#include "conformance/backend.h"

enum { stochastic = 3, refused = 5 };

static const mxcert_conversion conversions[] = {
    {sizeof(mxcert_conversion), 0, "fp32", "e4m3", "nearest_even", "sat"},
    {sizeof(mxcert_conversion), 0, "fp64", "fp16", "nearest_even", "nosat"},
    {sizeof(mxcert_conversion), 0, "e4m3", "fp64", "nearest_even", "nosat"},
    {sizeof(mxcert_conversion), 8, "fp16", "e5m2", "stochastic_a", "sat"},
    {sizeof(mxcert_conversion), 0, "posit8", "e4m3", "nearest_even", "sat"},
    {sizeof(mxcert_conversion), 0, "e2m1", "bf16", "nearest_even", "sat"},
};
static const size_t in_bytes[] = {4, 8, 1, 2, 1, 1};
static const size_t out_bytes[] = {1, 2, 8, 1, 1, 2};

static int32_t convert(const mxcert_convert_args* args) {
    if (args->conversion == refused) return MXCERT_UNSUPPORTED;
    unsigned char sum = 0;
    for (size_t i = 0; i < args->count * in_bytes[args->conversion]; ++i)
        sum = (unsigned char)(sum + ((const unsigned char*)args->input)[i]);
    for (size_t i = 0; args->conversion == stochastic && i < args->count; ++i)
        sum = (unsigned char)(sum + args->random[i]);
    memset(args->output, sum, args->count * out_bytes[args->conversion]);
    uint8_t* const flags = MXCERT_FLAGS(args);
    if (flags != NULL) memset(flags, sum, args->count);
    return MXCERT_OK;
}

/* Ranges in steps that are right, that stop too early, that are too many, or none at all, by the first input. */
static int32_t convert_range(const mxcert_range_args* args) {
    if (args->first % 5 == 4) return MXCERT_UNSUPPORTED;
    for (uint32_t i = 0; i < args->capacity; ++i) {
        args->steps[i].last = args->first + i;
        args->steps[i].code = args->scale;
    }
    const uint64_t fitting = args->count < args->capacity ? args->count : args->capacity;
    if (args->first % 7 == 1) args->steps[fitting / 2].last = args->first + args->count;
    if (args->first % 7 == 2) args->steps[fitting / 2].last = 0;
    if (args->first % 7 == 3) args->steps[fitting / 2].code = 0x100;
    if (args->first % 5 == 0) args->steps[fitting - 1].last = args->first + args->count - 1;
    *args->step_count = args->first % 5 == 1 ? (uint64_t)args->capacity + 1 : fitting;
    return MXCERT_OK;
}

static const mxcert_operation operation = {sizeof(mxcert_operation), "quantize", "block=any"};

static int32_t run(const mxcert_run_args* args) {
    unsigned char sum = 0;
    for (uint32_t a = 0; a < args->input_count; ++a)
        for (size_t i = 0; i < args->inputs[a].count * args->inputs[a].width; ++i)
            sum = (unsigned char)(sum + ((const unsigned char*)args->inputs[a].data)[i]);
    for (uint32_t a = 0; a < args->output_count; ++a)
        memset(args->outputs[a].data, sum, args->outputs[a].count * args->outputs[a].width);
    return MXCERT_OK;
}

static const char* last_error(void) { return "not today"; }

static const uint8_t has_flags[sizeof(conversions) / sizeof(conversions[0])] = {1, 1, 1, 0, 1, 1};

static const mxcert_api api = {sizeof(mxcert_api),
                               MXCERT_ABI_MAJOR,
                               MXCERT_ABI_MINOR,
                               sizeof(conversions) / sizeof(conversions[0]),
                               conversions,
                               "fuzz",
                               "1",
                               "reads and writes everything",
                               0,
                               convert,
                               last_error,
                               0,
                               1,
                               0,
                               &operation,
                               run,
                               convert_range,
                               0,
                               has_flags};

const mxcert_api* mxcert_get_api(uint32_t host_abi_major) { return host_abi_major == MXCERT_ABI_MAJOR ? &api : 0; }
