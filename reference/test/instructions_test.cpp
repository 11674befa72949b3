// SPDX-License-Identifier: Apache-2.0
// The sources that belong to instruction sets: the scales of Arm's FPMR and PTX's rectifier, by hand and by both
// models.
#include "catch.hpp"
#include "reference/base/random.hpp"
#include "reference/exact/exact.hpp"
#include "reference/fast/convert.hpp"
#include "reference/test/unsaturated.hpp"

using namespace mxcert;
using namespace mxcert::formats;

namespace {

/// The code of a value under a field of FPMR: NSCALE with its top bit inverted, or LSCALE.
Code times_nscale(const Format& from, int nscale_field, Code value) {
    return from.code_of(static_cast<Code>(nscale_field + from.scale->bias), value);
}

void check_models(const Format& from, const Format& to, const Choices& choices, Code code) {
    CAPTURE(from.name, to.name, describe(choices), code);
    REQUIRE(fast::convert(from, to, choices, code) == exact::convert(from, to, choices, code).code);
}

} // namespace

TEST_CASE("NSCALE multiplies before the value is rounded", "[scaled]") {
    const auto fp32_to_e4m3 = [](int nscale_field, Code value, const Choices& choices = {}) {
        return exact::convert(fp32_times_nscale, e4m3, choices, times_nscale(fp32_times_nscale, nscale_field, value))
            .code;
    };
    CHECK(fp32_to_e4m3(0, 0x3F800000) == 0x38);
    CHECK(fp32_to_e4m3(1, 0x3F800000) == 0x40);
    CHECK(fp32_to_e4m3(-1, 0xBF800000) == 0xB0);
    // 2^-10 is the tie of 0 and 2^-9, which goes to 0. 1.0625 x 2^-10 is above it; 1.0625 rounded to E4M3 before the
    // product would be 1, and give the tie.
    CHECK(fp32_to_e4m3(-10, 0x3F880000) == 0x01);
    CHECK(fp32_to_e4m3(-10, 0x3F800000) == 0x00);
    // 464 + 1 ulp by any scale; the ends of NSCALE.
    CHECK(fp32_to_e4m3(3, 0x42680001, unsaturated()) == 0x7F); // 58 and a bit
    CHECK(fp32_to_e4m3(3, 0x42680000, unsaturated()) == 0x7E);
    CHECK(fp32_to_e4m3(127, 0x00000001) == 0x00);  // 2^-22
    CHECK(fp32_to_e4m3(127, 0x00400000) == 0x38);  // 2^-127
    CHECK(fp32_to_e4m3(-128, 0x7F000000) == 0x30); // 2^127
    CHECK(exact::convert(fp32_times_nscale, e5m2, {}, times_nscale(fp32_times_nscale, 127, 0x00000001)).code == 0x00);
    // FP16 has five bits of NSCALE.
    const auto fp16_to_e5m2 = [](int nscale_field, Code value) {
        return exact::convert(fp16_times_nscale5, e5m2, unsaturated(),
                              times_nscale(fp16_times_nscale5, nscale_field, value))
            .code;
    };
    CHECK(fp16_to_e5m2(15, 0x3C00) == 0x78);  // 2^15
    CHECK(fp16_to_e5m2(-16, 0x3C00) == 0x01); // 2^-16
    CHECK(fp16_to_e5m2(15, 0x4000) == 0x7C);  // 2^16
    CHECK(fp16_to_e5m2(-16, 0x7C00) == 0x7C); // Inf stays Inf
    CHECK(exact::convert(fp16_times_nscale5, e4m3, {}, times_nscale(fp16_times_nscale5, -16, 0xFC00)).code == 0xFE);
}

