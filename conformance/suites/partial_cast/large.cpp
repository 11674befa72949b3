// SPDX-License-Identifier: Apache-2.0
#include "conformance/suites/partial_cast/large.hpp"

#include <span>
#include <utility>
#include <vector>

#include "conformance/suites/matrices/size_cases.hpp"

namespace mxcert::suites {
namespace {

using recipe::PartialCast;

/// An array of a matrix in `pieces` below each other, each of which repeats that of a small one. `lines`: of a piece,
/// that go to the right; 1 where it goes down.
frames::RepeatedArray repeated_pieces(const frames::Values& values, std::uint64_t pieces, std::uint64_t lines,
                                      const Extent& to) {
    frames::RepeatedArray array{to.rows * to.columns, values.width(), to.columns, {}};
    const std::uint64_t periods = pieces * lines;
    const std::uint64_t bytes = values.bytes().size() / periods;
    for (std::uint64_t i = 0; i < periods; ++i) {
        const auto part = values.bytes().subspan(i * bytes, bytes);
        array.periods.emplace_back(part.begin(), part.end());
    }
    return array;
}

/// A piece of a large matrix: as many rings as it takes to have so many elements before the last piece.
Extent large_piece(const Extent& ring, bool right, std::uint64_t elements) {
    const std::uint64_t rings = elements / (ring_pieces - 1) / (ring.rows * ring.columns) + 1;
    return right ? Extent{ring.rows, rings * ring.columns} : Extent{rings * ring.rows, ring.columns};
}

} // namespace

SizeQuestion large_shards(const PartialCast& cast, const ShardCase& ring, Level level) {
    frames::RunCase small = run_of(cast, ring);
    small.row = "shards";
    return {small, [=](const std::vector<frames::Values>& answers) {
                std::vector<frames::RepeatedRun> runs;
                const Extent of_ring{ring.shard.matrix.rows / ring_pieces, ring.shard.matrix.columns};
                const bool right = of_ring.columns > of_ring.rows;
                for (const std::uint64_t elements : large_counts(level)) {
                    const Extent piece = large_piece(of_ring, right, elements);
                    const Extent whole{ring_pieces * piece.rows, piece.columns};
                    const Extent scales = scales_of(whole, cast.block);
                    const std::uint64_t shard = piece.rows * piece.columns;
                    const std::uint64_t lines = right ? piece.rows : 1;
                    const std::uint64_t scale_lines = right ? scales.rows / ring_pieces : 1;
                    frames::RepeatedRun run{{whole.rows, whole.columns, (ring_pieces - 1) * shard, shard},
                                            {},
                                            {},
                                            ring_pieces * shard,
                                            false,
                                            "the last quarter of " + text(whole)};
                    run.inputs = {repeated_pieces(small.inputs[0], 1, lines, piece),
                                  repeated_pieces(small.inputs[1], ring_pieces, lines, whole),
                                  repeated_pieces(small.inputs[2], ring_pieces, scale_lines, scales)};
                    if (small.inputs.size() == 4) run.inputs.push_back(repeated_pieces(small.inputs[3], 1, 1, {1, 1}));
                    run.outputs = {repeated_pieces(answers[0], ring_pieces, lines, whole)};
                    runs.push_back(std::move(run));
                }
                return runs;
            }};
}

} // namespace mxcert::suites
