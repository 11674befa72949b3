/* SPDX-License-Identifier: Apache-2.0 */
/* Changes its inputs. */
#include "conformance/test/hostile/hostile.h"

static int32_t hostile_convert(const mxcert_convert_args* args) {
    hostile_honest(args);
    uint64_t* input = (uint64_t*)(uintptr_t)args->input; /* NOLINT(performance-no-int-to-ptr): const is cast away */
    if (args->conversion >= 2) input[0] ^= 1;
    return MXCERT_OK;
}

HOSTILE_PLUGIN("meddle")
