// SPDX-License-Identifier: Apache-2.0
#include "vectors/tables/permit.hpp"

#include "catch.hpp"

using namespace mxcert;
using formats::e4m3;
using formats::e5m2;

TEST_CASE("permits unite and decide") {
    const Permit max = permit_code(0x7E);
    const Permit either = unite(max, permit_any_nan(), e4m3);
    CHECK(permits(either, 0x7E, e4m3));
    CHECK(permits(either, 0xFF, e4m3));
    CHECK_FALSE(permits(either, 0x7D, e4m3));
    CHECK_FALSE(permits(max, 0x7F, e4m3));
    // A NaN code is covered by "any NaN": one permit, one spelling.
    CHECK(unite(permit_code(0x7F), permit_any_nan(), e4m3) == permit_any_nan());
    CHECK(unite(permit_code(0x80), permit_code(0x00), e4m3) == Permit{{0x00, 0x80}, false});
}

TEST_CASE("permits as text") {
    CHECK(to_string(permit_code(0x7E), e4m3) == "7E");
    CHECK(to_string(permit_any_nan(), e5m2) == "nan");
    CHECK(to_string(Permit{{0x00, 0x7E}, true}, e4m3) == "00|7E|nan");
    for (const char* text : {"7E", "nan", "7E|nan", "00|80"}) CHECK(to_string(parse_permit(text, e4m3), e4m3) == text);
    for (const char* text :
         {"", "7", "7e", "07E", "|", "7E|", "nan|7E", "80|00", "00|00", "7F|nan", "NAN", "7G", "any"}) {
        CAPTURE(text);
        CHECK_THROWS_AS(parse_permit(text, e4m3), std::invalid_argument);
    }
    CHECK_THROWS_AS(parse_permit("nan", formats::e2m1), std::invalid_argument); // no NaN there
}

TEST_CASE("codes as hexadecimal") {
    CHECK(hex(0x7E, e4m3) == "7E");
    CHECK(hex(0x1F, formats::e3m2) == "1F");
    CHECK(hex(0x3F800000, formats::fp32) == "3F800000");
    CHECK(parse_hex("FFFFFFFFFFFFFFFF", formats::fp64) == ~Code{0});
    CHECK(parse_hex("3f800000", formats::fp32) == 0x3F800000);
    for (const char* text : {"", "7", "007E", "-1", "0x", "G0"})
        CHECK_THROWS_AS(parse_hex(text, e4m3), std::invalid_argument);
    CHECK_THROWS_AS(parse_hex("40", formats::e3m2), std::invalid_argument); // six bits
}

TEST_CASE("what two permits have in common, and one code of a permit") {
    const Permit zero_or_largest_or_nan{{0x00, 0x7E}, true};
    CHECK(intersect(zero_or_largest_or_nan, Permit{{0x7E, 0x7F}, false}, e4m3) == Permit{{0x7E, 0x7F}, false});
    CHECK(intersect(Permit{{0x7E, 0x7F}, false}, zero_or_largest_or_nan, e4m3) == Permit{{0x7E, 0x7F}, false});
    CHECK(intersect(zero_or_largest_or_nan, permit_any_nan(), e4m3) == permit_any_nan());
    CHECK(intersect(permit_code(1), permit_code(2), e4m3) == Permit{});
    CHECK(one_of(Permit{{0x12, 0x13}, false}, e4m3) == 0x12);
    CHECK(one_of(permit_any_nan(), e4m3) == 0x7F);
    CHECK(one_of(permit_any_nan(), formats::e4m3fnuz) == 0x80);
    CHECK(one_of(Permit{}, formats::e2m1) == 0);
    CHECK(one_of(permit_any_nan(), formats::e2m1) == 0x7); // it has no NaN
    CHECK(same(e4m3, 0x00, 0x00));
    CHECK(same(e4m3, 0x7F, 0xFF));
    CHECK_FALSE(same(e4m3, 0x00, 0x80));
    CHECK_FALSE(same(e4m3, 0x7F, 0x7E));
    CHECK_FALSE(same(e4m3, 0x7E, 0x7F));
}

TEST_CASE("permits and codes as people write them") {
    CHECK(shown(permit_code(0x7E), e4m3) == "0x7E");
    CHECK(shown(permit_any_nan(), e4m3) == "any NaN");
    CHECK(shown(Permit{{0x00, 0x7E}, true}, e4m3) == "0x00 or 0x7E or any NaN");
    for (const char* text : {"7E", "0x7E", "0X7e"}) CHECK(parse_code(text, e4m3) == 0x7E);
    CHECK_THROWS_AS(parse_code("x7E", e4m3), std::invalid_argument);
}
