// SPDX-License-Identifier: Apache-2.0
#include "conformance/suites/partial_cast/large.hpp"

#include <span>
#include <utility>
#include <vector>

#include "conformance/suites/size_cases.hpp"

namespace mxcert::suites {
namespace {

using recipe::PartialCast;

/// An array of a matrix in halves, each of which repeats that of a small one. `parts`: lines of a half that go to the
/// right, or 1 where it goes down.
frames::RepeatedArray repeated_halves(const frames::Values& values, std::uint64_t halves, std::uint64_t parts,
                                      const Extent& to) {
    frames::RepeatedArray array{to.rows * to.columns, values.width(), to.columns, {}};
    const std::uint64_t periods = halves * parts;
    const std::uint64_t bytes = values.bytes().size() / periods;
    for (std::uint64_t i = 0; i < periods; ++i) {
        const auto part = values.bytes().subspan(i * bytes, bytes);
        array.periods.emplace_back(part.begin(), part.end());
    }
    return array;
}

/// The half of a large matrix: as many rings as it takes to have so many elements with the other half.
Extent half_of(const Extent& ring_half, bool right, std::uint64_t elements) {
    const std::uint64_t rings = elements / 2 / (ring_half.rows * ring_half.columns) + 1;
    return right ? Extent{ring_half.rows, rings * ring_half.columns}
                 : Extent{rings * ring_half.rows, ring_half.columns};
}

} // namespace

SizeQuestion large_shards(const PartialCast& cast, const ShardCase& ring, Level level) {
    frames::RunCase small = run_of(cast, ring);
    small.row = "shards";
    return {small, [=](const std::vector<frames::Values>& answers) {
                std::vector<frames::RepeatedRun> runs;
                const Extent ring_half{ring.shard.matrix.rows / 2, ring.shard.matrix.columns};
                const bool right = ring_half.columns > ring_half.rows;
                for (const std::uint64_t elements : large_counts(level)) {
                    const Extent half = half_of(ring_half, right, elements);
                    const Extent whole{2 * half.rows, half.columns};
                    const Extent scales = scales_of(whole, cast.block);
                    const std::uint64_t shard = half.rows * half.columns;
                    const std::uint64_t lines = right ? half.rows : 1;
                    const std::uint64_t scale_lines = right ? scales.rows / 2 : 1;
                    frames::RepeatedRun run{{whole.rows, whole.columns, shard, shard}, {}, {}, 2 * shard, false,
                                            "the second half of " + text(whole)};
                    run.inputs = {repeated_halves(small.inputs[0], 1, lines, half),
                                  repeated_halves(small.inputs[1], 2, lines, whole),
                                  repeated_halves(small.inputs[2], 2, scale_lines, scales)};
                    if (small.inputs.size() == 4) run.inputs.push_back(repeated_halves(small.inputs[3], 1, 1, {1, 1}));
                    run.outputs = {repeated_halves(answers[0], 2, lines, whole)};
                    runs.push_back(std::move(run));
                }
                return runs;
            }};
}

} // namespace mxcert::suites