TEST_CASE("LSCALE divides before the value is rounded", "[scaled]") {
    const auto decoded = [](const Format& from, const Format& to, Code lscale, Code value) {
        return exact::convert(from, to, unsaturated(), from.code_of(lscale, value)).code;
    };
    CHECK(decoded(e4m3_by_lscale4, fp16, 0, 0x38) == 0x3C00);
    CHECK(decoded(e4m3_by_lscale4, fp16, 15, 0x01) == 0x0001); // 2^-24
    CHECK(decoded(e5m2_by_lscale4, fp16, 15, 0x06) == 0x0000); // 1.5 x 2^-14 / 2^15 is below half of 2^-24
    CHECK(decoded(e5m2_by_lscale4, fp16, 10, 0x05) == 0x0001); // 1.25 x 2^-24
    CHECK(decoded(e5m2_by_lscale4, fp16, 10, 0x06) == 0x0002); // 1.5 x 2^-24, a tie
    CHECK(decoded(e5m2_by_lscale4, fp16, 15, 0xFC) == 0xFC00);
    CHECK(decoded(e5m2_by_lscale6, bf16, 63, 0x01) == 0x1800); // 2^-79
    CHECK(decoded(e4m3_by_lscale6, bf16, 16, 0xB8) == 0xB780); // -2^-16
}

TEST_CASE("a rectifier gives +0 for what is negative, and keeps NaN", "[relu]") {
    for (const Code negative : {0x80000000U, 0x80000001U, 0xBF800000U, 0xFF7FFFFFU, 0xFF800000U}) {
        const exact::Result result = exact::convert(relu_fp32, e4m3, {}, negative);
        CHECK(result.code == 0x00);
        CHECK(result.rule == Rule::negative);
        CHECK(result.inexact == (negative != 0x80000000 && negative != 0xFF800000));
        CHECK(exact::decode(relu_fp32, negative).magnitude.is_zero());
        CHECK_FALSE(exact::decode(relu_fp32, negative).negative);
    }
    CHECK(exact::convert(relu_fp32, e4m3, {}, 0xFFC00000).code == 0x7F);
    CHECK(exact::convert(relu_fp16, e5m2, {}, 0xFE00).code == 0x7F);
    CHECK(exact::convert(relu_fp32, e4m3, {}, 0x3F800000).code == 0x38);
    CHECK(exact::convert(relu_bf16, e2m1, {}, 0x7F80).code == 0x7);
    CHECK(exact::convert(relu_bf16, e2m1, {}, 0xC040).code == 0x0);
}

TEST_CASE("both models agree on the sources of instruction sets", "[scaled][relu][values]") {
    SplitMix64 random(20'261'128);
    for (const Format* from :
         {&fp32_times_nscale, &bf16_times_nscale, &fp16_times_nscale5, &e4m3_by_lscale4, &e5m2_by_lscale4,
          &e4m3_by_lscale6, &e5m2_by_lscale6, &relu_fp32, &relu_fp16, &relu_bf16})
        for (const Format& to : all_formats()) {
            if (!fast::offers(*from, to)) continue;
            for (const Overflow overflow : {Overflow::sat, Overflow::nosat}) {
                Choices choices;
                choices.overflow = overflow;
                if (from->width() <= 14) // all
                    for (Code code = 0; code <= from->last_code(); ++code) check_models(*from, to, choices, code);
                for (int i = 0; i < 2'000; ++i) {
                    choices.rounding = static_cast<Rounding>(random.below(8));
                    Code code = random() & from->last_code();
                    // Every other value has an exponent at which the target has numbers.
                    if (i % 2 == 0 && from->scaling == Scaling::multiply) {
                        const int exponent = static_cast<int>(random.below(40)) - 25;
                        const int scale = static_cast<int>(from->scale_of(code)) - from->scale->bias;
                        const int field = exponent - scale + from->bias;
                        if (field >= 0 && field < 1 << from->exponent_bits) {
                            code &= ~(from->magnitude_mask() & ~from->fraction_mask());
                            code |= static_cast<Code>(field) << static_cast<unsigned>(from->fraction_bits);
                        }
                    }
                    check_models(*from, to, choices, code);
                }
            }
        }
}

TEST_CASE("both models agree on every FP16 value under every NSCALE, and after a rectifier", "[.][exhaustive]") {
    for (const Format* from : {&fp16_times_nscale5, &bf16_times_nscale, &relu_fp16, &relu_bf16})
        for (const Format* to : {&e4m3, &e5m2})
            for (const Choices& choices : {Choices{}, unsaturated()})
                for (Code code = 0; code <= from->last_code(); ++code) check_models(*from, *to, choices, code);
}
