/* SPDX-License-Identifier: Apache-2.0 */
/* Fails every call. */
#include "conformance/test/hostile/hostile.h"

static int32_t hostile_convert(const mxcert_convert_args* args) {
    (void)args;
    return MXCERT_ERROR;
}

HOSTILE_PLUGIN("refuse")
