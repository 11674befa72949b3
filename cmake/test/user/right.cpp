// SPDX-License-Identifier: Apache-2.0
// E5M2 is the upper byte of FP16.
#include "conformance/backend.hpp"

const mxcert_api* mxcert_get_api(std::uint32_t version) {
    static mxcert::backend::Backend right("right", "1", "E5M2 to FP16 by a shift",
                                          {
                                              {"e5m2", "fp16", "nearest_even", "nosat",
                                               [](std::uint8_t x) { return static_cast<std::uint16_t>(x << 8); }},
                                          });
    return right.api(version);
}
