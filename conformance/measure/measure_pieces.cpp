// SPDX-License-Identifier: Apache-2.0
#include "conformance/measure/measure_pieces.hpp"

#include <algorithm>
#include <stdexcept>

#include "conformance/frames/words.hpp"
#include "reference/fast/recipe/machine_float.hpp"

namespace mxcert::measure {
namespace {

void read(const tensors::TensorFile& file, Piece& piece) {
    const Format& format = *file.info().format;
    const unsigned bytes = frames::bytes_of(format);
    piece.codes.resize(piece.size() * bytes);
    piece.values.resize(piece.size());
    piece.elements.resize(piece.size());
    const std::uint64_t stride = matrix_of(file.info()).columns;
    const std::size_t lines = piece.columns == stride ? 1 : piece.rows; // whole rows are read at once
    const std::size_t length = piece.size() / lines;
    for (std::size_t line = 0; line < lines; ++line)
        file.read((piece.row + line) * stride + piece.column, length, piece.codes.data() + line * length * bytes);
    for (std::size_t i = 0; i < piece.size(); ++i)
        piece.values[i] = fast::widened(format, frames::load(piece.codes.data() + i * bytes, bytes));
}

} // namespace

Extent matrix_of(const tensors::TensorInfo& info) {
    const std::uint64_t columns = info.shape.empty() ? 1 : info.shape.back();
    return {info.values / columns, columns};
}

void for_each_piece(const tensors::TensorFile& file, std::size_t most, const PieceUnit& unit,
                    const std::function<void(Piece&)>& use) {
    const Extent matrix = matrix_of(file.info());
    const std::uint64_t unit_rows = std::min(unit.rows, matrix.rows);
    std::uint64_t rows = most / matrix.columns / unit.rows * unit.rows;
    if (rows == 0 && unit_rows * matrix.columns <= most) rows = unit_rows;
    std::uint64_t columns = matrix.columns;
    if (rows == 0) {
        rows = unit_rows;
        columns = most / unit_rows / unit.columns * unit.columns;
    }
    if (columns == 0)
        throw std::invalid_argument(
            "blocks of these sizes do not go together in rows that are so long: fewer --block, or no --rule row");
    Piece piece;
    for (piece.row = 0; piece.row < matrix.rows; piece.row += piece.rows) {
        piece.rows = static_cast<std::size_t>(std::min(rows, matrix.rows - piece.row));
        for (piece.column = 0; piece.column < matrix.columns; piece.column += piece.columns) {
            piece.columns = static_cast<std::size_t>(std::min(columns, matrix.columns - piece.column));
            read(file, piece);
            use(piece);
        }
    }
}

} // namespace mxcert::measure
