// SPDX-License-Identifier: Apache-2.0
#include "reference/exact/exact.hpp"

#include <bit>
#include <cmath>
#include <cstring>

#include "catch.hpp"
#include "reference/block.hpp"

using namespace mxcert;

namespace {

Code run(const Format& from, const Format& to, Code code, Choices choices = {}) {
    return exact::convert(from, to, choices, code).code;
}

Choices nosat() {
    Choices c;
    c.overflow = Overflow::nosat;
    return c;
}

Choices with(std::initializer_list<std::pair<const char*, const char*>> values) {
    Choices c;
    for (const auto& [choice, value] : values) set(c, choice, value);
    return c;
}

} // namespace

TEST_CASE("OFP8 and MX code tables") {
    using namespace formats;
    CHECK(e4m3.max_code() == 0x7E);
    CHECK(exact::decimal(exact::decode(e4m3, 0x7E).magnitude) == "448");
    CHECK(exact::decode(e4m3, 0x08).magnitude == exact::power_of_two(-6));
    CHECK(exact::decode(e4m3, 0x07).magnitude == exact::Rational(7, 8) * exact::power_of_two(-6));
    CHECK(exact::decode(e4m3, 0x01).magnitude == exact::power_of_two(-9));
    CHECK(exact::decode(e4m3, 0x7F).kind == exact::Kind::nan);
    CHECK(exact::decode(e4m3, 0xFF).kind == exact::Kind::nan);
    CHECK(exact::decimal(exact::decode(e5m2, 0x7B).magnitude) == "57344");
    CHECK(exact::decode(e5m2, 0x04).magnitude == exact::power_of_two(-14));
    CHECK(exact::decode(e5m2, 0x01).magnitude == exact::power_of_two(-16));
    CHECK(exact::decode(e5m2, 0x7C).kind == exact::Kind::inf);
    for (const Code nan : {Code{0x7D}, Code{0x7E}, Code{0x7F}, Code{0xFD}, Code{0xFE}, Code{0xFF}})
        CHECK(exact::decode(e5m2, nan).kind == exact::Kind::nan);
    CHECK(exact::decode(e8m0, 0x00).magnitude == exact::power_of_two(-127));
    CHECK(exact::decode(e8m0, 0xFE).magnitude == exact::power_of_two(127));
    CHECK(exact::decode(e8m0, 0xFF).kind == exact::Kind::nan);
    CHECK(exact::decimal(exact::decode(e3m2, 0x1F).magnitude) == "28");
    CHECK(exact::decimal(exact::decode(e2m3, 0x1F).magnitude) == "7.5");
    CHECK(exact::decimal(exact::decode(e2m1, 0x07).magnitude) == "6");
    CHECK(exact::decimal(exact::decode(e4m3fnuz, 0x7F).magnitude) == "240");
    CHECK(exact::decode(e4m3fnuz, 0x80).kind == exact::Kind::nan);
    CHECK(exact::decimal(exact::decode(e5m2fnuz, 0x7F).magnitude) == "57344");
    CHECK(exact::decode(e8m0inf, 0xFF).kind == exact::Kind::inf);
    CHECK_THROWS_AS(exact::decode(e4m3, 0x100), std::out_of_range);
}

TEST_CASE("decoding binary32 and binary64 agrees with the machine") {
    for (const std::uint32_t bits :
         {0x00000000u, 0x00000001u, 0x007FFFFFu, 0x00800000u, 0x3F800001u, 0x7F7FFFFFu, 0xC3E80001u}) {
        const auto value = exact::decode(formats::fp32, bits);
        const double machine = std::fabs(static_cast<double>(std::bit_cast<float>(bits)));
        CHECK(static_cast<double>(value.magnitude) == machine); // exactly: FP64 has every value of FP32
        const auto wide = std::bit_cast<std::uint64_t>(static_cast<double>(std::bit_cast<float>(bits)));
        CHECK(run(formats::fp32, formats::fp64, bits) == wide);
        CHECK(run(formats::fp64, formats::fp32, wide) == bits);
    }
}

