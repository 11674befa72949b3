/* SPDX-License-Identifier: Apache-2.0 */
/* Jumps off a cliff at one input. */
#include "conformance/test/hostile/hostile.h"
#include <signal.h>

static int32_t hostile_convert(const mxcert_convert_args* args) {
    hostile_honest(args);
    for (uint64_t i = 0; i < args->count; ++i)
        if (args->conversion == 0 && ((const uint32_t*)args->input)[i] == 0x3F880001u) raise(SIGSEGV);
    return MXCERT_OK;
}

HOSTILE_PLUGIN("crash")
