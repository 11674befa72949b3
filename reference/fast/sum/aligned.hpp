// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "reference/choices.hpp"

// Sums of terms that are cut at a place below the largest exponent among them, in 64 bits.
namespace mxcert::fast {

/// A signed significand with a place of its own: significand x 2^place is the number, `exponent` is what it is aligned
/// by.
struct Aligned {
    std::int64_t significand;
    int place;
    int exponent;
};

/// significand x 2^places, cut to an integer; toward zero moved_toward_zero() does.
inline std::int64_t moved(std::int64_t significand, int places, Rounding rounding) {
    if (places >= 0) return places < 63 ? significand * (std::int64_t{1} << places) : 0; // only zero has to move so far
    const auto down = static_cast<unsigned>(std::min(-places, 63));
    const std::int64_t below = significand >> down; // an arithmetic shift: down
    if (rounding == Rounding::down) return below;
    const std::int64_t rest = significand - static_cast<std::int64_t>(static_cast<std::uint64_t>(below) << down);
    if (rounding == Rounding::to_odd) return rest != 0 ? below | 1 : below; // of the two about it the odd one
    const std::int64_t half = std::int64_t{1} << (down - 1);                // no significand comes near 2^62
    return below + (rest > half || (rest == half && (below & 1) != 0) ? 1 : 0);
}

/// A sum of aligned terms: units x 2^(exponent - fraction).
struct AlignedSum {
    std::int64_t units = 0;
    int exponent = 0;
};

/// As moved(), toward zero, without a branch.
inline std::int64_t moved_toward_zero(std::int64_t significand, int places) {
    const int up = std::clamp(places, 0, 62);
    const int down = std::clamp(-places, 0, 62);
    const std::int64_t below = (std::int64_t{1} << down) - 1;
    const std::int64_t wide = significand * (std::int64_t{1} << up);
    return (wide + ((wide >> 63) & below)) >> down;
}

inline AlignedSum align(const Aligned* terms, std::size_t n, std::size_t stride, int fraction, Rounding rounding) {
    AlignedSum sum;
    sum.exponent = terms[0].exponent;
    for (std::size_t i = stride; i < n; i += stride) sum.exponent = std::max(sum.exponent, terms[i].exponent);
    const int unit = sum.exponent - fraction;
    if (rounding == Rounding::toward_zero)
        for (std::size_t i = 0; i < n; i += stride)
            sum.units += moved_toward_zero(terms[i].significand, terms[i].place - unit);
    else
        for (std::size_t i = 0; i < n; i += stride)
            sum.units += moved(terms[i].significand, terms[i].place - unit, rounding);
    return sum;
}

} // namespace mxcert::fast