TEST_CASE("every code of every format goes to itself", "[values]") {
    for (const Format& f : all_formats()) {
        // The others take an amax, nothing, any value, or a number that is not negative.
        if (f.element != nullptr || f.scale != nullptr || f.flags_of != nullptr || f.rectified) continue;
        const Code stride = f.width() <= 16 ? 1 : f.last_code() / 997;
        for (Code code = 0;; code += stride) {
            if (f.is_finite(code)) {
                const auto result = exact::convert(f, f, with({{"lowest", "used"}}), code);
                REQUIRE(result.code == code);
                REQUIRE_FALSE(result.inexact);
            } else {
                REQUIRE(f.is_finite(run(f, f, code)) == false);
            }
            if (f.last_code() - code < stride) break;
        }
    }
}

TEST_CASE("what an infinity becomes is exact, as in IEEE 754 6.1, and a finite value that changes is inexact") {
    const auto inexact = [](const Format& from, const Format& to, Choices choices, Code code) {
        return exact::convert(from, to, choices, code).inexact;
    };
    Choices sat;
    Choices nosat;
    nosat.overflow = Overflow::nosat;
    for (const Format* to : {&formats::e4m3, &formats::e5m2})
        for (const Choices& choices : {sat, nosat}) {
            CAPTURE(to->name);
            for (const Code code : {Code{0x7F800000}, Code{0xFF800000}, Code{0x7FC00000}})
                CHECK_FALSE(inexact(formats::fp32, *to, choices, code));
            CHECK(inexact(formats::fp32, *to, choices, 0x7F7FFFFF));
            CHECK_FALSE(exact::convert(formats::fp32, *to, choices, 0x7F800000).overflow);
            CHECK(exact::convert(formats::fp32, *to, choices, 0x7F7FFFFF).overflow);
        }
    // 448 under the scale 1/2, Inf under any, and 1 under a NaN scale.
    CHECK(inexact(formats::fp32_by_e8m0, formats::e4m3, sat, 0x7E43E00000));
    CHECK_FALSE(inexact(formats::fp32_by_e8m0, formats::e4m3, sat, 0x7E7F800000));
    CHECK_FALSE(inexact(formats::fp32_by_e8m0, formats::e4m3, sat, 0xFF3F800000));
    // A value next to 1 that the arithmetic takes for 1, from above or below.
    Choices in_bf16 = sat;
    in_bf16.arithmetic = Arithmetic::bf16_divide;
    CHECK(inexact(formats::fp32_by_e8m0, formats::e4m3, in_bf16, 0x7F3F800001));
    CHECK(inexact(formats::fp32_by_e8m0, formats::e4m3, in_bf16, 0x7F3F7FFFFF));
    CHECK_FALSE(inexact(formats::fp32_by_e8m0, formats::e4m3, in_bf16, 0x7F3F800000));
    // A finite value that a first rounding takes to Inf is still one.
    Choices twice = sat;
    twice.via = Via::fp16_nearest_even;
    CHECK(inexact(formats::fp32, formats::e5m2, twice, 0x477FF000));
    CHECK_FALSE(inexact(formats::fp32, formats::e5m2, twice, 0x7F800000));
    // E8M0 has neither zero nor sign.
    CHECK(inexact(formats::fp32, formats::e8m0, sat, 0));
    CHECK(inexact(formats::fp32, formats::e8m0, sat, 0xBF800000));
    CHECK_FALSE(inexact(formats::fp32, formats::e8m0, sat, 0x3F800000));
}

namespace {
struct Boundary {
    std::uint32_t input;
    Code e4m3_sat, e4m3_nosat, e5m2_sat, e5m2_nosat;
};
// OFP8 v1.0 5.2.1, worked out by hand at the places where implementations go wrong.
constexpr Boundary boundaries[] = {
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
};
} // namespace

