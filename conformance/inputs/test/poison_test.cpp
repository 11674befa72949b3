// SPDX-License-Identifier: Apache-2.0
#include "conformance/inputs/poison.hpp"

#include <algorithm>

#include "catch.hpp"
#include "conformance/process/shared_memory.hpp"
#include "conformance/test/observe_fixture.hpp"
#include "reference/base/random.hpp"

using namespace mxcert;
using namespace mxcert::inputs;

namespace {

const Conversion decode{&formats::e4m3, &formats::fp32, Rounding::nearest_even, Overflow::nosat, 0};

/// Blocks follow each other without a gap and cover `total` values.
void check_partition(const std::vector<Block>& blocks, std::uint64_t total) {
    std::uint64_t next = 0;
    for (const Block& block : blocks) {
        REQUIRE(block.first == next);
        REQUIRE(block.count > 0);
        next += block.count;
    }
    REQUIRE(next == total);
}

} // namespace

TEST_CASE("random words are pinned", "[random]") {
    SplitMix64 random(1234567);
    // The published reference sequence for this seed.
    CHECK(random() == 6457827717110365317U);
    CHECK(random() == 3203168211198807973U);
    CHECK(random() == 9817491932198370423U);
    CHECK(random() == 4593380528125082431U);
    CHECK(random() == 16408922859458223821U);
    CHECK(SplitMix64::at(1234567, 3) == 4593380528125082431U);
    CHECK(SplitMix64(1234567).below(1000) == 350);
    CHECK(SplitMix64(1234567).below(std::uint64_t{1} << 63) == 6457827717110365317U >> 1);
}

TEST_CASE("poison repeats its byte over the whole output", "[poison]") {
    CHECK(poison_code(0xA5, formats::e4m3) == 0xA5);
    CHECK(poison_code(0xA5, formats::fp16) == 0xA5A5);
    CHECK(poison_code(0xA5, formats::fp32) == 0xA5A5A5A5);
    CHECK(poison_code(0xA5, formats::fp64) == 0xA5A5A5A5A5A5A5A5);
    CHECK(poison_code(0xA5, formats::e2m1) == 0xA5);
}

TEST_CASE("no permitted answer is chosen as poison", "[poison]") {
    PermitTable table = test::top_byte_table(formats::fp16);
    table.steps[0xA5].permit = permit_any_nan();
    // Ranges that leave free all bytes but a few, few bytes, and none.
    for (const auto& [first, last] :
         std::vector<std::pair<Code, Code>>{{0, 0xFFF}, {0xA000, 0xAFFF}, {0x0000, 0xFCFF}}) {
        const auto poison = choose_poison(table, first, last);
        REQUIRE(poison);
        CHECK((*poison)[0] != (*poison)[1]);
        for (Code step = first >> 8; step <= last >> 8; ++step)
            for (const auto byte : *poison) CHECK_FALSE(permits(table.steps[step].permit, byte, formats::e4m3));
    }
    CHECK_FALSE(choose_poison(test::top_byte_table(formats::fp16), 0, 0xFEFF));
    CHECK_FALSE(choose_poison(test::top_byte_table(formats::fp16), 0, 0xFFFF));
}

TEST_CASE("any NaN keeps every NaN code out of the poison", "[poison]") {
    PermitTable table{&formats::fp16, &formats::e5m2, {{0, 0xFFFF, permit_any_nan(), "TEST"}}};
    for (Code code = 0; code < 256; ++code)
        if (!formats::e5m2.is_nan(code) && code != 0x11 && code != 0x22) table.steps[0].permit.codes.push_back(code);
    const auto poison = choose_poison(table, 0, 0xFFFF);
    REQUIRE(poison);
    CHECK((*poison)[0] + (*poison)[1] == 0x33);
    CHECK(((*poison)[0] == 0x11 || (*poison)[0] == 0x22));
}

TEST_CASE("blocks are a partition of the inputs, each with poison", "[poison]") {
    const PermitTable fp16 = test::top_byte_table(formats::fp16);
    const auto small = plan_range(test::fp16, &fp16, 1);
    check_partition(small, 65536);
    CHECK(std::all_of(small.begin(), small.end(), [](const Block& block) { return block.repeat; }));

    const auto large = plan_range(test::fp32, nullptr, 1);
    check_partition(large, std::uint64_t{1} << 32);
    CHECK(large.size() == 16384);
    const auto repeated = std::count_if(large.begin(), large.end(), [](const Block& block) { return block.repeat; });
    CHECK(repeated > 900);
    CHECK(repeated < 1150);

    check_partition(plan_range(decode, nullptr, 1), 256);
}

TEST_CASE("a block whose answers use every byte is cut until poison is left", "[poison]") {
    PermitTable dense{&formats::e4m3, &formats::e5m2, {}};
    for (Code code = 0; code < 256; ++code) dense.steps.push_back({code, code, permit_code(code), "TEST"});
    const Conversion conversion{&formats::e4m3, &formats::e5m2, Rounding::nearest_even, Overflow::sat, 0};
    const auto blocks = plan_range(conversion, &dense, 1);
    check_partition(blocks, 256);
    REQUIRE(blocks.size() == 2);
    for (const Block& block : blocks)
        for (const auto byte : block.poison) CHECK((byte < block.first || byte >= block.first + block.count));
}

TEST_CASE("points are cut by what their inputs are permitted to give", "[poison]") {
    const PermitTable table = test::top_byte_table(formats::fp64);
    std::vector<Code> inputs;
    for (Code code = 0; code < 256; ++code) inputs.push_back(code << 56);
    const auto blocks = plan_points(inputs, &table, 1);
    check_partition(blocks, inputs.size());
    CHECK(blocks.size() == 2);
    check_partition(plan_points(std::vector<Code>(process::layout::max_points * 2 + 1, 5), &table, 1),
                    process::layout::max_points * 2 + 1);
    CHECK(plan_points({}, &table, 1).empty());
}

TEST_CASE("poison is none of these codes", "[poison]") {
    std::vector<Code> codes;
    for (Code code = 0; code < 254; ++code) codes.push_back(code);
    const auto poison = choose_poison(formats::e4m3, codes);
    REQUIRE(poison);
    CHECK(std::min((*poison)[0], (*poison)[1]) == 254);
    CHECK(std::max((*poison)[0], (*poison)[1]) == 255);
    codes.push_back(254);
    CHECK_FALSE(choose_poison(formats::e4m3, codes));
}
