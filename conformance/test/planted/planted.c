/* SPDX-License-Identifier: Apache-2.0
 * The portable backend with a fault in its first conversion (fp32-e4m3-nearest_even-sat), which its option names:
 *     3F880001        the lowest bit of the answer to this input, 8 hexadecimal digits, is turned
 *     tail            the last value of a call of 5 or more gets the answer of the one before it
 *     forget          the last value of a call of 5 or more gets none
 *     fickle          every 16th call gives its first value the lowest bit turned
 *     crash=3F880001  the process ends by SIGABRT at this input
 * Without an option nothing is wrong. A test learns (reached.h) of each call; where an input has a wrong answer, of
 * those from the first wrong answer on.
 */
#include <stdlib.h>
#include <string.h>

#include "conformance/backend.h"
#include "conformance/test/reached.h"

/* mxcert_get_api() of the portable backend, which is built under this name here. */
const mxcert_api* planted_portable_api(uint32_t host_abi_major);

enum fault { none, one_input, tail, forget, fickle, crash };

static const mxcert_api* portable;
static mxcert_api api;
static enum fault fault;
static uint32_t wrong_input;

static int32_t open_planted(const char* options) {
    static const char crash_at[] = "crash=";
    fault = options[0] == '\0'                                      ? none
            : strcmp(options, "tail") == 0                          ? tail
            : strcmp(options, "forget") == 0                        ? forget
            : strcmp(options, "fickle") == 0                        ? fickle
            : strncmp(options, crash_at, sizeof(crash_at) - 1) == 0 ? crash
                                                                    : one_input;
    wrong_input = (uint32_t)strtoul(fault == crash ? options + sizeof(crash_at) - 1 : options, NULL, 16);
    return MXCERT_OK;
}

static int32_t convert(const mxcert_convert_args* args) {
    static const uint64_t long_call = 5;
    static unsigned calls;
    static int was_wrong;
    const uint32_t* input = (const uint32_t*)args->input;
    uint8_t* output = (uint8_t*)args->output;
    if (fault != one_input || was_wrong) test_reached();
    if (args->conversion != 0) return portable->convert(args);
    const uint64_t last = args->count - 1;
    const uint8_t kept = output[last];
    const int32_t status = portable->convert(args);
    if (status != MXCERT_OK) return status;
    for (uint64_t i = 0; i < args->count; ++i) {
        if (fault == crash && input[i] == wrong_input) abort();
        if (fault == one_input && input[i] == wrong_input) {
            output[i] ^= 1u;
            was_wrong = 1;
        }
    }
    if (fault == tail && args->count >= long_call) output[last] = output[last - 1];
    if (fault == forget && args->count >= long_call) output[last] = kept;
    if (fault == fickle && ++calls % 16 == 0) output[0] ^= 1u;
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
