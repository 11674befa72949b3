/* SPDX-License-Identifier: Apache-2.0 */
/* Gives something else where a batch is cut otherwise. */
#include "conformance/test/hostile/hostile.h"

static int32_t hostile_convert(const mxcert_convert_args* args) {
    hostile_honest(args);
    if (args->count % 2 == 1) ((uint8_t*)args->output)[0] ^= 1;
    return MXCERT_OK;
}

HOSTILE_PLUGIN("fickle")