TEST_CASE("FP32 boundaries under round to nearest even") {
    for (const Boundary& b : boundaries) {
        CAPTURE(b.input);
        CHECK(run(formats::fp32, formats::e4m3, b.input) == b.e4m3_sat);
        CHECK(run(formats::fp32, formats::e4m3, b.input, nosat()) == b.e4m3_nosat);
        CHECK(run(formats::fp32, formats::e5m2, b.input) == b.e5m2_sat);
        CHECK(run(formats::fp32, formats::e5m2, b.input, nosat()) == b.e5m2_nosat);
    }
}

namespace {
// Rows: what 19 encoder modes of real projects give; columns: these inputs. Each row is a Behaviour of ours.
constexpr std::uint32_t scale_inputs[] = {0x00000000, 0x00000001, 0x00400000, 0x00400001, 0x00500000,
                                          0x00600000, 0x3F800001, 0x3FB504F3, 0x3FB504F4, 0x3FC00000,
                                          0x40400000, 0x7F200000, 0x7F400000, 0x7F7FFFFF, 0x7F800000,
                                          0xFF800000, 0x7FC00000, 0xFFC00000, 0xBF800000};
struct Encoder {
    const char* name;
    const char *rounding, *overflow, *negative, *zero, *lowest;
    Code codes[19];
};
constexpr Encoder encoders[] = {
    {"CUDA RP SATFINITE",
     "up",
     "sat",
     "magnitude",
     "smallest",
     "by_value",
     {0, 0, 0, 1, 1, 1, 0x80, 0x80, 0x80, 0x80, 0x81, 0xFE, 0xFE, 0xFE, 0xFE, 0xFE, 0xFF, 0xFF, 0x7F}},
    {"CUDA RP NOSAT",
     "up",
     "nosat",
     "magnitude",
     "smallest",
     "by_value",
     {0, 0, 0, 1, 1, 1, 0x80, 0x80, 0x80, 0x80, 0x81, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F}},
    {"CUTLASS host",
     "up",
     "sat_finite",
     "magnitude",
     "smallest",
     "by_value",
     {0, 0, 0, 1, 1, 1, 0x80, 0x80, 0x80, 0x80, 0x81, 0xFE, 0xFE, 0xFE, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F}},
    {"CUDA RZ SATFINITE",
     "toward_zero",
     "sat",
     "magnitude",
     "smallest",
     "by_value",
     {0, 0, 0, 0, 0, 0, 0x7F, 0x7F, 0x7F, 0x7F, 0x80, 0xFE, 0xFE, 0xFE, 0xFE, 0xFE, 0xFF, 0xFF, 0x7F}},
    {"CUDA RZ NOSAT",
     "toward_zero",
     "nosat",
     "magnitude",
     "smallest",
     "by_value",
     {0, 0, 0, 0, 0, 0, 0x7F, 0x7F, 0x7F, 0x7F, 0x80, 0xFE, 0xFE, 0xFE, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F}},
    {"PyTorch",
     "nearest_away",
     "nosat",
     "magnitude",
     "smallest",
     "up_above_smallest",
     {0, 0, 0, 1, 1, 1, 0x7F, 0x7F, 0x7F, 0x80, 0x81, 0xFE, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F}},
    {"ml_dtypes",
     "nearest_away",
     "nosat",
     "nan",
     "nan",
     "up_above_smallest",
     {0xFF, 0, 0, 1, 1, 1, 0x7F, 0x7F, 0x7F, 0x80, 0x81, 0xFE, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF}},
    {"ONNX up, saturate",
     "up",
     "sat_finite",
     "magnitude",
     "smallest",
     "up_nonzero",
     {0, 1, 1, 1, 1, 1, 0x80, 0x80, 0x80, 0x80, 0x81, 0xFE, 0xFE, 0xFE, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F}},
    {"universal, non-negative",
     "nearest_log2",
     "sat",
     "zero",
     "smallest",
     "by_value",
     {0, 0, 0, 0, 0, 1, 0x7F, 0x7F, 0x80, 0x80, 0x81, 0xFE, 0xFE, 0xFE, 0xFE, 0x00, 0xFF, 0xFF, 0x00}},
    {"nearest even",
     "nearest_even",
     "nosat",
     "nan",
     "nan",
     "zero_below",
     {0xFF, 0xFF, 0, 0, 0, 0, 0x7F, 0x7F, 0x7F, 0x80, 0x80, 0xFE, 0xFE, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF}},
};
} // namespace

