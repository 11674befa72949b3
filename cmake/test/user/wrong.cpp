// SPDX-License-Identifier: Apache-2.0
// Subnormals of E5M2 are lost.
#include "conformance/backend.hpp"

const mxcert_api* mxcert_get_api(std::uint32_t version) {
    static mxcert::backend::Backend wrong(
        "wrong", "1", "E5M2 to FP16 without subnormals",
        {
            {"e5m2", "fp16", "nearest_even", "nosat",
             [](std::uint8_t x) { return static_cast<std::uint16_t>((x & 0x7C) == 0 ? (x & 0x80) << 8 : x << 8); }},
        });
    return wrong.api(version);
}
