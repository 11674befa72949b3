// SPDX-License-Identifier: Apache-2.0
#include "reference/block_shape.hpp"

#include <algorithm>
#include <charconv>
#include <limits>
#include <stdexcept>
#include <vector>

#include "reference/base/near_names.hpp"

namespace mxcert {
namespace {

// clang-format off
constexpr SizePolicy policies[] = {
    {"any", {1, 1}, false, "MX v1.0, which is silent; microxcaling fills up with zeros, which leaves the scale as it is"},
    {"whole_blocks", {1, 1}, true, "torchao 36027d8, to_mx: the blocked axis"},
    {"both_by_32", {32, 32}, false, "Transformer Engine 00768c7, mxfp8_tensor.py: both axes, whichever is blocked"},
    {"both_by_16", {16, 16}, false, "Transformer Engine d0067d0, nvfp4_tensor.py, is_quantizable: the same of NVFP4"},
};
// clang-format on

/// A side of a block as a number of values: `whole` is as long as the matrix.
std::uint64_t side(std::uint64_t block, std::uint64_t matrix) { return block == BlockShape::whole ? matrix : block; }

std::uint64_t blocks(std::uint64_t matrix, std::uint64_t block) {
    const std::uint64_t length = side(block, matrix);
    return matrix / length + (matrix % length != 0 ? 1 : 0);
}

void check_inside(const Extent& extent, const Place& place, std::string_view what) {
    if (place.row < extent.rows && place.column < extent.columns) return;
    throw std::out_of_range("row " + std::to_string(place.row) + ", column " + std::to_string(place.column) +
                            " is outside the " + text(extent) + " " + std::string(what));
}

std::string side_text(std::uint64_t length) { return length == BlockShape::whole ? "*" : std::to_string(length); }

/// What is wrong with one side of a matrix, or nothing.
std::optional<std::string> side_refusal(std::string_view name, std::uint64_t length, std::uint64_t multiple) {
    if (length % multiple == 0) return std::nullopt;
    return std::to_string(length) + " " + std::string(name) + " are not a multiple of " + std::to_string(multiple);
}

} // namespace

std::string text(const Extent& extent) { return std::to_string(extent.rows) + "x" + std::to_string(extent.columns); }

std::string text(const BlockShape& block) { return side_text(block.rows) + "x" + side_text(block.columns); }

BlockShape parse_block_shape(std::string_view text, std::uint64_t largest_side) {
    const std::size_t between = text.find('x');
    const auto side_of = [&](std::string_view part) -> std::optional<std::uint64_t> {
        if (part == "*") return BlockShape::whole;
        std::uint64_t length = 0;
        const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), length);
        const bool number = error == std::errc{} && end == part.data() + part.size();
        return number && length >= 1 && length <= largest_side ? std::optional(length) : std::nullopt;
    };
    if (between != std::string_view::npos) {
        const auto rows = side_of(text.substr(0, between));
        const auto columns = side_of(text.substr(between + 1));
        if (rows && columns) return {*rows, *columns};
    }
    throw std::invalid_argument("block '" + std::string(text) +
                                "' is not as 1x128, 128x128, 1x* or *x*: a side is * (all of the matrix) or 1 to " +
                                std::to_string(largest_side));
}

std::uint64_t count(const Extent& extent, std::string_view what) {
    if (extent.rows == 0 || extent.columns == 0)
        throw std::invalid_argument("a matrix of " + std::string(what) + " has at least one row and one column, not " +
                                    text(extent));
    if (extent.columns > std::numeric_limits<std::uint64_t>::max() / extent.rows)
        throw std::invalid_argument("a matrix of " + text(extent) + " " + std::string(what) + " has 2^64 or more");
    return extent.rows * extent.columns;
}

Extent scales_of(const Extent& matrix, const BlockShape& block) {
    static_cast<void>(count(matrix, "values"));
    return {blocks(matrix.rows, block.rows), blocks(matrix.columns, block.columns)};
}

Place scale_place(const Extent& matrix, const BlockShape& block, const Place& value) {
    static_cast<void>(count(matrix, "values"));
    check_inside(matrix, value, "matrix of values");
    return {value.row / side(block.rows, matrix.rows), value.column / side(block.columns, matrix.columns)};
}

BlockRange block_at(const Extent& matrix, const BlockShape& block, const Place& scale) {
    check_inside(scales_of(matrix, block), scale, "matrix of scales");
    const Extent sides = {side(block.rows, matrix.rows), side(block.columns, matrix.columns)};
    const Place first = {scale.row * sides.rows, scale.column * sides.columns};
    return {first,
            {std::min(sides.rows, matrix.rows - first.row), std::min(sides.columns, matrix.columns - first.column)}};
}

std::span<const SizePolicy> all_size_policies() { return policies; }

const SizePolicy& find_size_policy(std::string_view name) { return find_named("size policy", name, policies); }

std::optional<std::string> refusal(const SizePolicy& policy, const Extent& matrix, const BlockShape& block) {
    static_cast<void>(count(matrix, "values"));
    if (auto why = side_refusal("rows", matrix.rows, policy.multiple.rows)) return why;
    if (auto why = side_refusal("columns", matrix.columns, policy.multiple.columns)) return why;
    if (!policy.whole_blocks) return std::nullopt;
    if (auto why = side_refusal("rows", matrix.rows, side(block.rows, matrix.rows))) return why;
    return side_refusal("columns", matrix.columns, side(block.columns, matrix.columns));
}

} // namespace mxcert
