// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

// Which values of a matrix share a scale. A block shape cuts a matrix of values into a smaller matrix: that of its
// scales. Everything here is counts of values and of scales; nothing is allocated.
namespace mxcert {

/// A direction in a matrix: along a row, from column to column; or along a column.
enum class Axis : std::uint8_t { row, column };

/// The size of a matrix, of values or of scales.
struct Extent {
    std::uint64_t rows = 0;
    std::uint64_t columns = 0;

    friend bool operator==(const Extent&, const Extent&) = default;
};

/// A place in a matrix, counted from 0.
struct Place {
    std::uint64_t row = 0;
    std::uint64_t column = 0;

    friend bool operator==(const Place&, const Place&) = default;
};

/// "100x96".
[[nodiscard]] std::string text(const Extent& extent);

/// rows x columns. Throws std::invalid_argument if one of them is 0 or the product is 2^64 or more; `what` says of
/// what.
[[nodiscard]] std::uint64_t count(const Extent& extent, std::string_view what);

/// The values that share a scale: `rows` x `columns` neighbours.
struct BlockShape {
    /// As a side of a BlockShape: all rows, or all columns, of the matrix.
    static constexpr std::uint64_t whole = 0;

    std::uint64_t rows = 1;
    std::uint64_t columns = 32;

    friend bool operator==(const BlockShape&, const BlockShape&) = default;
};

namespace shapes {

/// 1 x n along a row; 32 is MX v1.0's block, 128 that of Transformer Engine's Float8BlockScaling.
[[nodiscard]] constexpr BlockShape rowwise(std::uint64_t n) { return {1, n}; }
/// n x 1 along a column.
[[nodiscard]] constexpr BlockShape columnwise(std::uint64_t n) { return {n, 1}; }
/// n x n.
[[nodiscard]] constexpr BlockShape tile(std::uint64_t n) { return {n, n}; }
/// A scale for each row, for each column, for all.
inline constexpr BlockShape per_row = {1, BlockShape::whole};
inline constexpr BlockShape per_column = {BlockShape::whole, 1};
inline constexpr BlockShape per_tensor = {BlockShape::whole, BlockShape::whole};

} // namespace shapes

/// "1x32"; a whole side is "*": "1x*", "*x*".
[[nodiscard]] std::string text(const BlockShape& block);

/// The reverse, a side being "*" or a number from 1 to `largest_side`. Throws std::invalid_argument.
[[nodiscard]] BlockShape parse_block_shape(std::string_view text, std::uint64_t largest_side);

/// The matrix of scales. A block at the end of a row or column that the matrix does not fill is a shorter block with a
/// scale of its own. Throws std::invalid_argument if the matrix has no values or 2^64 of them or more.
[[nodiscard]] Extent scales_of(const Extent& matrix, const BlockShape& block);

/// The place, in the matrix of scales, of the scale of a value. Throws std::out_of_range outside the matrix.
[[nodiscard]] Place scale_place(const Extent& matrix, const BlockShape& block, const Place& value);

/// The values of a block.
struct BlockRange {
    Place first;
    Extent size; ///< smaller than the block shape at the ends of the matrix

    friend bool operator==(const BlockRange&, const BlockRange&) = default;
};

/// The values that share the scale at a place of the matrix of scales. Throws std::out_of_range outside of that.
[[nodiscard]] BlockRange block_at(const Extent& matrix, const BlockShape& block, const Place& scale);

/// K21. Which sizes of a matrix an implementation takes.
struct SizePolicy {
    std::string_view name;
    Extent multiple;   ///< rows and columns must be multiples of these
    bool whole_blocks; ///< and of the sides of the block
    std::string_view users;
};

/// "any", "whole_blocks", "both_by_32" and "both_by_16".
[[nodiscard]] std::span<const SizePolicy> all_size_policies();
/// Throws std::invalid_argument that names the near ones.
[[nodiscard]] const SizePolicy& find_size_policy(std::string_view name);

/// Why the policy refuses to cut this matrix into these blocks, or nothing if it does not.
[[nodiscard]] std::optional<std::string> refusal(const SizePolicy& policy, const Extent& matrix,
                                                 const BlockShape& block);

} // namespace mxcert
