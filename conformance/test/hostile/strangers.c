/* SPDX-License-Identifier: Apache-2.0 */
/* Offers nothing that anybody knows. */
#include "conformance/backend.h"

static int32_t convert(const mxcert_convert_args* args) {
    (void)args;
    return MXCERT_OK;
}

static const mxcert_conversion conversions[] = {
    {sizeof(mxcert_conversion), 0, "fp17", "e4m3", "nearest_even", "sat"},
    {sizeof(mxcert_conversion), 0, "fp16", "e4m3", "sideways", "sat"},
};

static const mxcert_api api = {sizeof(mxcert_api),
                               MXCERT_ABI_MAJOR,
                               MXCERT_ABI_MINOR,
                               2,
                               conversions,
                               "strangers",
                               "1",
                               "a backend for tests",
                               0,
                               convert,
                               0,
                               0,
                               0,
                               0,
                               0,
                               0,
                               0,
                               0,
                               0};

const mxcert_api* mxcert_get_api(uint32_t host_abi_major) { return host_abi_major == MXCERT_ABI_MAJOR ? &api : 0; }
