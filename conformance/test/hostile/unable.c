/* SPDX-License-Identifier: Apache-2.0 */
/* Offers what it cannot do. */
#include "conformance/test/hostile/hostile.h"

static int32_t hostile_convert(const mxcert_convert_args* args) {
    (void)args;
    return MXCERT_UNSUPPORTED;
}

HOSTILE_PLUGIN("unable")
