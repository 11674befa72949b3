/* SPDX-License-Identifier: Apache-2.0 */
/* Never returns. */
#include "conformance/test/hostile/hostile.h"
#include "conformance/test/reached.h"
#include <unistd.h>

static int32_t hostile_convert(const mxcert_convert_args* args) {
    (void)args;
    test_reached();
    for (;;) pause();
    return MXCERT_OK;
}

HOSTILE_PLUGIN("hang")
