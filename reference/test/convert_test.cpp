// SPDX-License-Identifier: Apache-2.0
// The fast model by itself: known answers, what it offers, what it refuses. Its equality with the exact model is tested
// in convert_exact_test.cpp, convert_stochastic_test.cpp and, for wide sources, beside the step tables.
#include "reference/fast/convert.hpp"

#include "catch.hpp"

using namespace mxcert;
using namespace mxcert::formats;

namespace {

constexpr Choices choices(Rounding rounding, Overflow overflow) {
    Choices c;
    c.rounding = rounding;
    c.overflow = overflow;
    return c;
}
constexpr Choices sat = choices(Rounding::nearest_even, Overflow::sat);
constexpr Choices nosat = choices(Rounding::nearest_even, Overflow::nosat);

// The model is usable in constant expressions.
static_assert(fast::convert(fp32, e4m3, sat, 0x43E80001) == 0x7E);
static_assert(fast::convert(e8m0, bf16, sat, 0x00) == 0x0040);
static_assert(fast::convert(fp64, e5m2, choices(Rounding::stochastic_a, Overflow::sat), 0x3FF4000000000000, 1, 1) ==
              0x3D);

struct Known {
    Code fp32;
    Code e4m3_sat, e4m3_nosat, e5m2_sat, e5m2_nosat;
};
// Values of 1/2^k, ties, thresholds of overflow and their neighbours, by hand from OFP8 v1.0 5.2.1.
constexpr Known known[] = {
    {0x00000000, 0x00, 0x00, 0x00, 0x00}, {0x80000000, 0x80, 0x80, 0x80, 0x80}, {0x00000001, 0x00, 0x00, 0x00, 0x00},
    {0x80000001, 0x80, 0x80, 0x80, 0x80}, {0x37000000, 0x00, 0x00, 0x00, 0x00}, {0x37000001, 0x00, 0x00, 0x01, 0x01},
    {0x37800000, 0x00, 0x00, 0x01, 0x01}, {0x37C00000, 0x00, 0x00, 0x02, 0x02}, {0x3A800000, 0x00, 0x00, 0x14, 0x14},
    {0x3A800001, 0x01, 0x01, 0x14, 0x14}, {0x3B000000, 0x01, 0x01, 0x18, 0x18}, {0x3B400000, 0x02, 0x02, 0x1A, 0x1A},
    {0x3BA00000, 0x02, 0x02, 0x1D, 0x1D}, {0x3C700000, 0x08, 0x08, 0x24, 0x24}, {0x3C6FFFFF, 0x07, 0x07, 0x23, 0x23},
    {0x38600000, 0x00, 0x00, 0x04, 0x04}, {0x3C800000, 0x08, 0x08, 0x24, 0x24}, {0x3F800000, 0x38, 0x38, 0x3C, 0x3C},
    {0x3F880000, 0x38, 0x38, 0x3C, 0x3C}, {0x3F900000, 0x39, 0x39, 0x3C, 0x3C}, {0x3F980000, 0x3A, 0x3A, 0x3D, 0x3D},
    {0x43700000, 0x77, 0x77, 0x5C, 0x5C}, {0x43E00000, 0x7E, 0x7E, 0x5F, 0x5F}, {0x43E7FFFF, 0x7E, 0x7E, 0x5F, 0x5F},
    {0x43E80000, 0x7E, 0x7E, 0x5F, 0x5F}, {0x43E80001, 0x7E, 0x7F, 0x5F, 0x5F}, {0x43F00000, 0x7E, 0x7F, 0x60, 0x60},
    {0xC3E88000, 0xFE, 0xFF, 0xDF, 0xDF}, {0x47600000, 0x7E, 0x7F, 0x7B, 0x7B}, {0x476FFFFF, 0x7E, 0x7F, 0x7B, 0x7B},
    {0x47700000, 0x7E, 0x7F, 0x7B, 0x7C}, {0xC7700000, 0xFE, 0xFF, 0xFB, 0xFC}, {0x47800000, 0x7E, 0x7F, 0x7B, 0x7C},
    {0x7F7FFFFF, 0x7E, 0x7F, 0x7B, 0x7C}, {0x7F800000, 0x7E, 0x7F, 0x7B, 0x7C}, {0xFF800000, 0xFE, 0xFF, 0xFB, 0xFC},
    {0x7FC00000, 0x7F, 0x7F, 0x7F, 0x7F}, {0xFFC00001, 0x7F, 0x7F, 0x7F, 0x7F},
};

struct KnownScale {
    Code fp32;
    Code down_nosat, down_sat, up_nosat, up_sat; ///< toward_zero and away_from_zero
};
constexpr KnownScale known_scales[] = {
    {0x00000000, 0x00, 0x00, 0x00, 0x00}, {0x00400000, 0x00, 0x00, 0x00, 0x00}, {0x00400001, 0x00, 0x00, 0x01, 0x01},
    {0x007FFFFF, 0x00, 0x00, 0x01, 0x01}, {0x00800000, 0x01, 0x01, 0x01, 0x01}, {0x3F800000, 0x7F, 0x7F, 0x7F, 0x7F},
    {0x3F800001, 0x7F, 0x7F, 0x80, 0x80}, {0x7F000000, 0xFE, 0xFE, 0xFE, 0xFE}, {0x7F7FFFFF, 0xFE, 0xFE, 0xFF, 0xFE},
    {0x7F800000, 0xFF, 0xFE, 0xFF, 0xFE}, {0x7FC00000, 0xFF, 0xFF, 0xFF, 0xFF},
};

} // namespace

