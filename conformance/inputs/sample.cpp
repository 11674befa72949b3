// SPDX-License-Identifier: Apache-2.0
#include "conformance/inputs/sample.hpp"

#include <algorithm>

#include "reference/base/random.hpp"
#include "vectors/tables/single_bits.hpp"

namespace mxcert::inputs {
namespace {

constexpr Code around = 2; // ulp, to either side

/// Seeded inputs in all: the steps of a source with a given scale are a hundred times as many as others'.
constexpr std::size_t most_seeded = std::size_t{1} << 19;

void add_boundaries(const std::vector<Code>& firsts, Code last, std::vector<Code>& inputs) {
    inputs.push_back(0);
    inputs.push_back(last);
    for (const Code first : firsts) {
        // The boundary lies between first - 1 and first: two codes beyond either of them.
        for (Code back = 1; back <= around + 1 && first >= back; ++back) inputs.push_back(first - back);
        for (Code on = 0; on <= around && last - first >= on; ++on) inputs.push_back(first + on);
    }
}

std::vector<Point> points_of(std::vector<Code> inputs) {
    std::sort(inputs.begin(), inputs.end());
    inputs.erase(std::unique(inputs.begin(), inputs.end()), inputs.end());
    std::vector<Point> points;
    points.reserve(inputs.size());
    for (const Code input : inputs) points.push_back({input, 0, 0});
    return points;
}

} // namespace

std::vector<Point> boundary_points(const Format& from, const std::vector<Code>& firsts) {
    std::vector<Code> inputs;
    add_boundaries(firsts, from.last_code(), inputs);
    return points_of(std::move(inputs));
}

std::vector<Point> choose_points(const Format& from, const std::vector<Code>& firsts, unsigned per_step,
                                 std::uint64_t seed, std::size_t most_neighbours) {
    const Code last = from.last_code();
    std::vector<Code> inputs = single_bit_neighbours(from, firsts, most_neighbours, seed);
    add_boundaries(firsts, last, inputs);
    SplitMix64 random(seed);
    per_step =
        static_cast<unsigned>(std::min<std::size_t>(per_step, std::max<std::size_t>(1, most_seeded / firsts.size())));
    for (std::size_t i = 0; i < firsts.size(); ++i) {
        const Code first = firsts[i];
        const Code end = i + 1 < firsts.size() ? firsts[i + 1] - 1 : last;
        const Code span = end - first; // one less than the inputs, which may be 2^64
        if (span < per_step) {
            for (Code n = 0; n <= span; ++n) inputs.push_back(first + n);
            continue;
        }
        for (unsigned n = 0; n < per_step; ++n)
            inputs.push_back(first + (span == ~Code{0} ? random() : random.below(span + 1)));
    }
    return points_of(std::move(inputs));
}

} // namespace mxcert::inputs
