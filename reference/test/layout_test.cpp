// SPDX-License-Identifier: Apache-2.0
#include <limits>
#include <numeric>
#include <stdexcept>

#include "catch.hpp"
#include "reference/layout.hpp"

using namespace mxcert;
using Catch::Contains;

namespace {

using Bytes = std::vector<std::uint8_t>;
using Numbers = std::vector<std::uint32_t>;

/// A tensor, row-major, with its axes in another order.
Numbers permuted(const Numbers& values, const std::vector<std::size_t>& sizes, const std::vector<std::size_t>& order) {
    std::vector<std::size_t> strides(sizes.size(), 1);
    for (std::size_t i = sizes.size() - 1; i-- > 0;) strides[i] = strides[i + 1] * sizes[i + 1];
    Numbers result;
    std::vector<std::size_t> index(sizes.size(), 0);
    for (std::size_t n = 0; n < values.size(); ++n) {
        std::size_t from = 0;
        for (std::size_t i = 0; i < order.size(); ++i) from += index[i] * strides[order[i]];
        result.push_back(values[from]);
        for (std::size_t i = order.size(); i-- > 0;) {
            if (++index[i] < sizes[order[i]]) break;
            index[i] = 0;
        }
    }
    return result;
}

/// Numbers from 1, row by row, and 0 for padding.
Numbers padded_numbers(const ScaleMap& map) {
    Numbers result;
    for (std::uint64_t row = 0; row < map.padded().rows; ++row)
        for (std::uint64_t column = 0; column < map.padded().columns; ++column) {
            const bool inside = row < map.scales().rows && column < map.scales().columns;
            result.push_back(inside ? static_cast<std::uint32_t>(row * map.scales().columns + column + 1) : 0);
        }
    return result;
}

Numbers arranged_numbers(const ScaleMap& map) {
    Numbers scales(static_cast<std::size_t>(count(map.scales(), "scales")));
    std::iota(scales.begin(), scales.end(), 1U);
    return map.arrange<std::uint32_t>(scales);
}

constexpr Extent sizes[] = {{1, 1},   {4, 2},   {3, 5},    {32, 4},   {127, 3},  {128, 4},  {128, 5},
                            {129, 4}, {256, 8}, {257, 9},  {300, 31}, {31, 300}, {4, 128},  {5, 129},
                            {1, 600}, {600, 1}, {512, 16}, {200, 70}, {70, 200}, {384, 260}};

} // namespace

TEST_CASE("every layout is one to one, and its padding is the rest", "[layout]") {
    CHECK(all_layouts().size() == 8);
    for (const ScaleLayout& layout : all_layouts())
        for (const Extent& scales : sizes) {
            const ScaleMap map(layout, scales);
            INFO(layout.name << " " << text(scales));
            CHECK(map.padded().rows % layout.multiple.rows == 0);
            CHECK(map.padded().columns % layout.multiple.columns == 0);
            CHECK(map.padded().rows - scales.rows < layout.multiple.rows);
            CHECK(map.padded().columns - scales.columns < layout.multiple.columns);
            std::vector<bool> taken(static_cast<std::size_t>(map.size()), false);
            bool one_to_one = true;
            for (std::uint64_t row = 0; row < map.padded().rows; ++row)
                for (std::uint64_t column = 0; column < map.padded().columns; ++column) {
                    const std::uint64_t offset = map.offset_of({row, column});
                    one_to_one = one_to_one && offset < map.size() && !taken[static_cast<std::size_t>(offset)];
                    taken[static_cast<std::size_t>(offset)] = true;
                    const bool inside = row < scales.rows && column < scales.columns;
                    one_to_one = one_to_one && map.padded_place_of(offset) == Place{row, column} &&
                                 map.place_of(offset).has_value() == inside;
                }
            CHECK(one_to_one);
        }
}

TEST_CASE("restoring takes back what arranging did, whatever the padding holds", "[layout]") {
    for (const ScaleLayout& layout : all_layouts())
        for (const Extent& scales : sizes) {
            const ScaleMap map(layout, scales);
            INFO(layout.name << " " << text(scales));
            Bytes bytes(static_cast<std::size_t>(count(scales, "scales")));
            for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::uint8_t>(i % 255 + 1);
            Bytes buffer = map.arrange<std::uint8_t>(bytes);
            REQUIRE(buffer.size() == map.size());
            bool zero = true;
            for (std::size_t i = 0; i < buffer.size(); ++i)
                if (!map.place_of(i)) {
                    zero = zero && buffer[i] == 0;
                    buffer[i] = 0xFF;
                }
            CHECK(zero);
            CHECK(map.restore<std::uint8_t>(buffer) == bytes);
        }
}

