// SPDX-License-Identifier: Apache-2.0
#include "reference/exact/number.hpp"

#include <catch.hpp>
#include <stdexcept>
#include <string>

#include "reference/block.hpp"

using namespace mxcert;
using namespace mxcert::formats;

namespace {

std::string error_of(std::string_view text, const Format& format) {
    try {
        static_cast<void>(parse_number(text, format));
    } catch (const std::invalid_argument& e) {
        return e.what();
    }
    return "";
}

bool contains(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

} // namespace

TEST_CASE("decimal numbers are read exactly", "[number]") {
    CHECK(parse_number("464", fp32).code == 0x43E80000);
    CHECK_FALSE(parse_number("464", fp32).rounded);
    CHECK(parse_number("464.0001", fp32).code == 0x43E80003);
    // A letter tells a bit pattern from a decimal number, an exponent excepted.
    CHECK(parse_number("43E80003", fp32).code == 0x43E80003);
    CHECK(parse_number("7f", e4m3).code == 0x7F);
    CHECK(parse_number("1E10", fp32).notation == Notation::decimal);
    CHECK(parse_number("40490000", fp32).notation == Notation::decimal);
    CHECK(parse_number("3E8", fp32).code == parse_number("3e8", fp32).code);
    CHECK(parse_number("464.0001", fp32).rounded);
    CHECK(parse_number("+1e0", fp32).code == 0x3F800000);
    CHECK(parse_number("1E-7", fp32).code == 0x33D6BF95);
    CHECK(parse_number("-0", fp32).code == 0x80000000);
    CHECK(parse_number(".5", fp16).code == 0x3800);
    CHECK(parse_number("5.", fp16).code == 0x4500);
    CHECK(parse_number("0.1", fp64).code == 0x3FB999999999999A);
    CHECK(parse_number("1.40129846432481707e-45", fp32).code == 1);
    CHECK(parse_number("3.4028234663852885981170418348451692544e38", fp32).code == 0x7F7FFFFF);
    CHECK(parse_number("3.4028235677973366e38", fp32).rounded == true); // under half a step above the largest
    CHECK(parse_number("1e-400", fp64).code == 0);
    CHECK(parse_number("1e-400", fp64).rounded);
    CHECK(parse_number("-1e-400", fp64).code == 0x8000000000000000);
}

TEST_CASE("a tie between two values of the source goes to the even one", "[number]") {
    CHECK(parse_number("1.0625", e4m3).code == 0x38);
    CHECK(parse_number("1.0625000000000000000000000000000000000000000000001", e4m3).code == 0x39);
    CHECK(parse_number("1.1875", e4m3).code == 0x3A);
}

TEST_CASE("hexadecimal numbers are read exactly", "[number]") {
    CHECK(parse_number("0x1.8p3", fp32).code == 0x41400000);
    CHECK(parse_number("-0X1.8P+3", fp32).code == 0xC1400000);
    CHECK(parse_number("0x1p-149", fp32).code == 1);
    CHECK(parse_number("0x.8", fp32).code == 0x3F000000);
    CHECK(parse_number("0x1.000001p0", fp32).code == 0x3F800000);
    CHECK(parse_number("0x1.000001p0", fp32).rounded);
}

TEST_CASE("bit patterns have the digits of their format", "[number]") {
    CHECK(parse_number("0x43E80003", fp32).code == 0x43E80003);
    CHECK(parse_number("0x43e80003", fp32).notation == Notation::bits);
    CHECK(parse_number("0x7e", e4m3).code == 0x7E);
    CHECK(parse_number("0x7FC00001", fp32).code == 0x7FC00001);
    CHECK(parse_number("0xFFFFFFFFFFFFFFFF", fp64).code == ~Code{0});
    CHECK(parse_number("0xF", e2m1).code == 0xF);
    CHECK(parse_number("-1.984375", int8).code == 0x81);
    CHECK(parse_number("-0.25", int8).code == 0xF0);
    CHECK(parse_number("0x80", int8).code == 0x80);
    CHECK(parse_number("0x7F", ue4m3).code == 0x7F);
    CHECK(parse_number("0x3F", e3m2).code == 0x3F);
    CHECK(contains(error_of("0x43E8", fp32), "8 hexadecimal digits"));
    CHECK(contains(error_of("0x043E80003", fp32), "8 hexadecimal digits"));
    CHECK(contains(error_of("0x", fp32), "8 hexadecimal digits"));
    CHECK(contains(error_of("-0x43E80003", fp32), "no sign"));
    CHECK(contains(error_of("0x43E8000G", fp32), "not a number"));
    CHECK(contains(error_of("0x7F", e3m2), "6 bits"));
}

TEST_CASE("Inf and NaN by name", "[number]") {
    CHECK(parse_number("inf", fp32).code == 0x7F800000);
    CHECK(parse_number("-Infinity", fp32).code == 0xFF800000);
    CHECK(parse_number("NaN", fp32).code == 0x7FC00000);
    CHECK(parse_number("-nan", e4m3).code == 0xFF);
    CHECK(parse_number("nan", e8m0).code == 0xFF);
    CHECK(parse_number("nan", e4m3fnuz).code == 0x80);
    CHECK(parse_number("inf", e5m2).code == 0x7C);
    CHECK(contains(error_of("inf", e4m3), "no Inf"));
    CHECK(contains(error_of("nan", e2m1), "no NaN"));
    CHECK(contains(error_of("-nan", e8m0), "no sign"));
}

TEST_CASE("what a format does not have is refused", "[number]") {
    CHECK(contains(error_of("500", e4m3), "beyond the largest value of e4m3, 448"));
    CHECK(parse_number("464", e4m3).code == 0x7E);
    CHECK(contains(error_of("464.0001", e4m3), "beyond"));
    CHECK(contains(error_of("1e39", fp32), "beyond"));
    CHECK(contains(error_of("0", e8m0), "no zero"));
    CHECK(contains(error_of("-1", e8m0), "no sign"));
    CHECK(contains(error_of("1e-40", e8m0), "below the smallest"));
    CHECK(contains(error_of("-0", e4m3fnuz), "no negative zero"));
}

TEST_CASE("hostile text is refused with a reason, quickly", "[number]") {
    for (const char* text : {"",     "-",     "+",       ".",    "-.",     "e5",        "1e",   "1e+", "1e+-5",
                             "1..2", "1.2.3", "0x.p3",   "0xp3", "0x1.8p", "0x1.8p1.5", "1,5",  "1 ",  " 1",
                             "1f",   "--1",   "infinit", "nano", "1e5e5",  "0x1.8e3p",  "\x80", "1\n", "0x1p3p3"}) {
        CAPTURE(text);
        CHECK(!error_of(text, fp32).empty());
    }
    CHECK(contains(error_of("1e20001", fp32), "exponent is beyond"));
    CHECK(contains(error_of("1e99999999999999999999", fp32), "exponent is beyond"));
    CHECK(contains(error_of("0x1p-99999999999999999999", fp32), "exponent is beyond"));
    CHECK(contains(error_of("1e20000", fp64), "beyond the largest"));
    CHECK(parse_number("1e-20000", fp64).code == 0);
    CHECK(parse_number("0x1p-20000", fp64).code == 0);
    CHECK(parse_number("0e20000", fp64).code == 0);
    // Far out, but not when the digits are counted: around the powers that are not computed any more.
    CHECK(parse_number("1" + std::string(1500, '0') + "e-1500", fp64).code == 0x3FF0000000000000);
    CHECK(parse_number("0." + std::string(1500, '0') + "1e1501", fp64).code == 0x3FF0000000000000);
    CHECK(parse_number("0x1" + std::string(1000, '0') + "p-4000", fp64).code == 0x3FF0000000000000);
    CHECK(parse_number("0x." + std::string(1000, '0') + "1p4004", fp64).code == 0x3FF0000000000000);
    CHECK(parse_number("1e-20000", fp64).rounded);
    CHECK(contains(error_of("1e-20000", e8m0), "below the smallest"));
    CHECK(contains(error_of("0x1p20000", e8m0), "beyond the largest"));
    CHECK(contains(error_of(std::string(4097, '1'), fp64), "longer than 4096"));
    CHECK(parse_number("0." + std::string(4093, '0') + "1", fp64).code == 0);
    CHECK(contains(error_of(std::string("1\0", 2), fp32), "not a number"));
    // The text of an error holds nothing that a terminal would act on.
    const std::string error = error_of("\x1b[31m", fp32);
    CHECK(error.find('\x1b') == std::string::npos);
}

TEST_CASE("codes print exactly", "[number]") {
    CHECK(decimal_text(fp32, 0x43E80001) == "464.000030517578125");
    CHECK(decimal_text(fp32, 0x80000000) == "-0");
    CHECK(decimal_text(e5m2, 0xFC) == "-Inf");
    CHECK(decimal_text(e4m3, 0xFF) == "NaN");
    CHECK(hex_float(e4m3, 0x7E) == "0x1.cp+8");
    CHECK(hex_float(fp32, 1) == "0x1p-149");
    CHECK(hex_float(fp32, 0x80000000) == "-0x0p+0");
    CHECK(hex_float(fp64, 0x3FB999999999999A) == "0x1.999999999999ap-4");
    CHECK(hex_float(e5m2, 0xFC) == "-inf");
    CHECK(hex_float(e4m3, 0xFF) == "-nan");
    CHECK(factored(exact::decode(fp32, 0x43E80000).magnitude) == "1.8125 x 2^8");
    CHECK(factored(exact::decode(fp32, 1).magnitude) == "1 x 2^-149");
    CHECK(factored(0) == "0");
    CHECK(code_text(fp32, 0x43E80001) == "0x43E80001");
    CHECK(code_text(e2m1, 7) == "0x7");
    CHECK(code_text(e3m2, 7) == "0x07");
    CHECK(fields_text(fp32, 0x43E80001) == "0|10000111|11010000000000000000001");
    CHECK(fields_text(e8m0, 0x80) == "10000000");
    CHECK(fields_text(e2m1, 0xD) == "1|10|1");
    CHECK(fields_text(int8, 0x81) == "10.000001");
    CHECK(fields_text(ue4m3, 0x39) == "0111|001");
}

TEST_CASE("what is printed is read back, for every code of the small formats", "[number][values]") {
    for (const Format& f : all_formats()) {
        const Code last = f.width() <= 16 ? f.last_code() : 0xFFFF;
        for (Code i = 0; i <= last; ++i) {
            // Wider formats: codes spread over all exponents.
            const Code code = f.width() <= 16 ? i : i << static_cast<unsigned>(f.width() - 16) | (i & 1);
            const Code step = f.width() <= 8 ? 1 : 7;
            if (i % step != 0) continue;
            if (parse_number(code_text(f, code), f).code != code) FAIL(f.name << " " << code_text(f, code));
            // A negative code of a rectifier prints as 0, and is read as +0.
            if (f.is_nan(code) || f.scale != nullptr || (f.rectified && f.is_negative(code))) continue;
            if (parse_number(hex_float(f, code), f).code != code) FAIL(f.name << " " << hex_float(f, code));
            if (f.width() <= 32 && parse_number(decimal_text(f, code), f).code != code)
                FAIL(f.name << " " << decimal_text(f, code));
        }
    }
}

TEST_CASE("digits with an e are a pattern unless they are a number with an exponent", "[number]") {
    CHECK(parse_number("e5", e4m3).notation == Notation::bits);
    CHECK(parse_number("e5", e4m3).code == 0xE5);
    CHECK(parse_number("1e", e4m3).code == 0x1E);
    CHECK(parse_number("1eA0", bf16).code == 0x1EA0);
    CHECK(parse_number("1e05", bf16).notation == Notation::decimal);
    CHECK(decimal_text(bf16, parse_number("1e05", bf16).code) == "99840");
    CHECK(contains(error_of("1\x7f", fp32), "'1?': not a number"));
    CHECK(parse_number("-1e-30", e4m3fnuz).code == 0); // it has no -0
    CHECK(parse_number("-1e-30", e4m3).code == 0x80);
}

TEST_CASE("a value with a given scale is a bit pattern of both", "[number]") {
    const Format& by = by_scale(fp32);
    const Code code = by.code_of(0x7F, fp32.one_code());
    CHECK(parse_number("7F3F800000", by).code == code);
    CHECK(parse_number("0x7F3F800000", by).code == code);
    CHECK(contains(error_of("1.5", by), "takes a bit pattern: the scale, then the value"));
    CHECK(fields_text(by, code) == "01111111  0|01111111|00000000000000000000000");
}

TEST_CASE("the bits of flags are not cut") {
    CHECK(fields_text(flags_of_e4m3, 0x05) == "00101");
    CHECK(fields_text(e4m3, 0x85) == "1|0000|101");
}
