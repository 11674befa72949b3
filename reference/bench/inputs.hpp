// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstdint>
#include <string_view>
#include <vector>

namespace mxcert {

/// FP32 inputs of a benchmark. Code with branches is fast on some and slow on others.
enum class Inputs : std::uint8_t {
    sweep, ///< bit patterns in ascending order, evenly over all 2^32, as a certification sends them
    bell,  ///< values around zero as in a scaled block: a sum of twelve uniform ones, most below 448
};
[[nodiscard]] constexpr std::string_view name(Inputs inputs) { return inputs == Inputs::sweep ? "sweep" : "bell"; }

[[nodiscard]] inline std::vector<std::uint32_t> make_inputs(Inputs inputs, std::size_t n) {
    std::vector<std::uint32_t> out(n);
    std::uint64_t state = 1;
    for (std::size_t i = 0; i < n; ++i) {
        if (inputs == Inputs::sweep) {
            out[i] = static_cast<std::uint32_t>((static_cast<std::uint64_t>(i) << 32) / n + i % 7919);
            continue;
        }
        std::int32_t sum = 0;
        for (int k = 0; k < 12; ++k) {
            state = state * 6364136223846793005U + 1442695040888963407U;
            sum += static_cast<std::int32_t>(state >> 44) - (1 << 19);
        }
        out[i] = std::bit_cast<std::uint32_t>(static_cast<float>(sum) * 0x1p-13F);
    }
    return out;
}

} // namespace mxcert
