// SPDX-License-Identifier: Apache-2.0
#include "conformance/suites/float_blocks/float_sizes.hpp"

#include "conformance/inputs/interleave.hpp"
#include "conformance/suites/maker.hpp"
#include "conformance/suites/matrices/size_cases.hpp"
#include "conformance/suites/ring_question.hpp"

namespace mxcert::suites {
namespace {

constexpr std::uint64_t downwards_most = 1U << 16U; ///< values of a ring of blocks below each other

/// The sizes of the small matrices: 61 blocks to the right and downwards, and 61 values of a block that takes a side.
std::vector<Extent> ring_extents(const BlockShape& shape) {
    std::vector<Extent> extents;
    const bool all_rows = shape.rows == BlockShape::whole;
    const bool all_columns = shape.columns == BlockShape::whole;
    const std::uint64_t rows = all_rows ? whole_side : shape.rows;
    const std::uint64_t columns = all_columns ? whole_side : shape.columns;
    if (!all_columns) extents.push_back({rows, ring_blocks * columns});
    if (!all_rows && ring_blocks * rows * columns <= downwards_most) extents.push_back({ring_blocks * rows, columns});
    if (all_columns) extents.push_back({all_rows ? 1 : rows, ring_blocks});
    if (all_rows) extents.push_back({ring_blocks, all_columns ? 1 : columns});
    return extents;
}

} // namespace

std::vector<FloatCase> float_rings(const QuantizeFloat& quantize) {
    const Format& f = *quantize.source;
    const Maker maker(f);
    std::vector<FloatCase> rings;
    for (const Extent& extent : ring_extents(quantize.block)) {
        FloatCase float_case{
            "a ring of 61", {}, {extent, quantize.block}, frames::Values(count(extent, "values"), frames::bytes_of(f))};
        const std::uint64_t blocks = float_case.matrix.blocks();
        for (std::uint64_t number = 0; number < blocks; ++number) {
            const BlockRange block = float_case.matrix.block(number);
            const std::uint64_t lanes = count(block.size, "values");
            // Scales of their own: other binades, not so far that some recipe has no scale for them.
            const int exponent = static_cast<int>(inputs::far_apart(number, ring_blocks) % 12) - 6;
            for (std::uint64_t lane = 0; lane < lanes; ++lane) {
                const Code code = maker.ordinary((number + lane) % 37);
                const Code fraction = lane == 0 ? code | Code{1} << static_cast<unsigned>(f.fraction_bits - 1) : code;
                const Code value = maker.normal(lane == 0 ? exponent + 1 : exponent, fraction);
                float_case.values.set(float_case.matrix.place(block, lane), value | (code & f.sign_bit()));
            }
        }
        rings.push_back(std::move(float_case));
    }
    return rings;
}

std::vector<FloatDequantizeCase> float_rings(const DequantizeFloat& dequantize) {
    const Format& scale = *dequantize.scale;
    const Code step = scale.fraction_bits > 8 ? (Code{1} << static_cast<unsigned>(scale.fraction_bits - 8)) * 3 : 1;
    std::vector<FloatDequantizeCase> rings;
    for (const Extent& extent : ring_extents(dequantize.block)) {
        const FloatMatrix matrix{extent, dequantize.block};
        const std::uint64_t values = count(extent, "values");
        FloatDequantizeCase float_dequantize_case{"a ring of 61", matrix,
                                                  frames::Values(values, frames::bytes_of(*dequantize.element)),
                                                  frames::Values(matrix.blocks(), frames::bytes_of(scale))};
        for (std::uint64_t i = 0; i < values; ++i)
            float_dequantize_case.elements.set(i, finite_element(*dequantize.element, i));
        for (std::uint64_t i = 0; i < float_dequantize_case.scales.count(); ++i)
            float_dequantize_case.scales.set(i, scale.one_code() - 6 * step +
                                                    inputs::far_apart(i, ring_blocks) % ring_blocks * step);
        rings.push_back(std::move(float_dequantize_case));
    }
    return rings;
}

SizeQuestion size_question(const QuantizeFloat& quantize, const FloatCase& ring, Level level) {
    return ring_question(ring.matrix, run_of(quantize, ring), level, {{1, 1}, {1, 1}, quantize.block});
}

SizeQuestion size_question(const DequantizeFloat& dequantize, const FloatDequantizeCase& ring, Level level) {
    return ring_question(ring.matrix, run_of(dequantize, ring), level, {{1, 1}, dequantize.block, {1, 1}});
}

} // namespace mxcert::suites
