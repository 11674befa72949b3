// SPDX-License-Identifier: Apache-2.0
#include "reference/recipe/partial_cast.hpp"

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "catch.hpp"
#include "reference/base/random.hpp"
#include "reference/exact/recipe/partial_cast.hpp"
#include "reference/fast/recipe/partial_cast.hpp"
#include "reference/operation/operation.hpp"
#include "reference/operation/operation_name.hpp"

using namespace mxcert;
using namespace mxcert::recipe;
using Catch::Contains;

namespace {

constexpr Code one_of_fp32 = 0x3F800000;
constexpr Code nan_of_fp32 = 0x7FC00000;
constexpr Code inf_of_fp32 = 0x7F800000;
constexpr Code largest_fp32 = 0x7F7FFFFF;

PartialCast cast_of(const std::string& name) { return as_partial_cast(parse_operation("partial_cast-" + name)); }

/// The multiplier of both models, which must be one.
Code both_multipliers(GivenScale kind, Code scale, Code encode_scale = one_of_fp32) {
    const Code code = exact::multiplier_of(kind, scale, encode_scale);
    CHECK((fast::multiplier_of(kind, scale, encode_scale) == code ||
           (formats::fp32.is_nan(code) && formats::fp32.is_nan(fast::multiplier_of(kind, scale, encode_scale)))));
    return code;
}

Code both_elements(const PartialCast& cast, Code by, Code value) {
    const Code code = exact::cast_element(cast, by, value);
    CHECK(fast::cast_element(cast, by, value) == code);
    return code;
}

} // namespace

TEST_CASE("a given scale says what values are multiplied by", "[recipe][partial_cast]") {
    for (const Code scale : {Code{0}, Code{1}, one_of_fp32, largest_fp32, inf_of_fp32, Code{0xBFC00000}})
        CHECK(both_multipliers(GivenScale::encode, scale) == scale);
    CHECK(both_multipliers(GivenScale::e8m0, 127) == one_of_fp32);
    CHECK(both_multipliers(GivenScale::e8m0, 128) == 0x3F000000);
    CHECK(both_multipliers(GivenScale::e8m0, 0) == 0x7F000000);   // 2^127
    CHECK(both_multipliers(GivenScale::e8m0, 253) == 0x00800000); // 2^-126
    CHECK(both_multipliers(GivenScale::e8m0, 254) == 0x00400000); // 2^-127, subnormal
    CHECK(formats::fp32.is_nan(both_multipliers(GivenScale::e8m0, 255)));
    CHECK(&format_of(GivenScale::e8m0) == &formats::e8m0);
    CHECK(&format_of(GivenScale::encode) == &formats::fp32);
    CHECK(&format_of(GivenScale::nvfp4) == &formats::fp32);
}

TEST_CASE("a multiplier of NVFP4 is made of two scales", "[recipe][partial_cast]") {
    constexpr GivenScale nvfp4 = GivenScale::nvfp4;
    CHECK(both_multipliers(nvfp4, one_of_fp32) == one_of_fp32);
    CHECK(both_multipliers(nvfp4, 0x40000000) == 0x3F000000);                            // 1 / 2
    CHECK(both_multipliers(nvfp4, one_of_fp32, 0x40000000) == 0x40000000);               // 1 / (1 x 1/2)
    CHECK(both_multipliers(nvfp4, 0x3F880000) == one_of_fp32);                           // 1.0625, a tie of E4M3, is 1
    CHECK(both_multipliers(nvfp4, 0x3F880001) == 0x3F638E39);                            // above it, 1.125
    CHECK(both_multipliers(nvfp4, largest_fp32) == both_multipliers(nvfp4, 0x43E00000)); // 448
    // No scale to use: what comes out is the largest binary32.
    for (const Code scale : {Code{0}, Code{0x80000000}, Code{0xBF800000}, nan_of_fp32, Code{1}, Code{0x3A800000}})
        CHECK(both_multipliers(nvfp4, scale) == largest_fp32);
    CHECK(both_multipliers(nvfp4, 0x3A800001) == 0x44000000); // just above 2^-10: 2^-9
    // An encoding scale that is zero or negative is 1; what is not finite comes out as the largest binary32.
    for (const Code encode : {Code{0}, Code{0x80000000}, Code{0xBF800000}, Code{0xFF800000}})
        CHECK(both_multipliers(nvfp4, one_of_fp32, encode) == one_of_fp32);
    CHECK(both_multipliers(nvfp4, one_of_fp32, nan_of_fp32) == largest_fp32);
    CHECK(both_multipliers(nvfp4, one_of_fp32, inf_of_fp32) == largest_fp32);
    CHECK(both_multipliers(nvfp4, one_of_fp32, 1) == 0); // its reciprocal is Inf
}

