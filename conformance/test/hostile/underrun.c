/* SPDX-License-Identifier: Apache-2.0 */
/* Writes one value before its output. */
#include "conformance/test/hostile/hostile.h"

static int32_t hostile_convert(const mxcert_convert_args* args) {
    hostile_honest(args);
    ((volatile uint8_t*)args->output)[-1] = 0;
    return MXCERT_OK;
}

HOSTILE_PLUGIN("underrun")
