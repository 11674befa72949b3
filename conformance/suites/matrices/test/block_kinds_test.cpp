// SPDX-License-Identifier: Apache-2.0
#include "conformance/suites/matrices/block_kinds.hpp"

#include <algorithm>
#include <set>
#include <vector>

#include "catch.hpp"

namespace mxcert::suites {
namespace {

std::vector<Code> block_of(const BlockKinds& kinds, std::uint64_t number, std::uint64_t lanes) {
    std::vector<Code> block;
    for (std::uint64_t lane = 0; lane < lanes; ++lane) block.push_back(kinds.value(number, lane, lanes));
    return block;
}

} // namespace

TEST_CASE("blocks of every kind are those of each place in a line, and of a line", "[blocks]") {
    for (const Format* format : {&formats::fp32, &formats::bf16, &formats::fp16}) {
        const BlockKinds kinds = block_kinds(*format);
        const auto is_zero = [&](Code code) { return (code & format->magnitude_mask()) == 0; };
        std::set<Code> alone;        // special values among others
        std::set<Code> alike;        // nothing else in a block
        std::set<std::size_t> zeros; // how many values of a block of zeros are none
        std::size_t ordinary = 0;
        for (std::uint64_t number = 0; number < kinds.period(); ++number) {
            const std::vector<Code> block = block_of(kinds, number, 32);
            const auto zero = static_cast<std::size_t>(std::count_if(block.begin(), block.end(), is_zero));
            const std::set<Code> values(block.begin(), block.end());
            if (number % 2 == 0) {
                ordinary += zero == 0 ? 1 : 0;
                continue;
            }
            if (values.size() == 1) alike.insert(block[0]);
            if (zero > 16) zeros.insert(32 - zero);
            for (const Special& special : specials_of(*format))
                if (values.contains(special.code) && values.size() > 2) alone.insert(special.code);
        }
        CHECK(ordinary == kinds.period() / 2);
        CHECK(alike.size() == specials_of(*format).size() + 1); // and 0
        CHECK(alone.size() == specials_of(*format).size());
        CHECK(zeros == std::set<std::size_t>{0, 1, 2, 4, 7});
    }
    // Down a column of blocks, and along a line of them.
    const std::uint64_t period = block_kinds(formats::bf16).period();
    for (const std::uint64_t block : {std::uint64_t{0}, std::uint64_t{3}}) {
        std::set<std::uint64_t> numbers;
        for (std::uint64_t line = 0; line < period; ++line) numbers.insert(BlockKinds::number_at(line, block) % period);
        CHECK(numbers.size() == period);
    }
    std::set<std::uint64_t> numbers;
    for (std::uint64_t block = 0; block < period; ++block) numbers.insert(BlockKinds::number_at(7, block) % period);
    CHECK(numbers.size() == period);
}

TEST_CASE("grids of a few blocks have every kind together", "[blocks]") {
    const BlockKinds kinds = block_kinds(formats::bf16);
    std::set<std::uint64_t> numbers;
    std::uint64_t first = 0;
    for (int grid = 0; grid < 8; ++grid, first += 9)
        for (std::uint64_t place = 0; place < 9; ++place)
            numbers.insert(kinds.number_in(3, 3, place, first) % kinds.period());
    CHECK(numbers.size() == kinds.period());
    CHECK(kinds.number_in(100, 3, 7, 50) == BlockKinds::number_at(2, 1));
}

TEST_CASE("blocks that leave a tensor its scale hold nothing infinite and no NaN", "[blocks]") {
    const BlockKinds kinds = small_block_kinds(formats::bf16);
    for (std::uint64_t number = 0; number < kinds.period(); ++number)
        for (const Code code : block_of(kinds, number, 16))
            CHECK((code & formats::bf16.magnitude_mask()) < formats::bf16.max_code());
}

TEST_CASE("elements of every kind are codes of their format, and scales the extreme ones", "[blocks]") {
    for (const Format* format : {&formats::e4m3, &formats::e5m2, &formats::e2m1, &formats::int8}) {
        const BlockKinds kinds = element_block_kinds(*format);
        for (std::uint64_t number = 0; number < kinds.period(); ++number)
            for (const Code code : block_of(kinds, number, 16)) CHECK(code <= format->last_code());
    }
    std::set<Code> scales;
    for (std::uint64_t number = 0; number < 64; ++number) scales.insert(scale_of_kind(formats::e8m0, number, 127));
    CHECK(scales == std::set<Code>{0, 1, 127, 254, 255});
}

} // namespace mxcert::suites
