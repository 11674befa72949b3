// SPDX-License-Identifier: Apache-2.0
// What libFuzzer calls: the only target that is linked in, and how its inputs are changed.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <random>
#include <string>

#include "fuzz/mutate.hpp"
#include "fuzz/target.hpp"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);

namespace {

using mxcert::fuzz::Target;

const Target& only_target() {
    static const Target* const target = mxcert::fuzz::find_target("");
    if (target == nullptr) std::abort();
    return *target;
}

std::string_view text_of(const std::uint8_t* data, std::size_t size) {
    return {reinterpret_cast<const char*>(data), size};
}

/// Writes to `result` and returns the length.
std::size_t mutate(std::string_view input, std::string_view other, std::uint8_t* result, std::size_t most,
                   unsigned seed) {
    std::mt19937 random(seed);
    const std::string changed =
        mxcert::fuzz::mutate(only_target().form, input, other, {random, LLVMFuzzerMutate, most});
    std::copy(changed.begin(), changed.end(), result);
    return changed.size();
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    only_target().run(text_of(data, size));
    return 0;
}

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed) {
    if (only_target().form == mxcert::fuzz::Form::bytes) return LLVMFuzzerMutate(data, size, most);
    return mutate(text_of(data, size), {}, data, most, seed);
}

extern "C" std::size_t LLVMFuzzerCustomCrossOver(const std::uint8_t* data, std::size_t size, const std::uint8_t* other,
                                                 std::size_t other_size, std::uint8_t* result, std::size_t most,
                                                 unsigned seed) {
    return mutate(text_of(data, size), text_of(other, other_size), result, most, seed);
}
