// SPDX-License-Identifier: Apache-2.0
// Values with a given scale: what their codes mean, and what both models make of them.
#include <vector>

#include "catch.hpp"
#include "reference/base/random.hpp"
#include "reference/conversion.hpp"
#include "reference/exact/exact.hpp"
#include "reference/fast/convert.hpp"
#include "reference/test/unsaturated.hpp"

using namespace mxcert;
using namespace mxcert::formats;

namespace {

constexpr Code fp32_with(Code scale, Code value) { return scale << 32 | value; }

Code quantized(Code scale, Code value, const Choices& choices = {}, const Format& to = e4m3) {
    return exact::convert(fp32_by_e8m0, to, choices, fp32_with(scale, value)).code;
}

Code dequantized(Code scale, Code element, const Choices& choices = {}, const Format& to = fp32,
                 const Format& from = e4m3_times_e8m0) {
    return exact::convert(from, to, choices, scale << 8 | element).code;
}

} // namespace

TEST_CASE("a format with a given scale is its value and the scale above it", "[scaled]") {
    CHECK(fp32_by_e8m0.width() == 40);
    CHECK(fp32_by_e8m0.bytes() == 8);
    CHECK(fp16_by_e8m0.bytes() == 4);
    CHECK(e4m3_times_e8m0.bytes() == 2);
    CHECK(fp32_by_e8m0.last_code() == 0xFFFFFFFFFF);
    CHECK(fp32_by_e8m0.value_of(0x7FBF800000) == 0xBF800000);
    CHECK(fp32_by_e8m0.scale_of(0x7FBF800000) == 0x7F);
    CHECK(fp32.value_of(0xBF800000) == 0xBF800000);
    CHECK(fp32.scale_of(0xBF800000) == 0);
    CHECK(fp32_by_e8m0.is_nan(0xFF00000000));
    CHECK(fp32_by_e8m0.is_nan(0x007FC00000));
    CHECK_FALSE(fp32_by_e8m0.is_nan(0x007F800000));
    CHECK(fp32_by_e8m0.is_inf(0x007F800000));
    CHECK_FALSE(fp32_by_e8m0.is_inf(0xFF7F800000)); // NaN by its scale
    CHECK_FALSE(embeds(e4m3_times_e8m0, fp32));
    CHECK(exact::decode(fp32_by_e8m0, 0x80C0400000).magnitude == exact::Rational(3) / 2);
    CHECK(exact::decode(fp32_by_e8m0, 0x80C0400000).negative);
    CHECK(exact::decode(e4m3_times_e8m0, 0x8138).magnitude == 4);
    CHECK(exact::decode(e4m3_times_e8m0, 0xFF38).kind == exact::Kind::nan);
}

TEST_CASE("nothing is converted to a format with a given scale", "[scaled]") {
    CHECK_THROWS_AS(exact::convert(fp32, fp32_by_e8m0, {}, 0), std::invalid_argument);
    CHECK_FALSE(fast::offers(fp32, fp32_by_e8m0));
    CHECK_THROWS_WITH(make_conversion("fp32", "fp32_by_e8m0", "nearest_even", "sat", 0),
                      "nothing is converted to fp32_by_e8m0: it carries a given scale");
}

TEST_CASE("an element is the value divided by its scale, rounded once", "[scaled]") {
    // 464 and 464 + 1 ulp in units of scales 2^-1 to 2^1.
    for (const Code scale : {Code{0x7E}, Code{0x7F}, Code{0x80}}) {
        const Code shift = (scale - 0x7F) << 23;
        CHECK(quantized(scale, 0x43E80000 + shift, unsaturated()) == 0x7E);
        CHECK(quantized(scale, 0x43E80001 + shift, unsaturated()) == 0x7F);
        CHECK(quantized(scale, 0x43E80001 + shift) == 0x7E);
        CHECK(quantized(scale, 0xC3E80001 + shift) == 0xFE);
        CHECK(quantized(scale, 0x3A800000 + shift) == 0x00); // 2^-10, the tie below the smallest subnormal
        CHECK(quantized(scale, 0x3A800001 + shift) == 0x01);
        CHECK(quantized(scale, 0xBA800000 + shift) == 0x80);
    }
    // Subnormal sources: 2^-149 / 2^-127 is far below; 2^-127 / 2^-127 is 1.
    CHECK(quantized(0x00, 0x00000001) == 0x00);
    CHECK(quantized(0x00, 0x00400000) == 0x38);
    CHECK(quantized(0x00, 0x7F7FFFFF) == 0x7E);
    CHECK(quantized(0xFE, 0x7F7FFFFF) == 0x40); // nearly 2^128 / 2^127
    CHECK(quantized(0xFE, 0x7F800000) == 0x7E);
    CHECK(quantized(0xFE, 0x7F800000, unsaturated(), e5m2) == 0x7C);
    CHECK(quantized(0x7F, 0x80000000) == 0x80);
}

