/* SPDX-License-Identifier: Apache-2.0 */
/* Ends its process, as a library that handles errors with exit() does. */
#include "conformance/test/hostile/hostile.h"
#include <stdlib.h>

static int32_t hostile_convert(const mxcert_convert_args* args) {
    (void)args;
    exit(0);
}

HOSTILE_PLUGIN("leave")