TEST_CASE("convert gives the known answers from FP32 to E4M3 and E5M2") {
    for (const Known& k : known) {
        CAPTURE(k.fp32);
        CHECK(fast::convert(fp32, e4m3, sat, k.fp32) == k.e4m3_sat);
        CHECK(fast::convert(fp32, e4m3, nosat, k.fp32) == k.e4m3_nosat);
        CHECK(fast::convert(fp32, e5m2, sat, k.fp32) == k.e5m2_sat);
        CHECK(fast::convert(fp32, e5m2, nosat, k.fp32) == k.e5m2_nosat);
    }
}

TEST_CASE("convert gives the known answers from FP32 to E8M0, either sign") {
    for (const KnownScale& k : known_scales) {
        for (const Code sign : {Code{0}, Code{0x80000000}}) {
            CAPTURE(k.fp32, sign);
            const auto convert = [&](Rounding rounding, Overflow overflow) {
                Choices c = choices(rounding, overflow);
                c.directed_overflow = DirectedOverflow::max;
                return fast::convert(fp32, e8m0, c, k.fp32 | sign);
            };
            CHECK(convert(Rounding::toward_zero, Overflow::nosat) == k.down_nosat);
            CHECK(convert(Rounding::toward_zero, Overflow::sat) == k.down_sat);
            CHECK(convert(Rounding::away_from_zero, Overflow::nosat) == k.up_nosat);
            CHECK(convert(Rounding::away_from_zero, Overflow::sat) == k.up_sat);
        }
    }
}

TEST_CASE("convert offers what conforming implementations do, and nothing else") {
    CHECK(fast::offers(fp32, e4m3));
    CHECK(fast::offers(fp64, e8m0));
    CHECK(fast::offers(e4m3fnuz, e5m2));
    CHECK(fast::offers(e8m0, fp16));
    for (const Format& from : all_formats()) {
        CAPTURE(from.name);
        CHECK_FALSE(fast::offers(from, e4m3fnuz));
        const bool is_wide = &from == &fp64 || &from == &fp32 || &from == &fp16 || &from == &bf16;
        const bool is_fp8 = &from == &e4m3 || &from == &e5m2;
        const bool has_block_scale = from.scaling == Scaling::divide && from.scale == &e8m0;
        for (const Format* narrow : {&e3m2, &e2m3, &e2m1, &int8}) {
            CAPTURE(narrow->name);
            const bool is_float = narrow != &int8;
            const bool has_flags = from.flags_of != nullptr && narrow == &e2m1;
            CHECK(fast::offers(from, *narrow) ==
                  (is_wide || has_block_scale || (is_float && (is_fp8 || from.rectified))));
            CHECK(fast::offers(*narrow, from) == (is_wide || (is_float && is_fp8) || has_flags));
        }
        CHECK_FALSE(fast::offers(from, e8m0inf));
        CHECK_FALSE(fast::offers(e8m0inf, from));
        if (from.width() > 8 && from.scaling != Scaling::multiply) CHECK_FALSE(fast::offers(from, fp32));
    }
    // Of each choice, how many values are offered.
    const unsigned offered[choice_count] = {16, 3, 1, 2, 3, 3, 1, 1, 1, 3, 2, 1, 1, 1, 1, 1, 3, 2, 1, 1, 1, 1};
    for (const ChoiceInfo& choice : all_choices()) {
        CAPTURE(choice.name);
        unsigned count = 0;
        for (unsigned value = 0; value < choice.values.size(); ++value) {
            Choices c;
            set(c, choice.choice, value);
            if (fast::offers(fp32, e4m3, c)) {
                ++count;
            } else {
                CHECK_THROWS_AS(fast::convert(fp32, e4m3, c, 0), std::invalid_argument);
                CHECK_THROWS_AS(fast::convert_span(fp32, e4m3, c, nullptr, nullptr, nullptr, 0), std::invalid_argument);
            }
        }
        CHECK(count == offered[static_cast<unsigned>(choice.choice)]);
    }
}

TEST_CASE("convert refuses codes that are too wide and random bits that do not fit") {
    const Choices c = choices(Rounding::stochastic_b, Overflow::sat);
    CHECK_THROWS_AS(fast::convert(fp16, e4m3, sat, 0x10000), std::out_of_range);
    CHECK_THROWS_AS(fast::convert(fp32, e4m3, c, 0), std::invalid_argument);
    CHECK_THROWS_AS(fast::convert(fp32, e4m3, c, 0, 0, 33), std::invalid_argument);
    CHECK_THROWS_AS(fast::convert(fp32, e4m3, c, 0, 16, 4), std::invalid_argument);
    CHECK_NOTHROW(fast::convert(fp32, e4m3, c, 0, 0xFFFFFFFF, 32));
    const std::uint32_t in = 0;
    const std::uint32_t random = 16;
    std::uint8_t out = 0;
    CHECK_THROWS_AS(fast::convert_span(fp32, e4m3, c, &in, nullptr, &out, 1, 4), std::invalid_argument);
    CHECK_THROWS_AS(fast::convert_span(fp32, e4m3, c, &in, &random, &out, 1, 4), std::invalid_argument);
    CHECK_THROWS_AS(fast::convert_span(fp32, e4m3, c, &in, &random, &out, 1, 33), std::invalid_argument);
    CHECK_NOTHROW(fast::convert_span(fp32, e4m3, c, &in, &random, &out, 1, 5));
}
