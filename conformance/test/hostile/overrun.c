/* SPDX-License-Identifier: Apache-2.0 */
/* Writes one value too many. */
#include "conformance/test/hostile/hostile.h"

static int32_t hostile_convert(const mxcert_convert_args* args) {
    hostile_honest(args);
    ((volatile uint8_t*)args->output)[args->count] = 0;
    return MXCERT_OK;
}

HOSTILE_PLUGIN("overrun")
