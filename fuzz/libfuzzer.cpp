// SPDX-License-Identifier: Apache-2.0
// What libFuzzer calls: the only target that is linked in.
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "fuzz/target.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const mxcert::fuzz::Target* const target = mxcert::fuzz::find_target("");
    if (target == nullptr) std::abort();
    target->run({reinterpret_cast<const char*>(data), size});
    return 0;
}
