// SPDX-License-Identifier: Apache-2.0
#include "conformance/certify/plan_cost.hpp"

#include <numeric>
#include <span>

#include "conformance/suites/registry.hpp"

namespace mxcert::certify {
namespace {

constexpr std::uint64_t parts_of_every_amax = 16;
constexpr std::uint64_t values_of_amaxes = std::uint64_t{1} << 27;
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

std::vector<Sweep> sweeps_of(const Operation& operation, Level level) {
    std::vector<Sweep> sweeps;
    for (const std::string_view row : suites::suite_of(operation).swept(operation, level))
        if (row == "scale")
            sweeps.push_back({row, parts_of_every_amax, values_of_amaxes});
        else
            sweeps.push_back({row, asks_every_pair(level) ? parts_of_every_pair : 1, values_of_elements});
    return sweeps;
}

} // namespace mxcert::certify
