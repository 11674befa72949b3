/* SPDX-License-Identifier: Apache-2.0 */
/* E5M2 is the upper half of binary16. */
#include "conformance/backend.h"

static int32_t convert(const mxcert_convert_args* args) {
    const uint8_t* in = (const uint8_t*)args->input;
    uint16_t* out = (uint16_t*)args->output;
    for (uint64_t i = 0; i < args->count; ++i) out[i] = (uint16_t)(in[i] << 8);
    return MXCERT_OK;
}

static const mxcert_conversion conversions[] = {
    {sizeof(mxcert_conversion), 0, "e5m2", "fp16", "nearest_even", "nosat"},
};

static const mxcert_api api = {
    .struct_size = sizeof(mxcert_api),
    .abi_major = MXCERT_ABI_MAJOR,
    .abi_minor = MXCERT_ABI_MINOR,
    .conversion_count = 1,
    .conversions = conversions,
    .name = "shift",
    .version = "1",
    .description = "a consumer of the package",
    .convert = convert,
};

const mxcert_api* mxcert_get_api(uint32_t host_abi_major) { return host_abi_major == MXCERT_ABI_MAJOR ? &api : NULL; }
