/* SPDX-License-Identifier: Apache-2.0 */
/* Honest, and floods standard output and standard error. */
#include "conformance/test/hostile/hostile.h"
#include <stdio.h>

static int32_t hostile_convert(const mxcert_convert_args* args) {
    hostile_honest(args);
    for (int i = 0; i < 2000; ++i) {
        fputs("a line on standard output that must not reach the frames\n", stdout);
        fputs("a line on standard error that somebody has to read\n", stderr);
    }
    return MXCERT_OK;
}

HOSTILE_PLUGIN("chatty")
