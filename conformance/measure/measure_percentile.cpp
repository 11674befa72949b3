// SPDX-License-Identifier: Apache-2.0
// Magnitudes are found by their place in ascending order without being kept: as bit patterns of binary32 they ascend
// too. A first pass counts them by their upper half, a second one, within the halves that matter, by their lower one.
#include "conformance/measure/measure_percentile.hpp"

#include <bit>
#include <cmath>
#include <map>
#include <stdexcept>

#include <fmt/format.h>

#include "conformance/measure/measure_pieces.hpp"
#include "reference/fast/recipe/percentile.hpp"

namespace mxcert::measure {
namespace {

constexpr unsigned half_bits = 16;
constexpr std::uint32_t low_mask = (std::uint32_t{1} << half_bits) - 1;

/// How many magnitudes have each value of 16 bits.
using Counts = std::vector<std::uint64_t>;

template <class Use> void for_each_magnitude(const tensors::TensorFile& file, std::size_t most, Use use) {
    for_each_piece(file, most, {}, [&](Piece& piece) {
        for (const double x : piece.values)
            if (std::isfinite(x)) use(std::bit_cast<std::uint32_t>(static_cast<float>(std::abs(x))));
    });
}

/// Where the magnitude of a place is: the value that is counted, and how many of that come before.
struct Found {
    std::uint32_t value = 0;
    std::uint64_t before = 0;
};

/// Precondition: fewer than `place` come before, and there are more than `place`.
Found find(const Counts& counts, std::uint64_t place) {
    Found found{0, place};
    while (found.before >= counts[found.value]) found.before -= counts[found.value++];
    return found;
}

/// The magnitudes with these indices, in ascending order of all. Precondition: there are more than each of them.
std::vector<float> magnitudes_at(const tensors::TensorFile& file, const std::vector<std::uint64_t>& places,
                                 std::size_t most) {
    Counts upper(low_mask + 1);
    for_each_magnitude(file, most, [&](std::uint32_t bits) { ++upper[bits >> half_bits]; });
    std::vector<Found> found;
    std::map<std::uint32_t, Counts> lower;
    for (const std::uint64_t place : places) {
        found.push_back(find(upper, place));
        lower.try_emplace(found.back().value, low_mask + 1);
    }
    std::vector<Counts*> by_upper(low_mask + 1, nullptr);
    for (auto& [value, counts] : lower) by_upper[value] = &counts;
    for_each_magnitude(file, most, [&](std::uint32_t bits) {
        if (Counts* counts = by_upper[bits >> half_bits]) ++(*counts)[bits & low_mask];
    });
    std::vector<float> magnitudes;
    for (const auto& [value, before] : found)
        magnitudes.push_back(std::bit_cast<float>(value << half_bits | find(lower.at(value), before).value));
    return magnitudes;
}

} // namespace

std::vector<float> percentiles_of(const tensors::TensorFile& file, const std::vector<recipe::Percentile>& percentiles,
                                  std::uint64_t finite, std::size_t most) {
    if (std::vector<float> zeros(percentiles.size()); finite == 0 || percentiles.empty()) return zeros;
    std::vector<fast::PercentilePlace> places;
    std::vector<std::uint64_t> indices; // of both neighbours
    for (const recipe::Percentile& percentile : percentiles) {
        if (percentile.position == recipe::Position::fp32 && finite > recipe::most_elements)
            throw std::invalid_argument(
                fmt::format("binary32 has no positions among {} values: this percentile is one of at most {}; "
                            "element_percentile_9999_exact takes more",
                            finite, recipe::most_elements));
        places.push_back(fast::percentile_place(percentile, finite));
        const fast::PercentilePlace& place = places.back();
        indices.insert(indices.end(), {place.below, place.rest == 0 ? place.below : place.below + 1});
    }
    const std::vector<float> magnitudes = magnitudes_at(file, indices, most);
    std::vector<float> values;
    for (std::size_t i = 0; i < percentiles.size(); ++i)
        values.push_back(
            fast::percentile_between(percentiles[i].between, magnitudes[2 * i], magnitudes[2 * i + 1], places[i].rest));
    return values;
}

} // namespace mxcert::measure
