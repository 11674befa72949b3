/* SPDX-License-Identifier: Apache-2.0 */
/* Leaves out the last value of every batch that is not a multiple of 2. */
#include "conformance/test/hostile/hostile.h"

static int32_t hostile_convert(const mxcert_convert_args* args) {
    mxcert_convert_args even = *args;
    even.count &= ~(uint64_t)1;
    hostile_honest(&even);
    return MXCERT_OK;
}

HOSTILE_PLUGIN("partial")