TEST_CASE("FP32 to E8M0 as real encoders do it") {
    for (const Encoder& e : encoders)
        for (std::size_t i = 0; i < std::size(scale_inputs); ++i) {
            CAPTURE(e.name, i, scale_inputs[i]);
            const Choices c = with({{"rounding", e.rounding},
                                    {"overflow", e.overflow},
                                    {"negative", e.negative},
                                    {"zero", e.zero},
                                    {"lowest_binade", e.lowest}});
            CHECK(run(formats::fp32, formats::e8m0, scale_inputs[i], c) == e.codes[i]);
        }
}

TEST_CASE("each rounding at a tie, beside it and between") {
    struct Case {
        const char* rounding;
        Code at[8]; // 1.0625 (tie 0x38/0x39), 1.1875 (tie 0x39/0x3A), 1.0001, 1.1249 and their negatives
    };
    constexpr std::uint32_t inputs[] = {0x3F880000, 0x3F980000, 0x3F800347, 0x3F8FFCB9,
                                        0xBF880000, 0xBF980000, 0xBF800347, 0xBF8FFCB9};
    constexpr Case cases[] = {
        {"nearest_even", {0x38, 0x3A, 0x38, 0x39, 0xB8, 0xBA, 0xB8, 0xB9}},
        {"nearest_away", {0x39, 0x3A, 0x38, 0x39, 0xB9, 0xBA, 0xB8, 0xB9}},
        {"toward_zero", {0x38, 0x39, 0x38, 0x38, 0xB8, 0xB9, 0xB8, 0xB8}},
        {"up", {0x39, 0x3A, 0x39, 0x39, 0xB8, 0xB9, 0xB8, 0xB8}},
        {"down", {0x38, 0x39, 0x38, 0x38, 0xB9, 0xBA, 0xB9, 0xB9}},
        {"away_from_zero", {0x39, 0x3A, 0x39, 0x39, 0xB9, 0xBA, 0xB9, 0xB9}},
        {"to_odd", {0x39, 0x39, 0x39, 0x39, 0xB9, 0xB9, 0xB9, 0xB9}},
        {"nearest_log2", {0x39, 0x3A, 0x38, 0x39, 0xB9, 0xBA, 0xB8, 0xB9}},
    };
    for (const Case& c : cases)
        for (std::size_t i = 0; i < 8; ++i) {
            CAPTURE(c.rounding, i);
            CHECK(run(formats::fp32, formats::e4m3, inputs[i], with({{"rounding", c.rounding}})) == c.at[i]);
        }
}

