/* SPDX-License-Identifier: Apache-2.0 */
/* Forgets one input. */
#include "conformance/test/hostile/hostile.h"

static int32_t hostile_convert(const mxcert_convert_args* args) {
    uint8_t kept[1];
    for (uint64_t i = 0; i < args->count; ++i) {
        if (args->conversion != 0 || ((const uint32_t*)args->input)[i] != 0x3F880001u) continue;
        kept[0] = ((uint8_t*)args->output)[i];
        hostile_honest(args);
        ((uint8_t*)args->output)[i] = kept[0];
        return MXCERT_OK;
    }
    hostile_honest(args);
    return MXCERT_OK;
}

HOSTILE_PLUGIN("last_of_block")
