// SPDX-License-Identifier: Apache-2.0
// Percentiles of a tensor's elements: as NumPy gave them, by hand, and that both arithmetics say the same.
#include "reference/exact/recipe/percentile.hpp"

#include <algorithm>
#include <vector>

#include "catch.hpp"
#include "reference/base/random.hpp"
#include "reference/fast/recipe/percentile.hpp"

using namespace mxcert;
using namespace mxcert::recipe;
using namespace mxcert::formats;
using Catch::Matchers::Contains;

namespace {

constexpr Code inf_code = 0x7F800000;
constexpr Code nan_code = 0x7FC00000;

/// Both arithmetics.
Code percentile(const Percentile& percentile, const std::vector<Code>& values, const Format& format = fp32) {
    const Code exactly = exact::percentile_of(percentile, format, values);
    CHECK(fast::percentile_of(percentile, format, values) == exactly);
    return exactly;
}

struct NumpyRow {
    std::size_t count;
    Rank rank;
    Code wanted;
};

// np.quantile(a, numerator / denominator) of NumPy 2.4.6, a the first `count` of the values below as binary32.
constexpr NumpyRow by_numpy[] = {
    {2, {9999, 10000}, 0x3FB77845},
    {2, {99, 100}, 0x3FB6EBAD},
    {2, {3, 4}, 0x3FA99B45},
    {2, {1, 3}, 0x3F927DE6},
    {2, {0, 1}, 0x3F800000},
    {2, {1, 1}, 0x3FB779B1},
    {5, {9999, 10000}, 0x3FEEF1A3},
    {5, {99, 100}, 0x3FEE44CC},
    {5, {3, 4}, 0x3FDDE6C4},
    {5, {1, 3}, 0x3FAC1BF2},
    {5, {0, 1}, 0x3F800000},
    {5, {1, 1}, 0x3FEEF362},
    {11, {9999, 10000}, 0x3FF3461D},
    {11, {99, 100}, 0x3FF2D870},
    {11, {3, 4}, 0x3FD56075},
    {11, {1, 3}, 0x3FA7DE5B},
    {11, {0, 1}, 0x3F800000},
    {11, {1, 1}, 0x3FF34739},
    {48, {9999, 10000}, 0x3FFBEA02},
    {48, {99, 100}, 0x3FFA0596},
    {48, {3, 4}, 0x3FDDF774},
    {48, {1, 3}, 0x3FA965E2},
    {48, {0, 1}, 0x3F800000},
    {48, {1, 1}, 0x3FFBEEE7},
    {101, {9999, 10000}, 0x3FFC73B8},
    {101, {99, 100}, 0x3FFC31A5},
    {101, {3, 4}, 0x3FDE2982},
    {101, {1, 3}, 0x3FA863D7},
    {101, {0, 1}, 0x3F800000},
    {101, {1, 1}, 0x3FFC7463},
    {1000, {9999, 10000}, 0x3FFFF023},
    {1000, {99, 100}, 0x3FFEA580},
    {1000, {3, 4}, 0x3FE00366},
    {1000, {1, 3}, 0x3FAAB3BA},
    {1000, {0, 1}, 0x3F800000},
    {1000, {1, 1}, 0x3FFFF2D0},
    {10002, {9999, 10000}, 0x3FFFF39E},
    {10002, {99, 100}, 0x3FFEA64E},
    {10002, {3, 4}, 0x3FDFEFD1},
    {10002, {1, 3}, 0x3FAAA6CF},
    {10002, {0, 1}, 0x3F800000},
    {10002, {1, 1}, 0x3FFFF405},
    {20001, {9999, 10000}, 0x3FFFF4D3},
    {20001, {99, 100}, 0x3FFEB2B1},
    {20001, {3, 4}, 0x3FDFF255},
    {20001, {1, 3}, 0x3FAAA736},
    {20001, {0, 1}, 0x3F800000},
    {20001, {1, 1}, 0x3FFFF5A1},
    {100003, {9999, 10000}, 0x3FFFFBAA},
    {100003, {99, 100}, 0x3FFEB532},
    {100003, {3, 4}, 0x3FDFFE28},
    {100003, {1, 3}, 0x3FAAA8F4},
    {100003, {0, 1}, 0x3F800000},
    {100003, {1, 1}, 0x3FFFFFB0},
};

std::vector<Code> numpy_values(std::size_t count) {
    std::vector<Code> values;
    for (Code i = 0; i < count; ++i) values.push_back(0x3F800000 + i * 2654435761 % (Code{1} << 23));
    return values;
}

} // namespace

TEST_CASE("percentiles of binary32 are those of NumPy", "[percentile]") {
    for (const NumpyRow& numpy_row : by_numpy) {
        CAPTURE(numpy_row.count, numpy_row.rank.numerator, numpy_row.rank.denominator);
        CHECK(percentile({numpy_row.rank}, numpy_values(numpy_row.count)) == numpy_row.wanted);
    }
}

