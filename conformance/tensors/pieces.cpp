// SPDX-License-Identifier: Apache-2.0
#include "conformance/tensors/pieces.hpp"

#include <algorithm>
#include <atomic>

#include "vectors/base/parallel.hpp"

namespace mxcert::tensors {
namespace {

std::uint64_t parts_of(std::uint64_t length, std::uint64_t part) { return length / part + (length % part != 0); }

} // namespace

Pieces::Pieces(const Quantization& how, std::uint64_t most)
    : matrices_(matrices_of(how.shape)), size_(matrices_.matrix) {
    constexpr std::uint64_t codes_of_whole_bytes = 8;
    const std::uint64_t rows = how.axis == Axis::row ? 1 : std::min<std::uint64_t>(how.block, size_.rows);
    // Columns of a piece that does not have them all.
    const std::uint64_t step = how.axis == Axis::row ? how.block * codes_of_whole_bytes : codes_of_whole_bytes;
    if (rows * size_.columns > most) size_.columns = std::max<std::uint64_t>(most / rows / step, 1) * step;
    size_.columns = std::min(size_.columns, matrices_.matrix.columns);
    size_.rows = how.axis == Axis::row ? std::clamp<std::uint64_t>(most / size_.columns, 1, size_.rows) : rows;
    if (size_.columns != matrices_.matrix.columns) size_.rows = rows;
    down_ = parts_of(matrices_.matrix.rows, size_.rows);
    across_ = parts_of(matrices_.matrix.columns, size_.columns);
    count_ = matrices_.count * down_ * across_;
}

Piece Pieces::piece(std::uint64_t i) const {
    Piece piece;
    piece.matrix = i / (down_ * across_);
    piece.first = {i / across_ % down_ * size_.rows, i % across_ * size_.columns};
    piece.size = {std::min(size_.rows, matrices_.matrix.rows - piece.first.row),
                  std::min(size_.columns, matrices_.matrix.columns - piece.first.column)};
    return piece;
}

void for_each_piece(const Quantization& how, unsigned threads, print::Progress* progress,
                    const std::function<void(const Piece&)>& work, std::uint64_t most) {
    const Pieces pieces(how, most);
    std::atomic<std::uint64_t> done = 0;
    in_parallel(static_cast<std::size_t>(pieces.count()), threads, [&](std::size_t i) {
        const Piece piece = pieces.piece(i);
        work(piece);
        done += piece.size.rows * piece.size.columns;
        if (progress != nullptr) progress->update(done);
    });
}

std::vector<unsigned char> read_piece(const TensorFile& tensor, const Matrices& matrices, const Piece& piece) {
    const auto bytes = static_cast<std::uint64_t>(tensor.info().format->bytes());
    std::vector<unsigned char> values(static_cast<std::size_t>(piece.size.rows * piece.size.columns * bytes));
    for_each_run(matrices, piece, [&](std::uint64_t first, std::uint64_t at, std::uint64_t n) {
        tensor.read(first, static_cast<std::size_t>(n), values.data() + at * bytes);
    });
    return values;
}

Matrices scale_matrices(const Quantization& how) { return {matrices_of(how.shape).count, scales_of_matrix(how)}; }

Piece scales_of_piece(const Quantization& how, const Piece& piece) {
    const BlockShape block = how.block_shape();
    return {
        piece.matrix, {piece.first.row / block.rows, piece.first.column / block.columns}, scales_of(piece.size, block)};
}

} // namespace mxcert::tensors
