// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "reference/fast/isa.hpp"

// The inner loops of exact matrix products. Elements are integers in binary64, whose products and sums are exact as
// long as they have at most 51 bits: no rounding happens, so the rounding mode says nothing.
namespace mxcert::fast {

/// Rows and columns of a tile of D.
inline constexpr std::size_t tile_rows = 8;
inline constexpr std::size_t tile_columns = 24;

/// Bits that a sum of products in binary64 may have.
inline constexpr int sum_bits = 51;

/// One tile: tile_rows x tile_columns sums of k products, the operands packed as rows of k with tile_rows and
/// tile_columns elements.
struct TileOperands {
    const double* a = nullptr;
    const double* b = nullptr;
    std::size_t k = 0;
};

/// Adds the sums of a tile to 64-bit integers. Precondition: they fit.
using AddTile = void (*)(const TileOperands& operands, std::int64_t* sums);

/// Adds the sums of a tile, each times 2^(row_shift[i] + column_shift[j]), to fixed-point numbers of `digits` digits of
/// 32 bits: sums[(digit x tile_rows + i) x tile_columns + j], the last digit with the sign. What is added to one digit
/// 2^31 times at most fits. The operands are times 2^row_shift and 2^column_shift already; row_unscale and
/// column_unscale are the inverse powers.
struct DigitOperands {
    TileOperands tile;
    const std::int32_t* row_shift = nullptr;
    const std::int32_t* column_shift = nullptr;
    const double* row_unscale = nullptr;
    const double* column_unscale = nullptr;
    std::size_t digits = 0;
};
using AddDigits = void (*)(const DigitOperands& operands, std::int64_t* sums);

struct TileKernels {
    AddTile add_tile;
    AddDigits add_digits;
};

/// The loops for an instruction set. Precondition: the machine runs it.
[[nodiscard]] TileKernels tile_kernels(Isa isa);

} // namespace mxcert::fast