// The worked example and the sizes of cuDNN's page on the layout (cudnn-frontend, 128x4 scale layout, April 2026).
TEST_CASE("the swizzle does what cuDNN's examples show", "[layout]") {
    const ScaleLayout& swizzle = find_layout("swizzle_128x4");
    const ScaleMap small(swizzle, {4, 2});
    CHECK(small.padded() == Extent{128, 4});
    const Bytes buffer = small.arrange<std::uint8_t>(Bytes{'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'});
    Bytes expected(512, 0);
    expected[0] = 'a', expected[1] = 'b', expected[16] = 'c', expected[17] = 'd';
    expected[32] = 'e', expected[33] = 'f', expected[48] = 'g', expected[49] = 'h';
    CHECK(buffer == expected);

    const ScaleMap tile(swizzle, {128, 4});
    for (std::uint64_t offset = 0; offset < 16; ++offset)
        CHECK(tile.place_of(offset) == Place{offset / 4 * 32, offset % 4});
    CHECK(tile.place_of(20) == Place{33, 0});
    CHECK(tile.offset_of({31, 3}) == 499);
    CHECK(tile.offset_of({127, 3}) == 511);

    CHECK(ScaleMap(swizzle, scales_of({500, 192}, shapes::rowwise(32))).padded() == Extent{512, 8});
    const ScaleMap four(swizzle, scales_of({256, 256}, shapes::rowwise(32)));
    CHECK(four.size() == 2048);
    CHECK(four.offset_of({0, 4}) == 512);
    CHECK(four.offset_of({128, 0}) == 1024);
    CHECK(four.offset_of({128, 4}) == 1536);
    CHECK(four.offset_of({161, 6}) == 1558);
}

// Transformer Engine a5db70a, swizzle.cuh, and the inverse that follows from it.
TEST_CASE("the swizzle is Transformer Engine's formula, in both directions of the blocks", "[layout]") {
    for (const Extent& scales : sizes) {
        const ScaleMap rowwise(find_layout("swizzle_128x4"), scales);
        const ScaleMap columnwise(find_layout("swizzle_128x4_columnwise"), {scales.columns, scales.rows});
        const std::uint64_t tiles = (scales.columns + 3) / 4;
        INFO(text(scales));
        for (std::uint64_t i = 0; i < scales.rows; ++i)
            for (std::uint64_t j = 0; j < scales.columns; ++j) {
                const std::uint64_t offset = (i / 128 * tiles + j / 4) * 512 + i % 32 * 16 + i % 128 / 32 * 4 + j % 4;
                REQUIRE(rowwise.offset_of({i, j}) == offset);
                REQUIRE(columnwise.offset_of({j, i}) == offset);
                const std::uint64_t t = offset / 512;
                const std::uint64_t r = offset % 512;
                REQUIRE(t / tiles * 128 + r / 16 + r % 16 / 4 * 32 == i);
                REQUIRE(t % tiles * 4 + r % 4 == j);
            }
    }
}

// torchao's to_blocked as views and permutations of a tensor: tiles first, then four groups of 32 rows side by side.
TEST_CASE("the swizzle is torchao's views and permutations", "[layout]") {
    for (const Extent& scales : sizes) {
        const ScaleMap map(find_layout("swizzle_128x4"), scales);
        const auto rows = static_cast<std::size_t>(map.padded().rows / 128);
        const auto columns = static_cast<std::size_t>(map.padded().columns / 4);
        const Numbers tiles = permuted(padded_numbers(map), {rows, 128, columns, 4}, {0, 2, 1, 3});
        CHECK(arranged_numbers(map) == permuted(tiles, {rows * columns, 4, 32, 4}, {0, 2, 1, 3}));
    }
}

// aiter 0122c48 shuffle_scale as a view and a permutation, and Quark's formula.
TEST_CASE("the shuffle is aiter's permutation and Quark's formula", "[layout]") {
    for (const Extent& scales : sizes) {
        const ScaleMap map(find_layout("shuffle_32x8"), scales);
        const auto rows = static_cast<std::size_t>(map.padded().rows);
        const auto columns = static_cast<std::size_t>(map.padded().columns);
        CHECK(arranged_numbers(map) ==
              permuted(padded_numbers(map), {rows / 32, 2, 16, columns / 8, 2, 4}, {0, 3, 5, 2, 4, 1}));
        for (std::uint64_t r = 0; r < scales.rows; ++r)
            for (std::uint64_t c = 0; c < scales.columns; ++c)
                REQUIRE(map.offset_of({r, c}) ==
                        r / 32 * (columns * 32) + r / 16 % 2 + r % 16 * 4 + c / 8 * 256 + c / 4 % 2 * 2 + c % 4 * 64);
    }
}

