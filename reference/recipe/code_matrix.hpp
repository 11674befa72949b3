// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "reference/block_shape.hpp"
#include "reference/format.hpp"

namespace mxcert::recipe {

/// A matrix of rows x columns codes, one row after the other.
struct CodeMatrix {
    std::size_t rows = 0;
    std::size_t columns = 0;
    std::vector<Code> codes;

    [[nodiscard]] Extent extent() const { return {rows, columns}; }
    friend bool operator==(const CodeMatrix&, const CodeMatrix&) = default;
};

/// Calls with the number of each block, in rows of blocks, and the places of its values in a CodeMatrix. Throws as
/// scales_of() does.
template <class Call> void for_each_block(const Extent& matrix, const BlockShape& block, Call call) {
    const Extent scales = scales_of(matrix, block);
    std::size_t number = 0;
    std::vector<std::size_t> places;
    for (std::uint64_t down = 0; down < scales.rows; ++down) {
        for (std::uint64_t right = 0; right < scales.columns; ++right) {
            const BlockRange range = block_at(matrix, block, {down, right});
            places.clear();
            for (std::uint64_t row = range.first.row; row < range.first.row + range.size.rows; ++row)
                for (std::uint64_t i = 0; i < range.size.columns; ++i)
                    places.push_back(row * matrix.columns + range.first.column + i);
            call(number++, places);
        }
    }
}

} // namespace mxcert::recipe
