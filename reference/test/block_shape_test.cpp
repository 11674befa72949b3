// SPDX-License-Identifier: Apache-2.0
#include <limits>
#include <stdexcept>

#include "catch.hpp"
#include "reference/block_shape.hpp"

using namespace mxcert;
using namespace mxcert::shapes;
using Catch::Contains;

TEST_CASE("the scales of a matrix by block shape, tails counted", "[layout]") {
    const Extent matrix = {100, 70};
    CHECK(scales_of(matrix, rowwise(32)) == Extent{100, 3});
    CHECK(scales_of(matrix, columnwise(32)) == Extent{4, 70});
    CHECK(scales_of(matrix, tile(32)) == Extent{4, 3});
    CHECK(scales_of(matrix, per_row) == Extent{100, 1});
    CHECK(scales_of(matrix, per_column) == Extent{1, 70});
    CHECK(scales_of(matrix, per_tensor) == Extent{1, 1});
    CHECK(scales_of({1, 1}, rowwise(32)) == Extent{1, 1});
    CHECK(scales_of({32, 32}, rowwise(32)) == Extent{32, 1});
    CHECK(scales_of({32, 33}, rowwise(32)) == Extent{32, 2});
    CHECK(scales_of({1 << 20, 1 << 20}, tile(128)) == Extent{1 << 13, 1 << 13});
}

TEST_CASE("a block shape is read as it is written", "[layout]") {
    for (const BlockShape& block :
         {rowwise(32), columnwise(1024), tile(128), per_row, per_column, per_tensor, BlockShape{3, 5}})
        CHECK(parse_block_shape(text(block), 1024) == block);
    for (const char* wrong : {"", "x", "32", "1x", "x1", "0x1", "1x0", "1x1025", "1x+1", "1x 1", "1x1x1", "**", "1X1"})
        CHECK_THROWS_WITH(parse_block_shape(wrong, 1024),
                          Contains("is not as 1x128, 128x128, 1x* or *x*: a side is * (all of the matrix) or 1 to"));
}

TEST_CASE("the blocks of a matrix are a partition of its values", "[layout]") {
    const Extent matrix = {37, 70};
    for (const BlockShape& block :
         {rowwise(32), rowwise(1), rowwise(100), columnwise(16), tile(16), per_row, per_column, per_tensor}) {
        INFO(text(block));
        const Extent scales = scales_of(matrix, block);
        std::uint64_t values = 0;
        for (std::uint64_t row = 0; row < scales.rows; ++row)
            for (std::uint64_t column = 0; column < scales.columns; ++column) {
                const BlockRange range = block_at(matrix, block, {row, column});
                values += count(range.size, "values");
                const Place last = {range.first.row + range.size.rows - 1, range.first.column + range.size.columns - 1};
                REQUIRE(scale_place(matrix, block, range.first) == Place{row, column});
                REQUIRE(scale_place(matrix, block, last) == Place{row, column});
            }
        CHECK(values == 37 * 70);
    }
    CHECK(block_at(matrix, rowwise(32), {36, 2}) == BlockRange{{36, 64}, {1, 6}});
    CHECK(block_at(matrix, columnwise(32), {1, 69}) == BlockRange{{32, 69}, {5, 1}});
    CHECK(block_at(matrix, tile(32), {1, 2}) == BlockRange{{32, 64}, {5, 6}});
    CHECK_THROWS_WITH(block_at(matrix, rowwise(32), {0, 3}), Contains("column 3 is outside the 37x3 matrix of scales"));
    CHECK_THROWS_AS(scale_place(matrix, rowwise(32), {37, 0}), std::out_of_range);
}

TEST_CASE("a matrix without values, or with 2^64, has no scales", "[layout]") {
    constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
    CHECK_THROWS_WITH(scales_of({0, 5}, per_tensor), Contains("at least one row and one column, not 0x5"));
    CHECK_THROWS_AS(scales_of({5, 0}, rowwise(32)), std::invalid_argument);
    CHECK_THROWS_WITH(scales_of({std::uint64_t{1} << 32, std::uint64_t{1} << 32}, per_tensor),
                      Contains("4294967296x4294967296 values has 2^64 or more"));
    CHECK_THROWS_AS(refusal(find_size_policy("any"), {most, 2}, per_tensor), std::invalid_argument);
    CHECK(count({most, 1}, "values") == most);
    CHECK(scales_of({1, most}, rowwise(32)) == Extent{1, std::uint64_t{1} << 59});
    CHECK(scales_of({1, most}, rowwise(most)) == Extent{1, 1});
}

TEST_CASE("who refuses which sizes", "[layout]") {
    const SizePolicy& any = find_size_policy("any");
    const SizePolicy& whole_blocks = find_size_policy("whole_blocks");
    const SizePolicy& both = find_size_policy("both_by_32");
    for (const Extent& matrix : {Extent{1, 1}, Extent{33, 31}, Extent{32, 64}})
        CHECK_FALSE(refusal(any, matrix, rowwise(32)));
    CHECK_FALSE(refusal(whole_blocks, {33, 64}, rowwise(32)));
    CHECK(refusal(whole_blocks, {33, 64}, columnwise(32)) == "33 rows are not a multiple of 32");
    CHECK(refusal(whole_blocks, {32, 48}, rowwise(32)) == "48 columns are not a multiple of 32");
    CHECK_FALSE(refusal(whole_blocks, {33, 31}, per_row));
    CHECK_FALSE(refusal(both, {32, 64}, rowwise(32)));
    CHECK(refusal(both, {33, 64}, rowwise(32)) == "33 rows are not a multiple of 32");
    CHECK(refusal(both, {64, 33}, columnwise(32)) == "33 columns are not a multiple of 32");
    CHECK_THROWS_WITH(find_size_policy("whole_block"), Contains("did you mean whole_blocks"));
}

TEST_CASE("names of block shapes", "[layout]") {
    CHECK(text(rowwise(32)) == "1x32");
    CHECK(text(columnwise(128)) == "128x1");
    CHECK(text(tile(128)) == "128x128");
    CHECK(text(per_row) == "1x*");
    CHECK(text(per_column) == "*x1");
    CHECK(text(per_tensor) == "*x*");
}