TEST_CASE("known bug classes are Behaviours") {
    const auto e4m3 = [](std::uint32_t x, Choices c) { return run(formats::fp32, formats::e4m3, x, c); };
    const auto e5m2 = [](std::uint32_t x, Choices c) { return run(formats::fp32, formats::e5m2, x, c); };
    SECTION("DOUBLE_ROUND_F16") {
        const Choices c = with({{"via", "fp16_nearest_even"}, {"overflow", "nosat"}});
        CHECK(e4m3(0x3C880001, c) == 0x08);
        CHECK(e4m3(0x3A800001, c) == 0x00);
        CHECK(e4m3(0x43E80001, c) == 0x7E);
        CHECK(e5m2(0x476FFFFF, c) == 0x7C);
        CHECK(e5m2(0x7FC00000, c) == 0x7F);
    }
    SECTION("F16_TRUNC_STICKY") { CHECK(e4m3(0x3F880001, with({{"via", "fp16_toward_zero"}})) == 0x38); }
    SECTION("via BF16") { CHECK(e4m3(0x3F880001, with({{"via", "bf16_nearest_even"}})) == 0x38); }
    SECTION("overflow decided before rounding") {
        const Choices c = with({{"overflow_test", "before_rounding"}, {"overflow", "nosat"}});
        CHECK(e4m3(0x43E00001, c) == 0x7F);
        CHECK(e4m3(0x43E00000, c) == 0x7E);
        CHECK(e5m2(0x47600001, c) == 0x7C);
    }
    SECTION("TOP_TIE") {
        const Choices c = with({{"overflow_test", "tie_overflows"}, {"overflow", "nosat"}});
        CHECK(e4m3(0x43E80000, c) == 0x7F);
        CHECK(e4m3(0x43E7FFFF, c) == 0x7E);
        Choices cut = c;
        cut.rounding = Rounding::toward_zero;
        CHECK(e4m3(0x43E7FFFF, cut) == 0x7E);
        CHECK(e4m3(0x43E80000, cut) == 0x7F);
        CHECK(e4m3(0x43E80001, cut) == 0x7F); // no input stands by itself
    }
    SECTION("INF_POLICY") {
        const Choices c = with({{"overflow", "sat_finite"}});
        CHECK(e4m3(0x7F800000, c) == 0x7F);
        CHECK(e4m3(0xFF800000, c) == 0xFF);
        CHECK(e4m3(0x7F7FFFFF, c) == 0x7E);
        CHECK(e5m2(0xFF800000, c) == 0xFC);
    }
    SECTION("NAN codes") {
        CHECK(e5m2(0xFFC00000, with({{"nan", "canonical"}})) == 0x7F);
        CHECK(e5m2(0xFFC00000, with({{"nan", "sign"}})) == 0xFF);
        CHECK(e5m2(0xFFC00000, with({{"nan", "quiet"}})) == 0x7E);
        CHECK(e5m2(0xFFC00000, with({{"nan", "quiet_sign"}})) == 0xFE);
        CHECK(e5m2(0x7FA00000, with({{"nan", "payload_sign"}})) == 0x7F);
        CHECK(e5m2(0x7FC00000, with({{"nan", "payload_sign"}})) == 0x7E);
        CHECK(e5m2(0x7FC00000, with({{"nan", "inverted_first"}})) == 0xFD);
        CHECK(e5m2(0x7FC00000, with({{"nan", "negative"}})) == 0xFF);
        CHECK(e4m3(0x7FC00000, with({{"nan", "negative"}})) == 0xFF);
        CHECK(e4m3(0xFFC00000, with({{"nan", "fp32_ones"}})) == 0x7F);
        CHECK(run(formats::e5m2, formats::fp64, 0xFE, with({{"nan", "fp32_ones"}})) == 0x7FFFFFFFE0000000);
        CHECK(run(formats::e5m2, formats::fp32, 0xFE, with({{"nan", "fp32_ones"}})) == 0x7FFFFFFF);
        CHECK(run(formats::e8m0, formats::fp64, 0xFF, with({{"nan", "bf16_ones"}})) == 0x7FFFE00000000000);
        CHECK(run(formats::e8m0, formats::fp16, 0xFF, with({{"nan", "bf16_ones"}})) == 0x7FF8);
        CHECK(run(formats::e4m3, formats::fp32, 0xFF, with({{"nan", "payload_sign"}})) == 0xFFF00000);
        CHECK(run(formats::e5m2, formats::fp16, 0x7D, with({{"nan", "payload_sign"}})) == 0x7F00);
        CHECK(run(formats::fp64, formats::e5m2, 0x7FF4000000000001, with({{"nan", "payload_sign"}})) == 0x7F);
        CHECK(e4m3(0x7F800000, with({{"overflow", "nosat"}, {"overflow_nan", "negative"}})) == 0xFF);
        CHECK(e4m3(0x7F7FFFFF, with({{"overflow", "nosat"}, {"overflow_nan", "negative"}})) == 0xFF);
        CHECK(e5m2(0x7F800000, with({{"overflow", "nosat"}, {"overflow_nan", "negative"}})) == 0x7C);
        CHECK(e4m3(0x7FC00000, with({{"nan", "max"}})) == 0x7E);
        CHECK(e4m3(0xFFC00000, with({{"nan", "max_sign"}})) == 0xFE);
        CHECK(e4m3(0xFFC00000, with({{"nan", "zero"}})) == 0x00);
        CHECK(run(formats::fp32, formats::e2m1, 0xFFC00000, with({{"nan", "max_sign"}})) == 0xF);
        CHECK(run(formats::fp32, formats::e4m3fnuz, 0x7FC00000, with({{"nan", "sign"}})) == 0x80);
    }
    SECTION("zeros") {
        CHECK(e4m3(0x80000000, with({{"zero_sign", "dropped"}})) == 0x00);
        CHECK(e4m3(0x80000001, with({{"zero_sign", "dropped"}})) == 0x00);
        CHECK(e4m3(0x80000000, with({{"zero_sign", "input_dropped"}})) == 0x00);
        CHECK(e4m3(0x80000001, with({{"zero_sign", "input_dropped"}})) == 0x80);
        CHECK(run(formats::fp32, formats::e4m3fnuz, 0x80000000) == 0x00);
    }
    SECTION("flushing") {
        CHECK(e4m3(0x3B400000, with({{"flush", "output"}})) == 0x00);
        CHECK(e4m3(0x3C800000, with({{"flush", "output"}})) == 0x08);
        CHECK(run(formats::e4m3, formats::fp32, 0x01, with({{"flush", "input"}})) == 0);
        CHECK(run(formats::e8m0, formats::fp32, 0x00, with({{"flush", "output"}})) == 0);
        CHECK(run(formats::e8m0, formats::fp32, 0x00) == 0x00400000);
    }
    SECTION("directed overflow") {
        const Choices special = with({{"rounding", "toward_zero"}, {"overflow", "nosat"}});
        const Choices max = with({{"rounding", "toward_zero"}, {"overflow", "nosat"}, {"directed_overflow", "max"}});
        CHECK(e4m3(0x43EFFFFF, special) == 0x7E); // below 480: rounds to 448, no overflow
        CHECK(e4m3(0x43F00000, special) == 0x7F);
        CHECK(e4m3(0x43F00000, max) == 0x7E);
        CHECK(e4m3(0x7F800000, max) == 0x7F); // Inf itself is not an overflow
        CHECK(e5m2(0x7F7FFFFF, max) == 0x7B);
    }
}

