/* SPDX-License-Identifier: Apache-2.0 */
/* Changes its inputs. */
#include "conformance/test/hostile/hostile.h"

static int32_t hostile_convert(const mxcert_convert_args* args) {
    hostile_honest(args);
    if (args->conversion >= 2) ((uint64_t*)(uintptr_t)args->input)[0] ^= 1;
    return MXCERT_OK;
}

HOSTILE_PLUGIN("meddle")