TEST_CASE("the position of a percentile in binary32 is another than the exact one", "[percentile]") {
    // 0.9999 as binary32 is 0.99989998; times 10,001 it is 9999.9998, which binary32 rounds to 10,000.
    std::vector<Code> values(10'002, 0x3F800000);
    values[1] = 0x40000000; // 2 and 3 are the largest
    values[2] = 0x40400000;
    CHECK(percentile({{9999, 10000}}, values) == 0x40000000);
    const Percentile exactly{{9999, 10000}, Position::exact, Between::from_below};
    CHECK(percentile(exactly, values) == 0x3FFFFCB9); // 1 + 0.9999
}

TEST_CASE("percentiles by hand", "[percentile]") {
    const std::vector<Code> four{0xC0800000, 0x3F800000, 0x40000000, 0xC0400000}; // -4, 1, 2, -3
    CHECK(percentile({{1, 2}}, four) == 0x40200000);                              // 2.5
    CHECK(percentile({{1, 1}}, four) == 0x40800000);
    CHECK(percentile({{0, 1}}, four) == 0x3F800000);
    CHECK(percentile({{1, 2}}, {0x4080, 0x3F80, 0x4000, 0xC040}, bf16) == 0x40200000);
    CHECK(percentile({{1, 2}}, {0x4400, 0x3C00, 0x4000, 0xC200}, fp16) == 0x40200000);
    // A NaN.
    std::vector<Code> five = four;
    five.push_back(0xFF800001);
    CHECK(percentile({{1, 2}}, five) == nan_code);
    Percentile without{{1, 2}};
    without.nan_entries = NanEntries::left_out;
    CHECK(percentile(without, five) == 0x40200000);
    CHECK(percentile(without, {nan_code}) == nan_code);
    // Inf: between 2 and Inf it is Inf below the middle, and Inf - Inf above it.
    CHECK(percentile({{1, 4}}, {0x40000000, inf_code}) == inf_code);
    CHECK(percentile({{3, 4}}, {0x40000000, inf_code}) == nan_code);
    CHECK(percentile({{1, 1}}, {0x40000000, inf_code}) == nan_code);
    CHECK(percentile({{1, 1}, Position::exact, Between::from_below}, {0x40000000, inf_code}) == inf_code);
    const Between fused = Between::nearer_end_fused;
    CHECK(percentile({{1, 4}, Position::fp32, fused}, {0x40000000, inf_code}) == inf_code);
    CHECK(percentile({{3, 4}, Position::fp32, fused}, {0x40000000, inf_code}) == nan_code);
    CHECK(percentile({{1, 4}, Position::fp32, fused}, {inf_code, inf_code}) == nan_code);
}

TEST_CASE("an fma between two elements rounds once", "[percentile]") {
    // 1 + 0.3 x (1 - 2^-23): the product alone is rounded to 0.3 of another last bit.
    SplitMix64 random(1);
    std::size_t different = 0;
    for (int i = 0; i < 1000; ++i) {
        const std::vector<Code> two{0x3F800000 | (random() & 0x7FFFFF), 0x40000000 | (random() & 0x7FFFFF)};
        const Rank rank{static_cast<unsigned>(1 + random.below(9998)), 10000};
        const Code once = percentile({rank, Position::fp32, Between::nearer_end_fused}, two);
        const Code twice = percentile({rank, Position::fp32, Between::nearer_end}, two);
        CHECK((once > twice ? once - twice : twice - once) <= 1);
        different += once != twice ? 1 : 0;
    }
    CHECK(different > 50);
}

TEST_CASE("exact arithmetic and the machine's give the same percentiles", "[percentile][values]") {
    SplitMix64 random(2);
    for (int i = 0; i < 6000; ++i) {
        const Format& format = i % 4 == 0 ? bf16 : i % 4 == 1 ? fp16 : fp32;
        std::vector<Code> values(1 + random.below(i % 16 == 0 ? 60 : 7));
        const auto kind = static_cast<unsigned>(random.below(4));
        for (Code& code : values) {
            code = random() % (format.inf_code() + 1);
            if (kind == 0) code = format.one_code() + random.below(16);
            if (kind == 1) code = random.below(16);
            if (random.below(100) == 0) code = format.inf_code() + 1 + random.below(3);
            if (random.below(2) == 0) code |= format.sign_bit();
        }
        const auto denominator = static_cast<unsigned>(1 + random.below(random.below(2) == 0 ? 12 : most_elements));
        const Percentile p{{static_cast<unsigned>(random.below(denominator + 1)), denominator},
                           static_cast<Position>(random.below(2)),
                           static_cast<Between>(random.below(3)),
                           static_cast<NanEntries>(random.below(2))};
        CAPTURE(i, format.name, values, p.rank.numerator, denominator, to_string(p.position), to_string(p.between));
        REQUIRE(fast::percentile_of(p, format, values) == exact::percentile_of(p, format, values));
    }
}

TEST_CASE("percentiles that are none are refused by both arithmetics", "[percentile]") {
    const auto refused = [](const Percentile& p, const std::vector<Code>& values, const Format& format,
                            const std::string& why) {
        CHECK_THROWS_WITH(exact::percentile_of(p, format, values), Contains(why));
        CHECK_THROWS_WITH(fast::percentile_of(p, format, values), Contains(why));
    };
    refused({{2, 1}}, {0}, fp32, "a percentile is a number from 0 to 1");
    refused({{0, 0}}, {0}, fp32, "a percentile is a number from 0 to 1");
    refused({{1, 16777217}}, {0}, fp32, "the denominator of a percentile is at most 16777216");
    refused({}, {}, fp32, "a percentile is of 1 to 16777216 elements, not 0");
    for (const Format& format : all_formats())
        if (&format != &fp32 && &format != &bf16 && &format != &fp16)
            refused({}, {0}, format, "fp32, bf16 or fp16, not " + std::string(format.name));
    CHECK_THROWS_WITH(check(Percentile{}, fp32, most_elements + 1),
                      "a percentile is of 1 to 16777216 elements, not 16777217");
    CHECK_THROWS_WITH(element_recipe("element_percentile_999"), Contains("did you mean"));
    CHECK(describe(element_recipe("element_percentile_99"))
              .starts_with("percentile=99/100 position=fp32 between=nearer_end nan_elements=propagated element=e4m3"));
}
