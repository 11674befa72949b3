// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "conformance/print/progress.hpp"
#include "conformance/tensors/quantization.hpp"
#include "conformance/tensors/tensor_file.hpp"

// A tensor in pieces that fit memory, each whole blocks.
namespace mxcert::tensors {

/// Rows and columns of one matrix of a tensor.
struct Piece {
    std::uint64_t matrix = 0; ///< which of Matrices::count
    Place first;
    Extent size;
};

/// The most values of a piece, but for a single block.
inline constexpr std::uint64_t most_values = std::uint64_t{1} << 20;

/// The pieces of a tensor, in the order of its values. Blocks along rows: whole rows, or parts of one; along columns:
/// a block of rows, or some columns of it. The pieces of a row start at whole bytes of the packed elements.
class Pieces {
  public:
    explicit Pieces(const Quantization& how, std::uint64_t most = most_values);

    [[nodiscard]] std::uint64_t count() const { return count_; }
    [[nodiscard]] Piece piece(std::uint64_t i) const;

  private:
    Matrices matrices_;
    Extent size_; ///< of a piece that is not cut off
    std::uint64_t down_ = 0;
    std::uint64_t across_ = 0;
    std::uint64_t count_ = 0;
};

/// Calls `work` with each piece, from several threads, and tells the progress of the values.
void for_each_piece(const Quantization& how, unsigned threads, print::Progress* progress,
                    const std::function<void(const Piece&)>& work, std::uint64_t most = most_values);

/// Calls `use(place in the tensor, place in the piece, number)` for each run of a piece's values that lie together.
template <class Use> void for_each_run(const Matrices& matrices, const Piece& piece, Use use) {
    const std::uint64_t columns = matrices.matrix.columns;
    const std::uint64_t start = (piece.matrix * matrices.matrix.rows + piece.first.row) * columns + piece.first.column;
    if (piece.size.columns == columns) return use(start, std::size_t{0}, piece.size.rows * columns);
    for (std::uint64_t row = 0; row < piece.size.rows; ++row)
        use(start + row * columns, row * piece.size.columns, piece.size.columns);
}

/// The values of a piece, native-endian. Throws as TensorFile::read() does.
[[nodiscard]] std::vector<unsigned char> read_piece(const TensorFile& tensor, const Matrices& matrices,
                                                    const Piece& piece);

/// The piece of the matrix of scales that belongs to a piece of values.
[[nodiscard]] Piece scales_of_piece(const Quantization& how, const Piece& piece);
/// The scales of all matrices, each as one.
[[nodiscard]] Matrices scale_matrices(const Quantization& how);

} // namespace mxcert::tensors
