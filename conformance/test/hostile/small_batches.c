/* SPDX-License-Identifier: Apache-2.0 */
/* Takes 100 values a call and says so; more, or a call that is not as it should be, ends it. */
#include <stdlib.h>

#include "conformance/test/hostile/hostile.h"

static int32_t hostile_convert(const mxcert_convert_args* args) {
    if (args->count > 100) abort();
    hostile_honest(args);
    return MXCERT_OK;
}

#define mxcert_get_api hostile_get_api
HOSTILE_PLUGIN("small_batches")
#undef mxcert_get_api

MXCERT_EXPORT const mxcert_api* mxcert_get_api(uint32_t host_abi_major) {
    static mxcert_api api;
    const mxcert_api* any = hostile_get_api(host_abi_major);
    if (any == NULL) return NULL;
    api = *any;
    api.max_batch = 100;
    return &api;
}
