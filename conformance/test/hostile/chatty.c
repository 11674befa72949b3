/* SPDX-License-Identifier: Apache-2.0 */
/* Honest, and floods standard output and standard error, in its first calls more than a pipe holds. */
#include "conformance/test/hostile/hostile.h"
#include <stdio.h>

static int32_t hostile_convert(const mxcert_convert_args* args) {
    hostile_honest(args);
    static int calls;
    const int lines = calls++ < 8 ? 2000 : 1;
    for (int i = 0; i < lines; ++i) {
        fputs("a line on standard output that must not reach the frames\n", stdout);
        fputs("a line on standard error that somebody has to read\n", stderr);
    }
    return MXCERT_OK;
}

HOSTILE_PLUGIN("chatty")
