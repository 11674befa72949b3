// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "conformance/frames/run.hpp"
#include "reference/operation/operation.hpp"

namespace mxcert::suites {

/// A matrix in blocks along its lines: its rows, or its columns. What is asked of an operation is written by line and
/// position in it, whatever the axis.
struct BlockMatrix {
    Axis axis = Axis::row;
    std::uint64_t lines = 0;
    std::uint64_t length = 0; ///< of a line
    std::uint64_t block = 0;  ///< elements; the last one of a line may have fewer

    [[nodiscard]] std::uint64_t elements() const { return lines * length; }
    [[nodiscard]] std::uint64_t blocks_in_line() const { return (length + block - 1) / block; }
    [[nodiscard]] std::uint64_t blocks() const { return lines * blocks_in_line(); }
    /// Whether the last block of a line has fewer: such a matrix may be refused.
    [[nodiscard]] bool has_tail() const { return length % block != 0; }
    /// Elements of block `b` of a line.
    [[nodiscard]] std::uint64_t size_of(std::uint64_t b) const { return std::min(block, length - b * block); }

    /// Where an element, and the scale of a block, lie in memory: both matrices are in rows.
    [[nodiscard]] std::uint64_t place(std::uint64_t line, std::uint64_t at) const {
        return axis == Axis::row ? line * length + at : at * lines + line;
    }
    [[nodiscard]] std::uint64_t scale_place(std::uint64_t line, std::uint64_t b) const {
        return axis == Axis::row ? line * blocks_in_line() + b : b * lines + line;
    }
    [[nodiscard]] Extent extent() const { return axis == Axis::row ? Extent{lines, length} : Extent{length, lines}; }
    /// Of a run: rows, columns, elements of a block.
    [[nodiscard]] std::array<std::uint64_t, 4> shape() const {
        return axis == Axis::row ? std::array<std::uint64_t, 4>{lines, length, block, 0}
                                 : std::array<std::uint64_t, 4>{length, lines, block, 0};
    }
};

/// A run of a matrix: its shape, its outputs, and inputs of zeros that are to be filled in.
[[nodiscard]] frames::RunCase run_of(const Quantize& quantize, const BlockMatrix& matrix);
[[nodiscard]] frames::RunCase run_of(const Dequantize& dequantize, const BlockMatrix& matrix);

} // namespace mxcert::suites
