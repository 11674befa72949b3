// SPDX-License-Identifier: Apache-2.0
#include "conformance/worker/refused.hpp"

#include <algorithm>

namespace mxcert::worker {

void refuse_request(const std::string& message) { throw Refused(MXCERT_ERROR, message); }

void check_guards(const std::byte* output, std::uint64_t bytes, std::uint64_t poison) {
    const auto touched = [&](const std::byte* guard) {
        const auto filled = static_cast<std::byte>(poison & 0xFF);
        return std::any_of(guard, guard + guard_bytes, [filled](std::byte b) { return b != filled; });
    };
    if (touched(output - guard_bytes)) refuse_request("the backend wrote before the start of its output");
    if (touched(output + bytes)) refuse_request("the backend wrote beyond the end of its output");
}

} // namespace mxcert::worker
