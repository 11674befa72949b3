// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "reference/format.hpp"

namespace mxcert::recipe {

/// The values that share a scale: rows x columns of a matrix in rows. Tiles at the lower and right edge may be smaller.
/// 1 x 128, 128 x 1, 128 x 128; the whole matrix is a tile per tensor, a whole row or column one per channel.
struct Tile {
    std::size_t rows = 1;
    std::size_t columns = 32;

    friend bool operator==(const Tile&, const Tile&) = default;
};

/// A matrix of rows x columns codes, one row after the other.
struct CodeMatrix {
    std::size_t rows = 0;
    std::size_t columns = 0;
    std::vector<Code> codes;

    friend bool operator==(const CodeMatrix&, const CodeMatrix&) = default;
};

/// Tiles of a matrix, those at its edges too.
[[nodiscard]] constexpr std::size_t tiles(const Tile& tile, std::size_t rows, std::size_t columns) {
    const auto up = [](std::size_t length, std::size_t of) { return length / of + (length % of != 0 ? 1 : 0); };
    return up(rows, tile.rows) * up(columns, tile.columns);
}

/// Calls with the number of each tile, in rows of tiles, and the places of its values.
template <class Call> void for_each_tile(const Tile& tile, std::size_t rows, std::size_t columns, Call call) {
    std::size_t number = 0;
    std::vector<std::size_t> places;
    std::size_t height = 0;
    std::size_t width = 0;
    // The rest of the matrix bounds a tile, so that no size of a tile overflows.
    for (std::size_t top = 0; top < rows; top += height) {
        height = std::min(tile.rows, rows - top);
        for (std::size_t left = 0; left < columns; left += width) {
            width = std::min(tile.columns, columns - left);
            places.clear();
            for (std::size_t row = top; row < top + height; ++row)
                for (std::size_t column = left; column < left + width; ++column)
                    places.push_back(row * columns + column);
            call(number++, places);
        }
    }
}

} // namespace mxcert::recipe
