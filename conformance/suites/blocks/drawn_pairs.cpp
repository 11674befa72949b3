// SPDX-License-Identifier: Apache-2.0
#include "conformance/suites/blocks/drawn_pairs.hpp"

#include <algorithm>

#include "conformance/suites/blocks/table_cases.hpp"
#include "reference/base/random.hpp"

namespace mxcert::suites {
namespace {

constexpr Code slice = Code{1} << 16U;  ///< values under one scale
constexpr std::uint64_t any_one_in = 8; ///< slices whose scale is drawn among all

struct Given {
    Code scale;
    Code amax;
};

struct Drawn {
    Code scale;
    std::uint64_t turn; ///< decides the order under the scale
    inputs::CodeRange range;
};

/// Scales that divide a value by enough, from the largest element to below the smallest.
std::uint64_t near_scales(const Format& element) {
    return (std::uint64_t{1} << static_cast<unsigned>(element.exponent_bits)) +
           static_cast<std::uint64_t>(element.fraction_bits) + 2;
}

} // namespace

std::vector<inputs::CodeRange> drawn_pairs(const Quantize& quantize, std::span<const Code> amax_of_scale,
                                           std::uint64_t seed) {
    const Format& scaled = *quantize.element.from;
    std::vector<Given> given_scales;
    Code largest = 0;
    for (Code scale = 0; scale < amax_of_scale.size(); ++scale) {
        if (amax_of_scale[scale] == no_amax || scaled.scale->is_nan(scale)) continue;
        given_scales.push_back({scale, std::min(amax_of_scale[scale], scaled.max_code())});
        largest = std::max(largest, given_scales.back().amax);
    }
    if (given_scales.empty()) return {};
    std::vector<Drawn> drawn;
    std::vector<Code> scales;
    for (Code first = 0; first <= largest; first += slice) {
        const Code last = std::min(first + slice - 1, largest);
        scales.clear();
        for (const Given& this_scales : given_scales)
            if (last <= this_scales.amax) scales.push_back(this_scales.scale);
        const std::uint64_t near = std::min<std::uint64_t>(scales.size(), near_scales(*quantize.format.element));
        for (const Code sign : {Code{0}, scaled.sign_bit()}) {
            SplitMix64 random(SplitMix64::at(seed, first | sign));
            const std::uint64_t among = random.below(any_one_in) == 0 ? scales.size() : near;
            const Code scale = scales[random.below(among)];
            drawn.push_back(
                {scale, random(), {scaled.code_of(scale, sign | first), scaled.code_of(scale, sign | last)}});
        }
    }
    std::sort(drawn.begin(), drawn.end(),
              [](const Drawn& a, const Drawn& b) { return a.scale != b.scale ? a.scale < b.scale : a.turn < b.turn; });
    std::vector<inputs::CodeRange> ranges;
    for (const Drawn& this_drawn : drawn) ranges.push_back(this_drawn.range);
    return ranges;
}

std::vector<Code> codes_outside(std::span<const inputs::CodeRange> ranges, std::span<const Code> codes) {
    std::vector<inputs::CodeRange> ascending(ranges.begin(), ranges.end());
    std::sort(ascending.begin(), ascending.end(),
              [](const inputs::CodeRange& a, const inputs::CodeRange& b) { return a.first < b.first; });
    std::vector<Code> outside;
    auto range = ascending.begin();
    for (const Code code : codes) {
        while (range != ascending.end() && range->last < code) ++range;
        if (range == ascending.end() || code < range->first) outside.push_back(code);
    }
    return outside;
}

} // namespace mxcert::suites
