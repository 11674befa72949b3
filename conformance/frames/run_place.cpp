// SPDX-License-Identifier: Apache-2.0
#include "conformance/frames/run_place.hpp"

#include <fmt/format.h>

#include "reference/block_shape.hpp"

namespace mxcert::frames {
namespace {

// Blocks along a line. Run::shape: rows, columns, elements of a block.
std::string in_lines(Axis axis, const RunCase& run_case, bool scale, std::uint64_t index) {
    const std::uint64_t block = run_case.shape[2];
    if (!scale) {
        const std::uint64_t row = index / run_case.shape[1];
        const std::uint64_t column = index % run_case.shape[1];
        const std::uint64_t at = axis == Axis::row ? column : row;
        return fmt::format("row {}, column {} (block {}, lane {})", row, column, at / block, at % block);
    }
    if (axis == Axis::column)
        return fmt::format("the scale of block {} of column {}", index / run_case.shape[1], index % run_case.shape[1]);
    const std::uint64_t blocks = (run_case.shape[1] + block - 1) / block;
    return fmt::format("the scale of block {} of row {}", index % blocks, index / blocks);
}

std::string in_tiles(const BlockShape& shape, const RunCase& run_case, bool scale, std::uint64_t index) {
    const Extent values{run_case.shape[0], run_case.shape[1]};
    if (scale) {
        const std::uint64_t across = scales_of(values, shape).columns;
        return fmt::format("the scale of block {},{}", index / across, index % across);
    }
    const std::uint64_t high = shape.rows == BlockShape::whole ? values.rows : shape.rows;
    const std::uint64_t wide = shape.columns == BlockShape::whole ? values.columns : shape.columns;
    const std::uint64_t row = index / values.columns;
    const std::uint64_t column = index % values.columns;
    return fmt::format("row {}, column {} (block {},{}, row {}, column {} of it)", row, column, row / high,
                       column / wide, row % high, column % wide);
}

} // namespace

std::string place_text(const Operation& operation, const RunCase& run_case, std::size_t output, std::uint64_t index) {
    const bool scale = output == 1;
    if (operation.info->name == "quantize") return in_lines(as_quantize(operation).axis, run_case, scale, index);
    if (operation.info->name == "dequantize") return in_lines(as_dequantize(operation).axis, run_case, false, index);
    if (operation.info->name == "quantize_float")
        return in_tiles(as_quantize_float(operation).block, run_case, scale, index);
    if (operation.info->name == "dequantize_float")
        return in_tiles(as_dequantize_float(operation).block, run_case, false, index);
    if (operation.info->name == "matmul")
        return fmt::format("row {}, column {} of D", index / run_case.shape[1], index % run_case.shape[1]);
    if (operation.info->name == "linear") {
        const std::size_t columns =
            as_linear(operation).shape({run_case.shape[0], run_case.shape[1], run_case.shape[2]}).n;
        return fmt::format("row {}, column {} of D", index / columns, index % columns);
    }
    return fmt::format("value {} of output {}", index, output);
}

} // namespace mxcert::frames