TEST_CASE("a scale that is NaN makes every value NaN", "[scaled]") {
    for (const Code value : {0x00000000u, 0x3F800000u, 0x7F800000u, 0xFFC00000u}) {
        const exact::Result result = exact::convert(fp32_by_e8m0, e4m3, {}, fp32_with(0xFF, value));
        CHECK(result.code == 0x7F);
        CHECK(result.rule == Rule::scale_nan);
    }
    CHECK(dequantized(0xFF, 0x38) == 0x7FFFFFFF);
    CHECK(dequantized(0xFF, 0x00) == 0x7FFFFFFF);
    CHECK(exact::convert(fp32_by_e8m0, e4m3, {}, fp32_with(0x7F, 0x7FC00000)).rule == Rule::nan);
}

TEST_CASE("a value is its element times its scale", "[scaled]") {
    CHECK(dequantized(0x7F, 0x38) == 0x3F800000);
    CHECK(dequantized(0x80, 0xB8) == 0xC0000000);
    CHECK(dequantized(0x00, 0x01) == 0x00002000);                            // 2^-136, a subnormal
    CHECK(dequantized(0x00, 0x01, {}, fp32, e5m2_times_e8m0) == 0x00000040); // 2^-143
    CHECK(dequantized(0x00, 0x00) == 0x00000000);
    CHECK(dequantized(0x00, 0x80) == 0x80000000);
    // From 2^120 x 256 beyond FP32: Inf, or the largest.
    CHECK(dequantized(0xF6, 0x7E, unsaturated()) == 0x7F600000); // 2^119 x 448
    CHECK(dequantized(0xF7, 0x77, unsaturated()) == 0x7F700000); // 2^120 x 240
    CHECK(dequantized(0xF7, 0x78, unsaturated()) == 0x7F800000);
    CHECK(dequantized(0xF7, 0xF8, unsaturated()) == 0xFF800000);
    CHECK(dequantized(0xF7, 0x78) == 0x7F7FFFFF);
    CHECK(dequantized(0xF7, 0x78, {}, fp64) == 0x47F0000000000000); // 2^128
    // An infinite element stays that, saturating or not.
    CHECK(dequantized(0x7F, 0x7C, {}, fp32, e5m2_times_e8m0) == 0x7F800000);
    CHECK(dequantized(0x00, 0xFC, unsaturated(), fp16, e5m2_times_e8m0) == 0xFC00);
    // FP16 rounds: 2^-9 x 2^-15 is its smallest subnormal, half of it the tie.
    CHECK(dequantized(0x70, 0x01, unsaturated(), fp16) == 0x0001);
    CHECK(dequantized(0x6F, 0x01, unsaturated(), fp16) == 0x0000);
    CHECK(dequantized(0x6F, 0x03, unsaturated(), fp16) == 0x0002); // 1.5 units: the tie to even
}

TEST_CASE("the arithmetic of a given scale shows where a product leaves the range", "[scaled]") {
    Choices up;
    up.rounding = Rounding::up;
    CHECK(quantized(0xFE, 0x00000001, up) == 0x01);
    up.arithmetic = Arithmetic::fp32_multiply;
    CHECK(quantized(0xFE, 0x00000001, up) == 0x00); // 2^-276 is zero in FP32
    Choices directed = unsaturated();
    directed.rounding = Rounding::toward_zero;
    directed.directed_overflow = DirectedOverflow::max;
    CHECK(quantized(0x00, 0x7F7FFFFF, directed, e5m2) == 0x7B);
    directed.arithmetic = Arithmetic::fp32_multiply;
    CHECK(quantized(0x00, 0x7F7FFFFF, directed, e5m2) == 0x7C); // the product is Inf already

    Choices flushed;
    flushed.flush = Flush::output;
    CHECK(dequantized(0x00, 0x01, flushed) == 0);
    CHECK(dequantized(0x01, 0x38, flushed) == 0x00800000);
    flushed.flush = Flush::product;
    CHECK(dequantized(0x00, 0x01, flushed) == 0x00002000); // an exact product has no subnormals to flush
    flushed.arithmetic = Arithmetic::fp32_multiply;
    CHECK(dequantized(0x00, 0x01, flushed) == 0);
    CHECK(dequantized(0x00, 0x01, flushed, bf16) == 0);
    flushed.flush = Flush::input;
    CHECK(quantized(0x00, 0x00400000, flushed) == 0);
    Choices first;
    first.via = Via::fp16_nearest_even; // 464.0001 rounds to 464 there
    first.overflow = Overflow::nosat;
    CHECK(quantized(0x80, 0x44680001, first) == 0x7E);
}

