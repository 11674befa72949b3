/* SPDX-License-Identifier: Apache-2.0 */
/* Says that it worked and writes nothing. */
#include "conformance/test/hostile/hostile.h"

static int32_t hostile_convert(const mxcert_convert_args* args) {
    (void)args;
    return MXCERT_OK;
}

HOSTILE_PLUGIN("silent")
