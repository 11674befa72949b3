// SPDX-License-Identifier: Apache-2.0
#include "conformance/suites/ring_question.hpp"

#include <span>
#include <utility>

#include "conformance/suites/matrices/size_cases.hpp"

namespace mxcert::suites {
namespace {

bool goes_right(const Extent& ring) { return ring.columns % ring_blocks == 0 && ring.columns > ring.rows; }

/// An array of a matrix that has another one again and again.
frames::RepeatedArray repeated(const frames::Values& values, const Extent& extent, const Extent& to) {
    frames::RepeatedArray array{count(to, "values"), values.width(), to.columns, {}};
    const std::uint64_t parts = extent.rows == to.rows ? extent.rows : 1;
    const std::uint64_t bytes = values.bytes().size() / parts;
    for (std::uint64_t i = 0; i < parts; ++i) {
        const auto part = values.bytes().subspan(i * bytes, bytes);
        array.periods.emplace_back(part.begin(), part.end());
    }
    return array;
}

std::vector<Extent> large_extents(const FloatMatrix& ring, Level level) {
    std::vector<Extent> extents;
    const bool right = goes_right(ring.values);
    const std::uint64_t across = right ? ring.values.rows : ring.values.columns;
    const std::uint64_t side = right ? ring.shape.columns : ring.shape.rows;
    const std::uint64_t step = side == BlockShape::whole ? 1 : side;
    // More than so many elements, and a multiple of them along the line.
    const auto add = [&](std::uint64_t elements, std::uint64_t multiple) {
        const std::uint64_t along = (elements / across / multiple + 1) * multiple;
        extents.push_back(right ? Extent{across, along} : Extent{along, across});
    };
    // Whole vectors and tiles, for which some have kernels of their own.
    constexpr std::uint64_t whole = 128;
    if (whole % step == 0) add(65 * whole * whole, whole);
    constexpr std::uint64_t grid = (std::uint64_t{1} << 16U) + 1;
    const std::uint64_t of_grid = grid * step * across;
    const std::span<const std::uint64_t> counts = large_counts(level);
    if (of_grid < counts.front() * 4) add(of_grid - 1, step);
    for (const std::uint64_t elements : counts) add(elements, step);
    return extents;
}

} // namespace

SizeQuestion ring_question(const FloatMatrix& ring, frames::RunCase small, Level level,
                           const std::vector<BlockShape>& arrays) {
    small.row = "blocks";
    small.name = text(ring.values);
    return {small, [=](const std::vector<frames::Values>& answers) {
                std::vector<frames::RepeatedRun> runs;
                for (const Extent& values : large_extents(ring, level)) {
                    const FloatMatrix large{values, ring.shape};
                    frames::RepeatedRun run{{values.rows, values.columns, 0, 0},
                                            {},
                                            {},
                                            count(values, "values"),
                                            large.has_tail(),
                                            text(values)};
                    auto shape = arrays.begin();
                    const auto add = [&](const std::vector<frames::Values>& from,
                                         std::vector<frames::RepeatedArray>& to) {
                        for (const frames::Values& array : from) {
                            to.push_back(repeated(array, scales_of(ring.values, *shape), scales_of(values, *shape)));
                            ++shape;
                        }
                    };
                    add(small.inputs, run.inputs);
                    add(answers, run.outputs);
                    runs.push_back(std::move(run));
                }
                return runs;
            }};
}

} // namespace mxcert::suites
