// SPDX-License-Identifier: Apache-2.0
#include "conformance/frames/repeated_run.hpp"

#include <algorithm>
#include <cstring>

#include "conformance/frames/words.hpp"

namespace mxcert::frames {
namespace {

/// Calls use(first byte in memory, bytes, period) for each time that a period is there, the last time in part.
template <class Use> void each_period(const RepeatedArray& array, const Use& use) {
    const std::uint64_t part = array.bytes() / array.periods.size();
    for (std::size_t i = 0; i < array.periods.size(); ++i) {
        const std::vector<std::byte>& period = array.periods[i];
        for (std::uint64_t at = 0; at < part; at += period.size())
            use(i * part + at, std::min<std::uint64_t>(period.size(), part - at), period);
    }
}

} // namespace

void fill(const RepeatedArray& array, std::span<std::byte> memory) {
    each_period(array, [&](std::uint64_t at, std::uint64_t bytes, const std::vector<std::byte>& period) {
        std::memcpy(memory.data() + at, period.data(), bytes);
    });
}

std::optional<Mismatch> mismatch(const RepeatedArray& array, std::span<const std::byte> memory) {
    Mismatch found;
    each_period(array, [&](std::uint64_t at, std::uint64_t bytes, const std::vector<std::byte>& period) {
        if (std::memcmp(memory.data() + at, period.data(), bytes) == 0) return;
        for (std::uint64_t i = 0; i < bytes; i += array.width) {
            const Code answer = load(memory.data() + at + i, array.width);
            const Code wanted = load(period.data() + i, array.width);
            if (answer != wanted && found.values++ == 0) {
                found.first = (at + i) / array.width;
                found.got = answer;
                found.wanted = wanted;
            }
        }
    });
    if (found.values == 0) return std::nullopt;
    return found;
}

} // namespace mxcert::frames
