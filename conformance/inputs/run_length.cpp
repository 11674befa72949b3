// SPDX-License-Identifier: Apache-2.0
#include "conformance/inputs/run_length.hpp"

#include <algorithm>
#include <cstring>

namespace mxcert::inputs {
namespace {

template <class Word> Word load(const std::byte* at) {
    Word word; // NOLINT(cppcoreguidelines-pro-type-member-init): memcpy fills it
    std::memcpy(&word, at, sizeof word);
    return word;
}

constexpr std::size_t block =
    256; ///< bytes compared at once: long enough for wide vectors, short enough to find the end

/// Bytes from the start that repeat `value`, which the first Word has or had. The pattern has the same bits in every 8
/// bytes, so blocks are compared as 64-bit words whatever the width.
template <class Word> std::size_t run_bytes(const std::byte* data, std::size_t bytes, Word value) {
    std::uint64_t pattern = 0;
    for (std::size_t i = 0; i < 8; i += sizeof(Word))
        std::memcpy(reinterpret_cast<char*>(&pattern) + i, &value, sizeof value);

    std::size_t at = sizeof(Word);
    // Short runs first: most of the cost of a noisy output.
    const std::size_t head = std::min<std::size_t>(bytes, 4 * sizeof(Word));
    for (; at < head; at += sizeof(Word))
        if (load<Word>(data + at) != value) return at;
    for (; bytes - at >= block; at += block) {
        std::uint64_t differing = 0;
        for (std::size_t i = 0; i < block; i += 8) differing |= load<std::uint64_t>(data + at + i) ^ pattern;
        if (differing != 0) break;
    }
    for (; bytes - at >= 8; at += 8)
        if (load<std::uint64_t>(data + at) != pattern) break;
    for (; at < bytes; at += sizeof(Word))
        if (load<Word>(data + at) != value) return at;
    return bytes;
}

template <class Word> void encode(std::span<const std::byte> outputs, Code first, std::vector<Step>& steps) {
    for (std::size_t at = 0; at < outputs.size();) {
        // Read before the run is measured: it must be a value that was there, even if the worker changes it under us.
        const auto value = load<Word>(outputs.data() + at);
        const std::size_t length = run_bytes<Word>(outputs.data() + at, outputs.size() - at, value);
        append_step(steps, {first + at / sizeof(Word), first + (at + length) / sizeof(Word) - 1, value});
        at += length;
    }
}

} // namespace

void append_step(std::vector<Step>& steps, const Step& step) {
    if (!steps.empty() && steps.back().code == step.code && steps.back().last + 1 == step.first)
        steps.back().last = step.last;
    else
        steps.push_back(step);
}

std::vector<Step> in_order(std::vector<Step> steps) {
    std::sort(steps.begin(), steps.end(), [](const Step& a, const Step& b) { return a.first < b.first; });
    std::vector<Step> joined;
    for (const Step& step : steps) append_step(joined, step);
    return joined;
}

void encode_runs(std::span<const std::byte> outputs, unsigned width, Code first, std::vector<Step>& steps) {
    switch (width) {
    case 1: return encode<std::uint8_t>(outputs, first, steps);
    case 2: return encode<std::uint16_t>(outputs, first, steps);
    case 4: return encode<std::uint32_t>(outputs, first, steps);
    default: return encode<std::uint64_t>(outputs, first, steps);
    }
}

std::vector<Step> part_of(const std::vector<Step>& steps, Code first, Code last) {
    std::vector<Step> part;
    auto at = std::lower_bound(steps.begin(), steps.end(), first,
                               [](const Step& step, Code input) { return step.last < input; });
    for (; at != steps.end() && at->first <= last; ++at)
        part.push_back({std::max(at->first, first), std::min(at->last, last), at->code});
    return part;
}

std::vector<RunDifference> differing_runs(std::span<const Step> a, std::span<const Step> b) {
    std::vector<RunDifference> differences;
    for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
        const Code last = std::min(a[i].last, b[j].last);
        if (a[i].code != b[j].code)
            differences.push_back({std::max(a[i].first, b[j].first), last, a[i].code, b[j].code});
        if (a[i].last == last) ++i;
        if (b[j].last == last) ++j;
    }
    return differences;
}

} // namespace mxcert::inputs
