/* SPDX-License-Identifier: Apache-2.0 */
/* Honest and nearly free: the harness's own cost is measured with it. */
#include "conformance/test/hostile/hostile.h"

static int32_t hostile_convert(const mxcert_convert_args* args) {
    hostile_honest(args);
    return MXCERT_OK;
}

HOSTILE_PLUGIN("top_byte")
