// SPDX-License-Identifier: Apache-2.0
// Offers of backend.hpp that the compiler takes and that cannot be asked.
#include "conformance/backend.hpp"

const mxcert_api* mxcert_get_api(std::uint32_t version) {
    using namespace mxcert::backend;
#ifdef MXCERT_WRONG_WIDTH
    static Backend wrong("wrapped_width", "1", "a function of other types than the names say",
                         {{"bf16", "e4m3", "nearest_even", "sat", [](float) { return std::uint8_t{0}; }}});
#else
    static Backend wrong("wrapped_packed", "1", "a helper for bytes, with packed elements", {},
                         {quantizer("source=fp32 element=e2m1 scale=e8m0 rule=ocp_floor rounding=nearest_even "
                                    "overflow=sat axis=row block=2 packing=low_first",
                                    [](const float*, std::size_t, std::uint8_t*) { return std::uint8_t{0}; })});
#endif
    return wrong.api(version);
}