TEST_CASE("no choice has a say beyond those consulted", "[values]") {
    // For each input, changing any choice that was not consulted leaves the code as it is; and every choice is
    // consulted, and changes something, somewhere.
    constexpr std::uint32_t inputs[] = {0x00000000, 0x80000000, 0x00000001, 0x80000001, 0x00400000, 0x00400001,
                                        0x80300000, 0x3A800001, 0xBB400000, 0x3F880000, 0xBF880001, 0x43E00001,
                                        0x43E80000, 0xC3E80001, 0x43F00000, 0x476FFFFF, 0xC7700000, 0x7F7FFFFF,
                                        0x7F800000, 0xFF800000, 0x7F800001, 0x7FA00000, 0xFFC00000, 0x7F200000,
                                        0x37000001, 0x3C880001, 0x04600001, 0x3C780001};
    ChoiceSet changed_something = 0;
    for (const char* to :
         {"e4m3", "e5m2", "e8m0", "e2m1", "int8", "ue5m3", "e4m3fnuz", "fp16", "e8m0_for_e4m3", "flags_of_e4m3"})
        for (const char* rounding : {"nearest_even", "toward_zero", "up", "to_odd"})
            for (const char* overflow : {"sat", "nosat"})
                for (const std::uint32_t input : inputs) {
                    const bool scale = format(to).element != nullptr;
                    Choices base = with({{"rounding", rounding}, {"overflow", overflow}});
                    if (scale) base.rule = ScaleRule::rceil;
                    const auto result = exact::convert(formats::fp32, format(to), base, input);
                    for (const ChoiceInfo& choice : all_choices())
                        for (unsigned value = 0; value < choice.values.size(); ++value) {
                            Choices other = base;
                            set(other, choice.choice, value);
                            if (is_stochastic(other.rounding) || (other.rule != ScaleRule::none) != scale) continue;
                            const Code code = run(formats::fp32, format(to), input, other);
                            CAPTURE(to, rounding, overflow, input, choice.name, choice.values[value]);
                            if ((result.consulted & bit(choice.choice)) == 0)
                                REQUIRE(code == result.code);
                            else if (code != result.code)
                                changed_something |= bit(choice.choice);
                        }
                }
    // What the smallest scale divides by has a say where there is a scale.
    const Choices right = with({});
    const auto scaled = exact::convert(formats::fp32_by_e8m0, formats::e4m3, right, 0x01000000);
    REQUIRE((scaled.consulted & bit(Choice::smallest_scale)) != 0);
    if (run(formats::fp32_by_e8m0, formats::e4m3, 0x01000000, with({{"smallest_scale", "one"}})) != scaled.code)
        changed_something |= bit(Choice::smallest_scale);
    CHECK(changed_something == (ChoiceSet{1} << choice_count) - 1);
}