TEST_CASE("a value becomes an element by way of binary32, saturating", "[recipe][partial_cast]") {
    const PartialCast e4m3 = cast_of("fp32-e4m3-fp32-128x128-kept");
    CHECK(both_elements(e4m3, one_of_fp32, one_of_fp32) == 0x38);
    CHECK(both_elements(e4m3, one_of_fp32, 0x43E00000) == 0x7E); // 448
    CHECK(both_elements(e4m3, one_of_fp32, 0x43F00000) == 0x7E); // 480
    CHECK(both_elements(e4m3, one_of_fp32, 0xC3F00000) == 0xFE);
    CHECK(both_elements(e4m3, one_of_fp32, inf_of_fp32) == 0x7E);
    CHECK(both_elements(e4m3, largest_fp32, largest_fp32) == 0x7E); // beyond binary32
    CHECK(both_elements(e4m3, one_of_fp32, 0x80000000) == 0x80);
    CHECK(both_elements(e4m3, 0xBF800000, 0) == 0x80);
    CHECK(both_elements(e4m3, 1, one_of_fp32) == 0);
    CHECK(both_elements(e4m3, one_of_fp32, 0x3A800000) == 0); // 2^-10, a tie
    CHECK(both_elements(e4m3, one_of_fp32, 0x3A800001) == 1);
    for (const Code by : {one_of_fp32, nan_of_fp32})
        CHECK(formats::e4m3.is_nan(both_elements(e4m3, by, by == nan_of_fp32 ? one_of_fp32 : nan_of_fp32)));
    CHECK(formats::e4m3.is_nan(both_elements(e4m3, 0, inf_of_fp32)));
    // (1 + 2^-4 + 2^-23) (1 - 2^-23) is above the tie 1.0625, and no binary32: it is rounded to the tie.
    CHECK(both_elements(e4m3, 0x3F7FFFFE, 0x3F880001) == 0x38);

    const PartialCast e5m2 = cast_of("bf16-e5m2-fp32-128x128-kept");
    CHECK(both_elements(e5m2, one_of_fp32, 0x7F80) == 0x7B);
    CHECK(both_elements(e5m2, 0x3F000000, 0x4000) == 0x3C);

    const PartialCast e2m1 = cast_of("fp16-e2m1-nvfp4-16x16-kept");
    CHECK(both_elements(e2m1, one_of_fp32, 0x7C00) == 0x7);
    CHECK(both_elements(e2m1, one_of_fp32, 0xFC00) == 0xF);
    CHECK(both_elements(e2m1, one_of_fp32, 0x7E00) == 0x7); // NaN is 6, whatever its sign
    CHECK(both_elements(e2m1, one_of_fp32, 0xFE00) == 0x7);
    CHECK(both_elements(e2m1, largest_fp32, 0x8000) == 0x8);
}

TEST_CASE("a shard is written where it is, and nothing else", "[recipe][partial_cast]") {
    // Blocks of 2x3 in a matrix of 3x7: scales 1, 2, 4 above 8, 16, 32.
    PartialCast cast = cast_of("fp32-e4m3-fp32-2x3-kept");
    Shard shard{{3, 7}, 5, {}, {}, {0x3F800000, 0x40000000, 0x40800000, 0x41000000, 0x41800000, 0x42000000}};
    shard.values.assign(12, one_of_fp32);
    for (Code code = 0; code < 21; ++code) shard.before.push_back(0xA0 + code);
    const std::vector<Code> wanted{0xA0, 0xA1, 0xA2, 0xA3, 0xA4, 0x40, 0x48, 0x38, 0x38, 0x38, 0x40,
                                   0x40, 0x40, 0x48, 0x50, 0x50, 0x50, 0xB1, 0xB2, 0xB3, 0xB4};
    CHECK(exact::partial_cast(cast, shard) == wanted);
    CHECK(fast::partial_cast(cast, shard) == wanted);
    CHECK(undefined_elements(cast, shard).empty());
    // In strips of 2x4 those of columns 0 to 3 and 4 to 6 of all rows but the last, of which only columns 0 to 2 are.
    cast.strip = BlockShape{2, 4};
    std::vector<bool> undefined(21);
    for (const std::size_t at : {0U, 1U, 2U, 3U, 4U, 17U}) undefined[at] = true;
    CHECK(undefined_elements(cast, shard) == undefined);
    // Without values nothing changes.
    shard.values.clear();
    shard.first = 21;
    CHECK(exact::partial_cast(cast, shard) == shard.before);
    CHECK(fast::partial_cast(cast, shard) == shard.before);
    CHECK(undefined_elements(cast, shard).empty());
}

