/* SPDX-License-Identifier: Apache-2.0 */
/* Crashes when its process ends. */
#include "conformance/test/hostile/hostile.h"
#include <signal.h>

static int32_t hostile_convert(const mxcert_convert_args* args) {
    hostile_honest(args);
    return MXCERT_OK;
}

HOSTILE_PLUGIN("bad_end")

__attribute__((destructor)) static void at_the_end(void) { raise(SIGSEGV); }