TEST_CASE("stochastic thresholds") {
    using exact::Rational;
    const auto t = [](Rounding r, const Rational& eta, unsigned n) { return exact::stochastic_threshold(r, eta, n); };
    CHECK(t(Rounding::stochastic_a, Rational(0), 8) == 256);
    CHECK(t(Rounding::stochastic_a, Rational(1, 2), 8) == 128);
    CHECK(t(Rounding::stochastic_a, Rational(1, 512), 8) == 256); // below the last random bit: never away
    CHECK(t(Rounding::stochastic_b, Rational(1, 512), 8) == 255);
    CHECK(t(Rounding::stochastic_b, Rational(1, 2), 8) == 128);
    CHECK(t(Rounding::stochastic_c, Rational(1, 512), 8) == 256); // tie to even: 0
    CHECK(t(Rounding::stochastic_c, Rational(3, 512), 8) == 254); // tie to even: 2
    CHECK(t(Rounding::stochastic_c, Rational(511, 512), 8) == 0);
    CHECK(t(Rounding::stochastic_a, Rational(511, 512), 8) == 1);
    Choices c;
    c.rounding = Rounding::stochastic_a;
    CHECK_THROWS_AS(exact::convert(formats::fp32, formats::e4m3, c, 0x3F880000), std::invalid_argument);
    CHECK_THROWS_AS(exact::convert(formats::fp32, formats::e4m3, c, 0x3F880000, {33, 0}), std::invalid_argument);
    CHECK_THROWS_AS(exact::convert(formats::fp32, formats::e4m3, c, 0x3F880000, {8, 256}), std::invalid_argument);
    CHECK(exact::convert(formats::fp32, formats::e4m3, c, 0x3F880000, {8, 127}).code == 0x38);
    CHECK(exact::convert(formats::fp32, formats::e4m3, c, 0x3F880000, {8, 128}).code == 0x39);
}

