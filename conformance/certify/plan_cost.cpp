// SPDX-License-Identifier: Apache-2.0
#include "conformance/certify/plan_cost.hpp"

#include <algorithm>
#include <numeric>
#include <span>

#include "conformance/suites/registry.hpp"

namespace mxcert::certify {
namespace {

constexpr SweepCost every_amax{16, std::uint64_t{1} << 27};
constexpr std::uint64_t parts_of_every_pair = 128;
constexpr std::uint64_t values_of_elements = std::uint64_t{1} << 32;

} // namespace

std::uint64_t large_call_cost(Level level) {
    const std::span<const std::uint64_t> large = large_counts(level);
    return start_cost + std::accumulate(large.begin(), large.end(), std::uint64_t{0});
}

std::uint64_t case_cost(Level level) {
    const unsigned bits = is_small(level) ? 28 : level == Level::quick ? 29 : 30;
    return std::uint64_t{1} << bits;
}

SweepCost sweep_cost(const Operation& operation, std::string_view row, Level level) {
    const auto swept = suites::suite_of(operation).swept(operation, level);
    if (std::find(swept.begin(), swept.end(), row) == swept.end()) return {};
    if (row == "scale") return every_amax;
    return {asks_every_pair(level) ? parts_of_every_pair : 1, values_of_elements};
}

} // namespace mxcert::certify