TEST_CASE("the parts of several ranks are together what one cast gives", "[recipe][partial_cast]") {
    SplitMix64 random(7);
    for (const char* const name : {"bf16-e4m3-e8m0-1x32-kept", "fp32-e4m3-e8m0-32x1-kept",
                                   "fp16-e5m2-fp32-128x128-16x128", "fp32-e2m1-nvfp4-16x16-kept"}) {
        const PartialCast cast = cast_of(name);
        CAPTURE(name);
        Shard whole{{37, 101}, 0, {}, {}, {}};
        for (int i = 0; i < 37 * 101; ++i) {
            whole.values.push_back(random() & cast.source->last_code());
            whole.before.push_back(random() & cast.element->last_code());
        }
        const Extent scales = scales_of(whole.matrix, cast.block);
        for (std::uint64_t i = 0; i < scales.rows * scales.columns; ++i)
            whole.scales.push_back(cast.scale == GivenScale::e8m0 ? random() & 0xFFU
                                                                  : 0x3F000000 + random.below(1U << 24U));
        const std::vector<Code> wanted = exact::partial_cast(cast, whole);
        const auto same_codes = [&](const std::vector<Code>& codes) {
            for (std::size_t i = 0; i < codes.size(); ++i)
                if (codes[i] != wanted[i] && !(cast.element->is_nan(codes[i]) && cast.element->is_nan(wanted[i])))
                    return false;
            return true;
        };
        CHECK(same_codes(fast::partial_cast(cast, whole)));
        for (const std::uint64_t ranks : {2U, 5U, 16U}) {
            Shard part = whole;
            for (std::uint64_t rank = 0; rank < ranks; ++rank) {
                part.first = rank * whole.values.size() / ranks;
                const std::uint64_t end = (rank + 1) * whole.values.size() / ranks;
                part.values.assign(whole.values.begin() + static_cast<std::ptrdiff_t>(part.first),
                                   whole.values.begin() + static_cast<std::ptrdiff_t>(end));
                const std::vector<Code> after = exact::partial_cast(cast, part);
                CHECK(after == fast::partial_cast(cast, part));
                part.before = after;
            }
            CHECK(same_codes(part.before));
        }
    }
}

TEST_CASE("a partial cast says what is wrong with it", "[operation][partial_cast]") {
    const auto fails = [](const char* name, const char* why) {
        CAPTURE(name);
        CHECK_THROWS_WITH(cast_of(name), Contains(why));
    };
    fails("fp64-e4m3-fp32-128x128-kept", "there are fp32, fp16, bf16");
    fails("fp32-e3m2-fp32-128x128-kept", "there are e4m3, e5m2, e2m1");
    fails("fp32-e4m3-bf16-128x128-kept", "there are fp32, e8m0, nvfp4");
    fails("fp32-e4m3-nvfp4-16x16-kept", "e2m1 has nvfp4");
    fails("fp32-e2m1-fp32-16x16-kept", "e2m1 has nvfp4");
    fails("fp32-e4m3-fp32-128x*-kept", "block '128x*' has no size");
    fails("fp32-e4m3-fp32-128x128-*x*", "outside '*x*' has no size");
    fails("fp32-e2m1-nvfp4-16x16-16x16", "of e2m1 it is kept");
    CHECK(to_string(parse_operation("partial_cast-fp32-e2m1-nvfp4-16x16-kept-low_first")) ==
          "partial_cast-fp32-e2m1-nvfp4-16x16-kept-low_first");

    const PartialCast cast = cast_of("fp32-e4m3-fp32-2x3-kept");
    Shard shard{{3, 7}, 20, {0, 0}, std::vector<Code>(21), std::vector<Code>(6)};
    CHECK_THROWS_WITH(exact::partial_cast(cast, shard),
                      "a shard of 2 values from element 20 on is not within a matrix of 3x7");
    shard.first = ~std::uint64_t{0};
    CHECK_THROWS_AS(fast::partial_cast(cast, shard), std::invalid_argument);
    shard.first = 19;
    CHECK_NOTHROW(fast::partial_cast(cast, shard));
    shard.before.pop_back();
    CHECK_THROWS_WITH(fast::partial_cast(cast, shard), Contains("has 21 elements, there are 20"));
    shard.before.push_back(0);
    shard.scales.pop_back();
    CHECK_THROWS_WITH(exact::partial_cast(cast, shard), Contains("has 6 scales, there are 5"));
}
