/* SPDX-License-Identifier: Apache-2.0 */
/* Crashes at every call. */
#include "conformance/test/hostile/hostile.h"
#include <signal.h>
#include <stdio.h>

static int32_t hostile_convert(const mxcert_convert_args* args) {
    (void)args;
    fputs("about to crash\n", stderr);
    raise(SIGSEGV);
    return MXCERT_OK;
}

HOSTILE_PLUGIN("crash_always")
