// SPDX-License-Identifier: Apache-2.0
#include "reference/format.hpp"

#include <catch.hpp>
#include <set>
#include <stdexcept>
#include <string>

#include "reference/block.hpp"

using namespace mxcert;
using namespace mxcert::formats;

// OFP8 v1.0 Tables 1-2, MX v1.0 5.4.1, IEEE 754 3.4, written here a second time by hand.
TEST_CASE("the constants of the specifications", "[format]") {
    CHECK(e4m3.width() == 8);
    CHECK(e4m3.max_code() == 0x7E);
    CHECK(e4m3.emin() == -6);
    CHECK(e4m3.emax() == 8);
    CHECK_FALSE(e4m3.has_inf());
    CHECK(e5m2.max_code() == 0x7B);
    CHECK(e5m2.inf_code() == 0x7C);
    CHECK(e5m2.emin() == -14);
    CHECK(e5m2.emax() == 15);
    CHECK(e8m0.width() == 8);
    CHECK(e8m0.max_code() == 0xFE);
    CHECK(e8m0.emin() == -127);
    CHECK(e8m0.emax() == 127);
    CHECK_FALSE(e8m0.has_zero());
    CHECK(fp32.inf_code() == 0x7F800000);
    CHECK(fp32.emin() == -126);
    CHECK(fp64.max_code() == 0x7FEFFFFFFFFFFFFF);
    CHECK(fp64.last_code() == ~Code{0});
    CHECK(fp16.max_code() == 0x7BFF);
    CHECK(bf16.max_code() == 0x7F7F);
    CHECK(e3m2.max_code() == 0x1F);
    CHECK(e3m2.emax() == 4);
    CHECK(e2m3.emax() == 2);
    CHECK(e2m1.width() == 4);
    CHECK(e2m1.max_code() == 7);
    CHECK(e4m3fnuz.max_code() == 0x7F);
    CHECK(e4m3fnuz.emax() == 7);
    CHECK(e5m2fnuz.emax() == 15);
    CHECK_FALSE(e4m3fnuz.has_minus_zero());
    CHECK([] {
        Format with_inf = e4m3;
        with_inf.specials = Specials::inf_all_ones;
        return with_inf.has_minus_zero();
    }());
    CHECK(int8.width() == 8);
    CHECK(int8.max_code() == 0x7F);
    CHECK(int8.emax() == 0);
    CHECK(int8.one_code() == 0x40);
    CHECK_FALSE(int8.has_minus_zero());
    CHECK(ue4m3.width() == 7);
    CHECK(ue4m3.bytes() == 1);
    CHECK(ue4m3.max_code() == 0x7E);
    CHECK(ue4m3.emax() == 8);
    CHECK(ue5m3.width() == 8);
    CHECK(ue5m3.max_code() == 0xFE);
    CHECK(ue5m3.emin() == -14);
    CHECK(ue5m3.emax() == 16);
}

TEST_CASE("signs of codes, and their order", "[format]") {
    CHECK(int8.magnitude_of(0xFF) == 0x01);
    CHECK(int8.magnitude_of(0x80) == 0x80);
    CHECK(int8.with_sign(0x7F, true) == 0x81);
    CHECK(int8.with_sign(0x00, true) == 0x00);
    CHECK(int8.negate(0x01) == 0xFF);
    CHECK(int8.negate(0x80) == 0x80);
    CHECK(int8.ordinal(0x80) == -128);
    CHECK(int8.ordinal(0x7F) == 127);
    CHECK(e4m3.with_sign(0x00, true) == 0x80);
    CHECK(e4m3.negate(0x81) == 0x01);
    CHECK(e4m3.ordinal(0x80) == 0);
    CHECK(e4m3fnuz.with_sign(0x00, true) == 0x00);
    CHECK(ue5m3.with_sign(0x80, true) == 0x80);
    CHECK(ue5m3.ordinal(0xFE) == 254);
    CHECK(fp64.ordinal(0xFFEFFFFFFFFFFFFF) == -0x7FEFFFFFFFFFFFFF);
    CHECK(e4m3.is_subnormal(0x87));
    CHECK_FALSE(e4m3.is_subnormal(0x80));
    CHECK_FALSE(int8.is_subnormal(0x01));
    for (const Format& f : all_formats()) {
        if (f.scale != nullptr || f.width() > 8) continue;
        CAPTURE(f.name);
        for (Code code = 0; code <= f.last_code(); ++code) {
            const Code magnitude = f.magnitude_of(code);
            if (magnitude == 0 || magnitude > f.magnitude_mask()) continue;
            CHECK(f.with_sign(magnitude, f.is_negative(code)) == code);
            if (f.is_signed) CHECK(f.ordinal(f.negate(code)) == -f.ordinal(code));
        }
    }
}