TEST_CASE("padded sizes as Transformer Engine has them", "[layout]") {
    const Extent matrix = {160, 4160};
    const auto padded = [&](std::string_view layout, const BlockShape& block) {
        return ScaleMap(find_layout(layout), scales_of(matrix, block)).padded();
    };
    CHECK(padded("padded_128x4", shapes::rowwise(32)) == Extent{256, 132});
    CHECK(padded("padded_4x128", shapes::columnwise(32)) == Extent{8, 4224});
    CHECK(padded("padded_1x4", shapes::columnwise(128)) == Extent{2, 4160});
    CHECK(padded("padded_1x4", shapes::tile(128)) == Extent{2, 36});
    CHECK(padded("transposed_4x1", shapes::rowwise(128)) == Extent{160, 33});
    const ScaleMap transposed(find_layout("transposed_4x1"), {6, 3});
    CHECK(transposed.offset_of({1, 0}) == 1);
    CHECK(transposed.offset_of({0, 1}) == 8);
}

TEST_CASE("scales wider than a byte are arranged like bytes", "[layout]") {
    const ScaleMap map(find_layout("transposed_4x1"), {2, 2});
    CHECK(map.arrange<float>(std::vector<float>{1, 2, 3, 4}) == std::vector<float>{1, 3, 0, 0, 2, 4, 0, 0});
}

TEST_CASE("offsets are right for matrices far beyond memory", "[layout]") {
    const std::uint64_t side = std::uint64_t{1} << 20;
    const ScaleMap map(find_layout("swizzle_128x4"), scales_of({side, side}, shapes::rowwise(32)));
    CHECK(map.size() == side * side / 32);
    CHECK(map.offset_of({side - 1, side / 32 - 1}) == map.size() - 1);
    CHECK(map.place_of(map.size() - 512) == Place{side - 128, side / 32 - 4});
}

TEST_CASE("what has no layout says why", "[layout]") {
    constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
    const ScaleLayout& swizzle = find_layout("swizzle_128x4");
    CHECK_THROWS_WITH(ScaleMap(swizzle, {0, 4}), Contains("at least one row and one column, not 0x4"));
    CHECK_THROWS_WITH(ScaleMap(swizzle, {most, 1}), Contains("padded to a multiple of 128 are 2^64 or more"));
    CHECK_THROWS_WITH(ScaleMap(swizzle, {std::uint64_t{1} << 62, 1}), Contains("scales with padding has 2^64 or more"));
    const ScaleMap map(swizzle, {4, 2});
    CHECK_THROWS_WITH(map.offset_of({128, 0}), Contains("outside the padded 128x4 scales"));
    CHECK_THROWS_WITH(map.offset_of({0, 4}), Contains("outside the padded 128x4 scales"));
    CHECK_THROWS_WITH(map.place_of(512), Contains("offset 512 is outside the buffer of 512 scales"));
    CHECK_THROWS_WITH(map.arrange<std::uint8_t>(Bytes(7)), Contains("swizzle_128x4 of 4x2 takes 8 scales, not 7"));
    CHECK_THROWS_WITH(map.restore<std::uint8_t>(Bytes(8)), Contains("takes 512 scales with padding, not 8"));
    CHECK_THROWS_WITH(find_layout("swizzle_128x5"), Contains("did you mean swizzle_128x4"));
    ScaleLayout broken = swizzle;
    broken.digits[3].step = 16;
    CHECK_THROWS_WITH(ScaleMap(broken, {4, 2}), Contains("do not give every place an offset of its own"));
}

TEST_CASE("digits that lose or repeat places are no layout", "[layout]") {
    const ScaleLayout& swizzle = find_layout("swizzle_128x4");
    CHECK(is_bijective(swizzle));
    for (std::size_t i = 0; i < 5; ++i) {
        ScaleLayout missing = swizzle;
        missing.digits[i] = {};
        CHECK_FALSE(is_bijective(missing));
        ScaleLayout repeated = swizzle;
        repeated.digits[5] = swizzle.digits[i];
        CHECK_FALSE(is_bijective(repeated));
    }
    ScaleLayout unpadded = swizzle;
    unpadded.multiple = {64, 4};
    CHECK_FALSE(is_bijective(unpadded));
    unpadded.multiple = {0, 4};
    CHECK_FALSE(is_bijective(unpadded));
}
