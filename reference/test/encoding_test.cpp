// SPDX-License-Identifier: Apache-2.0
// Codes without a sign bit above a magnitude, by hand: the integers of INT8, and scales without sign.
#include <catch.hpp>

#include "reference/exact/exact.hpp"

using namespace mxcert;

namespace {

using Setting = std::pair<std::string_view, std::string_view>;

Choices chosen(std::initializer_list<Setting> settings) {
    Choices choices;
    for (const auto& [choice, value] : settings) set(choices, choice, value);
    return choices;
}

Code code_in(const Format& from, const Format& to, Code input, const Choices& choices = {}) {
    return exact::convert(from, to, choices, input).code;
}

} // namespace

TEST_CASE("INT8 by hand: two's complement times 2^-6") {
    using formats::fp32;
    using formats::int8;
    const auto value = [](Code code) { return exact::number(exact::decode(int8, code)); };
    CHECK(value(0x00) == 0);
    CHECK(value(0x01) == exact::Rational(1, 64));
    CHECK(value(0x40) == 1);
    CHECK(value(0x7F) == exact::Rational(127, 64)); // 1 63/64
    CHECK(value(0xFF) == exact::Rational(-1, 64));
    CHECK(value(0xC0) == -1);
    CHECK(value(0x81) == exact::Rational(-127, 64));
    CHECK(value(0x80) == -2);
    const auto code_of = [](std::uint32_t input, const Choices& choices = {}) {
        return code_in(fp32, int8, input, choices);
    };
    CHECK(code_of(0x3F800000) == 0x40);
    CHECK(code_of(0xBF800000) == 0xC0);
    CHECK(code_of(0x80000000) == 0x00); // there is no -0
    CHECK(code_of(0x3C000000) == 0x00); // 1/128, a tie to the even code
    CHECK(code_of(0x3CC00000) == 0x02); // 3/128
    CHECK(code_of(0xBCC00000) == 0xFE);
    CHECK(code_of(0x3FFE8000) == 0x7F); // 127.25/64
    CHECK(code_of(0x3FFF0000) == 0x7F); // 127.5/64 rounds to 2, which the largest is taken for
    for (const std::uint32_t beyond : {0xBFFF0000U, 0xC0000000U, 0xC2C80000U, 0xFF800000U}) {
        CHECK(code_of(beyond) == 0x81);
        CHECK(code_of(beyond, chosen({{"lowest", "used"}})) == 0x80);
        CHECK(code_of(beyond, chosen({{"lowest", "used"}, {"overflow", "nosat"}})) == 0x80);
        CHECK(code_of(beyond ^ 0x80000000U, chosen({{"lowest", "used"}})) == 0x7F);
    }
    CHECK(code_of(0xBFFF0000, chosen({{"lowest", "used"}, {"rounding", "toward_zero"}})) == 0x81);
    CHECK(code_of(0xBFFF0000, chosen({{"lowest", "used"}, {"rounding", "down"}})) == 0x80);
    // -2 is a value where its code is used, and beyond the range where it is not.
    CHECK_FALSE(exact::convert(fp32, int8, chosen({{"lowest", "used"}}), 0xC0000000).inexact);
    CHECK(exact::convert(fp32, int8, {}, 0xC0000000).overflow);
    CHECK(code_of(0x7FC00000) == 0x7F);
    CHECK(code_of(0xFFC00000, chosen({{"nan", "max_sign"}})) == 0x81);
    CHECK(code_of(0xFFC00000, chosen({{"nan", "zero_inverted"}})) == 0x00);
    // Whole numbers are no subnormals.
    CHECK(code_of(0x3C800000, chosen({{"flush", "both"}})) == 0x01);
    CHECK(code_in(int8, fp32, 0x01, chosen({{"flush", "both"}})) == 0x3C800000);
    CHECK(code_in(int8, fp32, 0x80) == 0xC0000000);
}

TEST_CASE("scales without sign by hand") {
    using formats::fp32;
    using formats::ue4m3;
    using formats::ue5m3;
    CHECK(exact::decode(ue4m3, 0x7E).magnitude == 448);
    CHECK(exact::decode(ue4m3, 0x7F).kind == exact::Kind::nan);
    CHECK(exact::decode(ue5m3, 0xFE).magnitude == 114'688);
    CHECK(exact::decode(ue5m3, 0xF8).magnitude == 65'536);
    CHECK(exact::decode(ue5m3, 0x01).magnitude == exact::Rational(1, 131'072));
    CHECK(exact::decode(ue5m3, 0xFF).kind == exact::Kind::nan);
    for (const Format* to : {&ue4m3, &ue5m3}) {
        CAPTURE(to->name);
        const Code one = to->one_code();
        CHECK(code_in(fp32, *to, 0xBF800000) == one);
        CHECK(code_in(fp32, *to, 0xBF800000, chosen({{"negative", "zero"}})) == 0);
        CHECK(code_in(fp32, *to, 0xBF800000, chosen({{"negative", "nan"}})) == to->magnitude_mask());
        CHECK(code_in(fp32, *to, 0x80000000, chosen({{"negative", "nan"}})) == 0); // -0 is no negative value
        CHECK(code_in(fp32, *to, 0xFF800000) == to->max_code());
        CHECK(code_in(fp32, *to, 0xFF800000, chosen({{"overflow", "nosat"}})) == to->magnitude_mask());
        CHECK(code_in(fp32, *to, 0xBF810000, chosen({{"rounding", "up"}})) == one + 1); // the magnitude is rounded
    }
    CHECK(code_in(fp32, ue5m3, 0x47E80000) == 0xFE); // 118,784, the tie above the largest: to the even code
    CHECK(code_in(fp32, ue5m3, 0x47E80001, chosen({{"overflow", "nosat"}})) == 0xFF);
    CHECK(code_in(ue5m3, formats::fp16, 0xF8, chosen({{"overflow", "nosat"}})) == 0x7C00);
}

TEST_CASE("a format without subnormals has no code for what is below its normal numbers") {
    Format normal_only = formats::e4m3;
    normal_only.has_subnormals = false;
    CHECK(exact::encode(normal_only, exact::power_of_two(-7)) == 0x00);
    CHECK_THROWS_AS(exact::encode(normal_only, exact::power_of_two(-8)), std::logic_error);
    CHECK(exact::encode(formats::e4m3, exact::power_of_two(-8)) == 0x02);
}
