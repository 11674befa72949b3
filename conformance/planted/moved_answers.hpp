// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

#include "conformance/planted/operations_api.hpp"

// Answers of a quantizer of rows that are moved to the places of others when all of them are right.
namespace mxcert::planted {

struct MovedAnswers {
    std::uint8_t* elements;
    std::uint8_t* scales;
    std::uint64_t rows;
    std::uint64_t columns;
    std::uint64_t size; ///< of a block

    [[nodiscard]] std::uint64_t blocks() const { return (columns + size - 1) / size; }

    /// Calls with the first element of each block, and how many there are.
    template <class Take> void for_each_block(const Take& take) const {
        for (std::uint64_t row = 0; row < rows; ++row)
            for (std::uint64_t first = 0; first < columns; first += size)
                take(elements + row * columns + first, std::min(size, columns - first));
    }
    void reverse_elements(std::uint64_t group) const {
        for_each_block([group](std::uint8_t* block, std::uint64_t count) {
            for (std::uint64_t i = 0; i + group <= count; i += group) std::reverse(block + i, block + i + group);
        });
    }
    void exchange_halves() const {
        for_each_block([this](std::uint8_t* block, std::uint64_t count) {
            if (count == size) std::rotate(block, block + size / 2, block + size);
        });
    }
    void exchange_lines(bool with_scales) const {
        for (std::uint64_t row = 0; row + 1 < rows; row += 2) {
            std::uint8_t* const line = elements + row * columns;
            std::swap_ranges(line, line + columns, line + columns);
            std::uint8_t* const of_line = scales + row * blocks();
            if (with_scales) std::swap_ranges(of_line, of_line + blocks(), of_line + blocks());
        }
    }
    void exchange_blocks() const {
        for (std::uint64_t row = 0; row < rows; ++row)
            for (std::uint64_t b = 0; (b + 2) * size <= columns; b += 2) {
                std::uint8_t* const block = elements + row * columns + b * size;
                std::swap_ranges(block, block + size, block + size);
                std::swap(scales[row * blocks() + b], scales[row * blocks() + b + 1]);
            }
    }
    void reverse_scales(std::uint64_t group) const {
        for (std::uint64_t i = 0; i + group <= rows * blocks(); i += group)
            std::reverse(scales + i, scales + i + group);
    }
};

/// Moves them as the option says.
inline void move_answers(const MovedAnswers& answers) {
    if (is("every 4 elements in reverse order")) answers.reverse_elements(4);
    if (is("every 8 elements in reverse order")) answers.reverse_elements(8);
    if (is("the halves of blocks exchanged")) answers.exchange_halves();
    if (is("elements in the place of those of the next line") && answers.rows > 1)
        std::copy_backward(answers.elements, answers.elements + (answers.rows - 1) * answers.columns,
                           answers.elements + answers.rows * answers.columns);
    if (is("the elements of two lines exchanged")) answers.exchange_lines(false);
    if (is("scales in the place of the next one"))
        std::copy_backward(answers.scales, answers.scales + answers.rows * answers.blocks() - 1,
                           answers.scales + answers.rows * answers.blocks());
    if (is("two scales exchanged")) answers.reverse_scales(2);
    if (is("every 4 scales in reverse order")) answers.reverse_scales(4);
    if (is("two lines exchanged")) answers.exchange_lines(true);
    if (is("two blocks of a line exchanged")) answers.exchange_blocks();
}

} // namespace mxcert::planted