TEST_CASE("each code is NaN, Inf or finite as the specifications say", "[format]") {
    const auto count = [](const Format& f, auto is) {
        unsigned n = 0;
        for (Code code = 0; code <= f.last_code(); ++code) n += (f.*is)(code) ? 1 : 0;
        return n;
    };
    struct Expected {
        const Format& format;
        unsigned nan, inf;
    };
    for (const auto& [f, nan, inf] :
         {Expected{e4m3, 2, 0}, Expected{e5m2, 6, 2}, Expected{e8m0, 1, 0}, Expected{fp16, 2046, 2},
          Expected{bf16, 254, 2}, Expected{e3m2, 0, 0}, Expected{e2m3, 0, 0}, Expected{e2m1, 0, 0},
          Expected{int8, 0, 0}, Expected{ue4m3, 1, 0}, Expected{ue5m3, 1, 0}, Expected{e4m3fnuz, 1, 0},
          Expected{e5m2fnuz, 1, 0}, Expected{e8m0inf, 0, 1}}) {
        CAPTURE(f.name);
        CHECK(count(f, &Format::is_nan) == nan);
        CHECK(count(f, &Format::is_inf) == inf);
        CHECK(count(f, &Format::is_finite) == f.last_code() + 1 - nan - inf);
        CHECK(f.has_nan() == (nan != 0));
        CHECK(f.has_inf() == (inf != 0));
    }
    CHECK(e4m3.is_nan(0x7F));
    CHECK(e4m3.is_nan(0xFF));
    CHECK(e5m2.is_inf(0xFC));
    CHECK(e8m0.is_nan(0xFF));
    CHECK(e4m3fnuz.is_nan(0x80));
}

TEST_CASE("formats are found by name", "[format]") {
    CHECK(find_format("fp32") == &formats::fp32); // one object: conversions compare formats by address
    std::set<std::string_view> names;
    for (const Format& f : all_formats()) {
        CHECK(names.insert(f.name).second);
        CHECK(find_format(f.name) == &f);
        CHECK(&format(f.name) == &f);
        CHECK(f.is_finite(f.max_code()));
        for (Code above = f.max_code() + 1; above <= f.magnitude_mask(); above = above * 2 + 1)
            CHECK_FALSE(f.is_finite(above));
        CHECK(f.bytes() * 8 >= f.width());
    }
    CHECK(find_format("e4m4") == nullptr);
    CHECK_THROWS_AS(format("e4m4"), std::invalid_argument);
}

TEST_CASE("which format holds every value of which", "[format]") {
    CHECK(embeds(e4m3, fp16));
    CHECK(embeds(e5m2, fp16));
    CHECK(embeds(e8m0, bf16)); // 2^-127 is a subnormal of bfloat16
    CHECK(embeds(e8m0, fp32));
    CHECK_FALSE(embeds(e8m0, fp16));
    CHECK(embeds(fp16, fp32));
    CHECK(embeds(bf16, fp32));
    CHECK_FALSE(embeds(fp16, bf16));
    CHECK_FALSE(embeds(bf16, fp16));
    CHECK_FALSE(embeds(fp32, e4m3));
    CHECK_FALSE(embeds(e4m3, e5m2));
    CHECK_FALSE(embeds(e5m2, e4m3));
    CHECK_FALSE(embeds(e4m3, e4m3fnuz)); // bias and -0
    CHECK_FALSE(embeds(e4m3, e8m0));
    CHECK(embeds(e2m1, e4m3));
    CHECK(embeds(e2m3, e4m3));
    CHECK(embeds(e3m2, e4m3));
    CHECK(embeds(int8, bf16));
    CHECK_FALSE(embeds(int8, e4m3));
    CHECK_FALSE(embeds(e2m1, int8));
    CHECK(embeds(ue4m3, e4m3));
    CHECK_FALSE(embeds(e4m3, ue4m3));
    CHECK(embeds(ue4m3, ue5m3));
    CHECK(embeds(ue5m3, bf16));
    CHECK_FALSE(embeds(ue5m3, fp16)); // 65,536 and above
    CHECK(embeds(e5m2fnuz, fp16));    // the largest is that of E5M2, by another bias
    for (const Format& f : all_formats()) CHECK(embeds(f, f) == (f.scale == nullptr));
}

TEST_CASE("a name that tells a number of bits is answered with formats of about so many", "[format]") {
    const auto told = [](const char* name) -> std::string {
        try {
            static_cast<void>(format(name));
        } catch (const std::invalid_argument& error) {
            return error.what();
        }
        return "found";
    };
    CHECK(told("fp1").find("no format has 1 bit; of up to 8 bits there are: ") != std::string::npos);
    CHECK(told("fp7").find("no format has 7 bits; of up to 8 bits there are: ") != std::string::npos);
    for (const char* const name : {"fp8x", "fp0", "fp99"})
        CHECK(told(name).find("bits there are") == std::string::npos);
}

TEST_CASE("what holds no value of another format", "[format]") {
    CHECK_FALSE(embeds(fp32, by_scale(fp32)));
    Format no_zero = bf16;
    no_zero.has_subnormals = false;
    CHECK_FALSE(no_zero.has_minus_zero());
    // The lowest code of INT8 is -2, and the largest magnitude of this format is below that.
    Format below_2 = fp16;
    below_2.bias = 30;
    CHECK_FALSE(embeds(int8, below_2));
    below_2.bias = 29;
    CHECK(embeds(int8, below_2));
}
