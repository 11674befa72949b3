/* SPDX-License-Identifier: Apache-2.0 */
/* Gives 38 whatever is asked. */
#include "conformance/test/hostile/hostile.h"

static int32_t hostile_convert(const mxcert_convert_args* args) {
    for (uint64_t i = 0; i < args->count; ++i) ((uint8_t*)args->output)[i] = 0x38;
    return MXCERT_OK;
}

HOSTILE_PLUGIN("one_constant")
