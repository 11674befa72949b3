/* SPDX-License-Identifier: Apache-2.0 */
/* Another code for every input. */
#include "conformance/test/hostile/hostile.h"

static int32_t hostile_convert(const mxcert_convert_args* args) {
    for (uint64_t i = 0; i < args->count; ++i)
        ((uint8_t*)args->output)[i] = (uint8_t)(((const uint32_t*)args->input)[i] * 37u);
    return MXCERT_OK;
}

HOSTILE_PLUGIN("noisy")
