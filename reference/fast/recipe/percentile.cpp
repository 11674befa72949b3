// SPDX-License-Identifier: Apache-2.0
#include "reference/fast/recipe/percentile.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <vector>

#include "reference/fast/recipe/machine_float.hpp"

namespace mxcert::fast {
namespace {

using recipe::Between;
using recipe::Percentile;
using recipe::Position;

/// x y + z rounded once. The product is exact in binary64; the sum is rounded there to odd, which keeps what binary32
/// must know: binary64 has more than twice its bits.
float fused(float x, float y, float z) {
    const double product = double{x} * double{y};
    const double sum = product + double{z};
    if (!std::isfinite(sum)) return static_cast<float>(sum);
    const double part = sum - product;
    const double error = (product - (sum - part)) + (double{z} - part);
    auto bits = std::bit_cast<std::uint64_t>(sum);
    if (error == 0 || (bits & 1U) != 0) return static_cast<float>(sum);
    // An even sum that is not exact: one of its two neighbours is the odd one on the side of the error.
    bits += (error > 0) == (sum > 0) ? 1 : std::uint64_t{0} - 1;
    return static_cast<float>(std::bit_cast<double>(bits));
}

} // namespace

PercentilePlace percentile_place(const Percentile& percentile, std::uint64_t count) {
    const std::uint64_t numerator = percentile.rank.numerator;
    const std::uint64_t denominator = percentile.rank.denominator;
    if (percentile.position == Position::exact) {
        const std::uint64_t product = numerator * (count - 1);
        // A quotient of whole numbers of 24 bits is on a tie of binary32 or 2^-49 of itself away: binary64, which errs
        // by 2^-53, rounds to the same side.
        const double rest = static_cast<double>(product % denominator) / static_cast<double>(denominator);
        return {product / denominator, static_cast<float>(rest)};
    }
    const double quotient = static_cast<double>(numerator) / static_cast<double>(denominator);
    const float position = static_cast<float>(quotient) * static_cast<float>(count - 1);
    const auto below = static_cast<std::uint64_t>(position);
    return {below, position - static_cast<float>(below)};
}

float percentile_between(Between how, float below, float above, float rest) {
    const float distance = above - below;
    if (how == Between::from_below) return rest == 0 ? below : below + rest * distance;
    if (how == Between::nearer_end) return rest < 0.5F ? below + rest * distance : above - distance * (1 - rest);
    return rest < 0.5F ? fused(rest, distance, below) : fused(rest - 1, distance, above);
}

Code percentile_of(const Percentile& percentile, const Format& value, std::span<const Code> values) {
    recipe::check(percentile, value, values.size());
    std::vector<float> magnitudes;
    bool any_nan = false;
    for (const Code code : values) {
        const float magnitude = std::fabs(widened(value, code));
        any_nan = any_nan || std::isnan(magnitude);
        if (!std::isnan(magnitude)) magnitudes.push_back(magnitude);
    }
    const bool propagates = any_nan && percentile.nan_entries == recipe::NanEntries::propagated;
    if (propagates || magnitudes.empty()) return quiet_nan_bits;
    const auto [below, rest] = percentile_place(percentile, magnitudes.size());
    const auto at = magnitudes.begin() + static_cast<std::ptrdiff_t>(below);
    std::nth_element(magnitudes.begin(), at, magnitudes.end());
    const float above = rest == 0 ? *at : *std::min_element(at + 1, magnitudes.end());
    return bits_of(percentile_between(percentile.between, *at, above, rest));
}

} // namespace mxcert::fast