TEST_CASE("rationals") {
    CHECK(exact::floor_log2(exact::Rational(1)) == 0);
    CHECK(exact::floor_log2(exact::Rational(3, 4)) == -1);
    CHECK(exact::floor_log2(exact::power_of_two(-1074)) == -1074);
    CHECK(exact::floor_log2(exact::power_of_two(1023) * exact::Rational(15, 8)) == 1023);
    CHECK(exact::decimal(exact::Rational(0)) == "0");
    CHECK(exact::decimal(exact::Rational(100)) == "100");
    CHECK(exact::decimal(exact::Rational(-1, 8)) == "-0.125");
    CHECK(exact::decimal(exact::power_of_two(-9)) == "0.001953125");
    CHECK_THROWS_AS(exact::decimal(exact::Rational(1, 3)), std::logic_error);
    CHECK_THROWS_AS(exact::encode(formats::e4m3, exact::Rational(449)), std::logic_error);
    CHECK_THROWS_AS(exact::encode(formats::e4m3, exact::Rational(480)), std::logic_error);
}

TEST_CASE("a conversion tells its steps when it is asked for them") {
    using namespace formats;
    const auto steps = [](const Format& from, const Format& to, Code code, const Choices& choices) {
        std::vector<exact::Step> trace;
        const exact::Result told = exact::convert(from, to, choices, code, {}, &trace);
        CHECK(told.code == exact::convert(from, to, choices, code).code); // it changes no answer
        std::string text;
        for (const exact::Step& step : trace) text += step.text + "\n";
        return text;
    };
    const auto contains = [](const std::string& text) { return Catch::Contains(text); };
    CHECK_THAT(steps(fp32, e4m3, 0x3F880000, {}), contains("between 1 and 1.125: nearest_even gives 1"));
    CHECK_THAT(steps(fp32, e4m3, 0x3F880000, with({{"via", "bf16_nearest_even"}})),
               contains("rounded to bf16 first: 1.0625"));
    const Format& by = by_scale(fp32);
    CHECK_THAT(steps(by, e4m3, by.code_of(128, 0x3F800000), {}), contains("1 / 2"));
    const Format& times = times_scale(e4m3);
    CHECK_THAT(steps(times, fp32, times.code_of(128, 0x38), {}), contains("1 x 2"));
    const Format& amax = amax_of(fp32);
    const Format& scale = scale_of(e4m3);
    Choices rule = with({{"rule", "rceil"}});
    CHECK_THAT(steps(amax, scale, 0x3F800000, rule),
               contains("the quotient 1 / 448 is to be rounded to a power of two"));
    rule.arithmetic = Arithmetic::fp32_divide;
    CHECK_THAT(steps(amax, scale, 0x3F800000, rule), contains("fp32_divide gives 0.002232142"));
    CHECK_THAT(steps(fp32, e4m3, 0x7F800000, {}), contains("Inf saturates to the largest finite magnitude"));
    CHECK_THAT(steps(fp32, e4m3, 0x7FC00000, {}), contains("NaN gives NaN"));
}

TEST_CASE("a product with a scale is rounded in the arithmetic that is chosen") {
    using namespace formats;
    const Format& times = times_scale(e4m3);
    // 1.875 x 2^-127 is a subnormal of either.
    CHECK(run(times, fp32, times.code_of(0, 0x3F), with({{"arithmetic", "bf16_divide"}})) == 0x00780000);
    CHECK(run(times, fp32, times.code_of(0, 0x3F), with({{"arithmetic", "fp32_divide"}})) == 0x00780000);
    // 2^-9 x 2^-127 is below the smallest of BF16.
    CHECK(run(times, fp32, times.code_of(0, 0x01), with({{"arithmetic", "bf16_divide"}})) == 0);
    CHECK(run(times, fp32, times.code_of(0, 0x01), with({{"arithmetic", "fp32_divide"}})) == 0x00002000);
}
