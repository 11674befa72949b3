// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>

#include "reference/base/random.hpp"
#include "reference/format.hpp"

// Codes worth a try, drawn at random.
namespace mxcert::inputs {

/// Draws an index from a table of weights.
template <std::size_t N> [[nodiscard]] std::size_t draw(SplitMix64& random, const std::array<unsigned, N>& weights) {
    std::uint64_t sum = 0;
    for (const unsigned weight : weights) sum += weight;
    std::uint64_t left = random.below(sum);
    std::size_t at = 0;
    for (; left >= weights[at]; ++at) left -= weights[at];
    return at;
}

/// A code up to 3 from another one, inside the format.
[[nodiscard]] Code draw_near(SplitMix64& random, Code code, const Format& format);

/// Zero, one, the ends of the subnormal and normal numbers, Inf and NaN, of either sign, and what is next to them.
[[nodiscard]] Code draw_special(SplitMix64& random, const Format& format);

/// The first or the last code of a binade, or one next to it.
[[nodiscard]] Code draw_binade_edge(SplitMix64& random, const Format& format);

/// Few bits of the fraction set: where a sticky bit is lost.
[[nodiscard]] Code draw_sparse(SplitMix64& random, const Format& format);

} // namespace mxcert::inputs