TEST_CASE("what the smallest scale divides by is a choice", "[scaled]") {
    constexpr Code power = 0x00800000; // 2^-126
    Choices choices;
    const auto consulted = [&](Code scale, Code value) {
        return exact::convert(fp32_by_e8m0, e4m3, choices, fp32_with(scale, value)).consulted;
    };
    CHECK(quantized(0x00, power, choices) == 0x40); // 2
    choices.smallest_scale = SmallestScale::second;
    CHECK(quantized(0x00, power, choices) == 0x38);
    CHECK(quantized(0x00, power | 0x80000000, choices) == 0xB8);
    CHECK(quantized(0x01, power, choices) == 0x38);
    choices.smallest_scale = SmallestScale::one;
    CHECK(quantized(0x00, power, choices) == 0x00);
    CHECK(quantized(0x00, 0x3F800000, choices) == 0x38);
    CHECK((consulted(0x00, power) & bit(Choice::smallest_scale)) != 0);
    CHECK((consulted(0x01, power) & bit(Choice::smallest_scale)) == 0);
    CHECK((consulted(0x00, 0x80000000) & bit(Choice::smallest_scale)) == 0);
    CHECK((consulted(0x00, 0x7F800000) & bit(Choice::smallest_scale)) == 0);
    // The way back has the value of the scale.
    CHECK(dequantized(0x00, 0x38, choices) == 0x00400000);
}

TEST_CASE("both models agree on values with a given scale", "[scaled][values]") {
    constexpr NanRule nan_rules[] = {NanRule::canonical, NanRule::sign, NanRule::negative};
    SplitMix64 random(20'261'121);
    for (const Format* from : {&fp32_by_e8m0, &fp16_by_e8m0, &bf16_by_e8m0, &e4m3_times_e8m0, &e5m2_times_e8m0,
                               &e3m2_times_e8m0, &e2m3_times_e8m0, &e2m1_times_e8m0, &int8_times_e8m0}) {
        for (const Format& to : all_formats()) {
            if (!fast::offers(*from, to)) continue;
            CAPTURE(from->name, to.name);
            for (int i = 0; i < 20'000; ++i) {
                Choices c;
                c.rounding = static_cast<Rounding>(random.below(8));
                c.overflow = static_cast<Overflow>(random.below(3));
                c.directed_overflow = static_cast<DirectedOverflow>(random.below(2));
                c.nan = nan_rules[random.below(3)];
                c.overflow_nan = static_cast<OverflowNan>(random.below(3));
                c.smallest_scale = static_cast<SmallestScale>(random.below(3));
                c.lowest = static_cast<Lowest>(random.below(2));
                Code code = random() & from->last_code();
                if (i % 5 == 0) code = from->code_of(0, from->value_of(code));
                // Every other value near the scale, where something happens.
                if (i % 2 == 0 && from->scaling == Scaling::divide) {
                    const Code near = (from->scale_of(code) + random.below(40)) & 0xFF;
                    const Code field = from->value_width() == 16 && from->exponent_bits == 5 ? near & 0x1F : near;
                    code &= ~(from->magnitude_mask() & ~from->fraction_mask());
                    code |= field << static_cast<unsigned>(from->fraction_bits);
                }
                const Code wanted = exact::convert(*from, to, c, code).code;
                CAPTURE(i, code, unsigned(c.rounding), unsigned(c.overflow));
                REQUIRE(fast::convert(*from, to, c, code) == wanted);
            }
        }
    }
}

TEST_CASE("both models agree on a stochastic rounding of a value with a given scale", "[scaled]") {
    SplitMix64 random(3);
    for (const Rounding rounding : {Rounding::stochastic_a, Rounding::stochastic_b, Rounding::stochastic_c})
        for (int i = 0; i < 2'000; ++i) {
            Choices c;
            c.rounding = rounding;
            const auto bits = static_cast<unsigned>(1 + random.below(32));
            const auto r = static_cast<std::uint32_t>(random.below(std::uint64_t{1} << bits));
            const Code scale = random.below(255);
            const Code field = (scale + random.below(30)) & 0xFF;
            const Code code = fp32_with(scale, field << 23 | random.below(1 << 23));
            CAPTURE(unsigned(rounding), bits, r, code);
            REQUIRE(fast::convert(fp32_by_e8m0, e4m3, c, code, r, bits) ==
                    exact::convert(fp32_by_e8m0, e4m3, c, code, {bits, r}).code);
        }
}
