// SPDX-License-Identifier: Apache-2.0
#include "reference/recipe/partial_cast.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace mxcert::recipe {

std::string_view to_string(GivenScale scale) {
    switch (scale) {
    case GivenScale::encode: return "fp32";
    case GivenScale::e8m0: return "e8m0";
    case GivenScale::nvfp4: break;
    }
    return "nvfp4";
}

const Format& format_of(GivenScale scale) { return scale == GivenScale::e8m0 ? formats::e8m0 : formats::fp32; }

void check(const PartialCast& cast, const Shard& shard) {
    const std::uint64_t elements = count(shard.matrix, "elements");
    if (shard.first > elements || shard.values.size() > elements - shard.first)
        throw std::invalid_argument("a shard of " + std::to_string(shard.values.size()) + " values from element " +
                                    std::to_string(shard.first) + " on is not within a matrix of " +
                                    text(shard.matrix));
    if (shard.before.size() != elements)
        throw std::invalid_argument("a matrix of " + text(shard.matrix) + " has " + std::to_string(elements) +
                                    " elements, there are " + std::to_string(shard.before.size()));
    const std::uint64_t blocks = count(scales_of(shard.matrix, cast.block), "scales");
    if (shard.scales.size() != blocks)
        throw std::invalid_argument("a matrix of " + text(shard.matrix) + " has " + std::to_string(blocks) +
                                    " scales, there are " + std::to_string(shard.scales.size()));
}

std::vector<bool> undefined_elements(const PartialCast& cast, const Shard& shard) {
    if (!cast.strip || shard.values.empty()) return {};
    const std::uint64_t columns = shard.matrix.columns;
    const Extent strips = scales_of(shard.matrix, *cast.strip);
    std::vector<bool> touched(count(strips, "strips"));
    for (std::uint64_t row = shard.first / columns; row <= (shard.end() - 1) / columns; ++row) {
        const std::uint64_t begin = std::max(shard.first, row * columns) - row * columns;
        const std::uint64_t end = std::min(shard.end(), (row + 1) * columns) - row * columns;
        for (std::uint64_t strip = begin / cast.strip->columns; strip <= (end - 1) / cast.strip->columns; ++strip)
            touched[row / cast.strip->rows * strips.columns + strip] = true;
    }
    std::vector<bool> undefined(shard.before.size());
    for (std::uint64_t element = 0; element < undefined.size(); ++element)
        undefined[element] =
            !shard.has(element) &&
            touched[element / columns / cast.strip->rows * strips.columns + element % columns / cast.strip->columns];
    return undefined;
}

} // namespace mxcert::recipe
