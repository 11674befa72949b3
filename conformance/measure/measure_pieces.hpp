// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "conformance/tensors/tensor_file.hpp"
#include "reference/block_shape.hpp"

// A tensor in pieces, so that it may be larger than memory.
namespace mxcert::measure {

/// A rectangle of a matrix, and room for what a method makes of it.
struct Piece {
    std::uint64_t row = 0; ///< place of its first value
    std::uint64_t column = 0;
    std::size_t rows = 0;
    std::size_t columns = 0;
    std::vector<std::byte> codes; ///< of the tensor's format, row by row
    std::vector<double> values;
    std::vector<std::uint8_t> elements;
    std::vector<std::uint8_t> scales;
    std::vector<float> scaled;

    [[nodiscard]] std::size_t size() const { return rows * columns; }
};

/// A piece ends where the matrix does, or after a multiple of these rows and columns.
struct PieceUnit {
    std::uint64_t rows = 1;
    std::uint64_t columns = 1;
};

/// The matrix of a tensor: its last axis are the columns.
[[nodiscard]] Extent matrix_of(const tensors::TensorInfo& info);

/// Reads one piece after the other and calls `use` with it. A piece has at most `most` values: whole rows where they
/// fit. Throws what TensorFile::read() does, and std::invalid_argument if one unit has more than `most` values.
void for_each_piece(const tensors::TensorFile& file, std::size_t most, const PieceUnit& unit,
                    const std::function<void(Piece&)>& use);

} // namespace mxcert::measure
