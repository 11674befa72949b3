/* SPDX-License-Identifier: Apache-2.0
 * The portable backend with one wrong answer: its option is the FP32 input, 8 hexadecimal digits, at which the lowest
 * bit of its first conversion (fp32-e4m3-nearest_even-sat) is turned. Without an option nothing is wrong.
 */
#include <stdlib.h>

#include "conformance/backend.h"

/* mxcert_get_api() of the portable backend, which is built under this name here. */
const mxcert_api* planted_portable_api(uint32_t host_abi_major);

static const mxcert_api* portable;
static mxcert_api api;
static int has_input;
static uint32_t wrong_input;

static int32_t open_planted(const char* options) {
    has_input = options[0] != '\0';
    wrong_input = (uint32_t)strtoul(options, NULL, 16);
    return MXCERT_OK;
}

static int32_t convert(const mxcert_convert_args* args) {
    const int32_t status = portable->convert(args);
    if (status != MXCERT_OK || args->conversion != 0 || !has_input) return status;
    for (uint64_t i = 0; i < args->count; ++i)
        if (((const uint32_t*)args->input)[i] == wrong_input) ((uint8_t*)args->output)[i] ^= 1u;
    return status;
}

const mxcert_api* mxcert_get_api(uint32_t host_abi_major) {
    portable = planted_portable_api(host_abi_major);
    if (portable == NULL) return NULL;
    api = *portable;
    api.name = "planted";
    api.open = open_planted;
    api.convert = convert;
    return &api;
}
