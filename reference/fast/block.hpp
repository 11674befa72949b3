// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "reference/block.hpp"
#include "reference/fast/convert.hpp"
#include "reference/fast/scale.hpp"

/// Blocks by the fast model, in arrays.
namespace mxcert::fast {

/// Whether the choices are offered: those of the scale by offers_scale(), those of the elements by offers() and
/// deterministic, every AmaxNan and AmaxInf.
[[nodiscard]] bool offers_block(const BlockFormat& format, const BlockChoices& choices);

/// Which values of a matrix share a scale.
enum class Blocks : std::uint8_t {
    rowwise,    ///< neighbours in a row: the scales are rows x blocks
    columnwise, ///< neighbours in a column: the scales are blocks x columns
};

/// A matrix of values in rows, one after the other, and the size of its blocks. The last block of a row or column may
/// be shorter.
struct MatrixShape {
    std::size_t rows = 0;
    std::size_t columns = 0;
    std::size_t block = 32;

    /// Blocks in one row or column.
    [[nodiscard]] constexpr std::size_t blocks(Blocks along) const {
        const std::size_t length = along == Blocks::rowwise ? columns : rows;
        return length / block + (length % block != 0 ? 1 : 0);
    }
    [[nodiscard]] constexpr std::size_t scales(Blocks along) const {
        return blocks(along) * (along == Blocks::rowwise ? rows : columns);
    }
};

/// Quantizes a matrix: elements in the places of the values, and a byte of E8M0 for each block in rows. The same bits
/// for every Isa. `values` are native-endian, Format::bytes() each, and need no alignment; the arrays do not overlap.
/// Throws std::invalid_argument if the choices are not offered, a block has no values, or the machine does not run the
/// Isa.
void quantize(const BlockFormat& format, const BlockChoices& choices, const MatrixShape& shape, Blocks along,
              const void* values, std::uint8_t* elements, std::uint8_t* scales, Isa isa = best_isa());

/// The reverse, to fp32, bf16, fp16 or fp64. `choices` are those of the conversion from times_scale(element). Throws as
/// quantize() does, and std::out_of_range that says which element is no code of its format.
void dequantize(const Format& element, const Format& to, const Choices& choices, const MatrixShape& shape, Blocks along,
                const std::uint8_t* elements, const std::uint8_t* scales, void* values, Isa isa = best_isa());

} // namespace mxcert::fast
