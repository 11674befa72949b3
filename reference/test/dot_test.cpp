// SPDX-License-Identifier: Apache-2.0
// Exact dot products: both models, and sums of Boost.Multiprecision beside them.
#include "reference/exact/dot.hpp"

#include <array>
#include <bit>
#include <tuple>

#include "catch.hpp"
#include "reference/fast/dot.hpp"
#include "reference/test/dot_cases.hpp"

using namespace mxcert;
using namespace mxcert::formats;
using test::Case;

namespace {

constexpr std::array lengths{1, 2, 31, 32, 33, 100};

DotFormat mx(const Format& a, const Format& b, const Format& to) { return {&a, &b, &e8m0, &e8m0, &fp32, &to}; }
DotFormat plain(const Format& a, const Format& b, const Format& to) { return {&a, &b, nullptr, nullptr, nullptr, &to}; }
DotFormat scaled(const Format& a, const Format& scale, const Format& to) {
    return {&a, &a, &scale, &scale, &fp32, &to};
}

std::vector<DotFormat> all_formats_of_dots() {
    return {mx(e4m3, e4m3, fp32),     mx(e4m3, e5m2, bf16),     mx(e5m2, e5m2, fp32),     mx(e5m2, e5m2, fp64),
            mx(e4m3, e4m3, fp16),     mx(e2m1, e2m1, fp32),     mx(e3m2, e2m3, e4m3),     plain(e4m3, e4m3, e5m2),
            plain(fp16, fp16, fp32),  plain(bf16, bf16, bf16),  plain(fp32, fp32, fp32),  plain(fp64, fp64, fp64),
            scaled(e4m3, fp32, fp32), scaled(e4m3, bf16, fp16), scaled(e2m1, e4m3, fp32), scaled(e4m3fnuz, fp16, fp64)};
}

std::vector<Choices> all_result_choices() {
    std::vector<Choices> all;
    for (const Rounding rounding :
         {Rounding::nearest_even, Rounding::nearest_away, Rounding::nearest_zero, Rounding::toward_zero, Rounding::up,
          Rounding::down, Rounding::away_from_zero, Rounding::to_odd})
        for (const Overflow overflow : {Overflow::nosat, Overflow::sat, Overflow::sat_finite}) {
            Choices choices = dot_choices(rounding);
            choices.overflow = overflow;
            if (overflow == Overflow::nosat) choices.directed_overflow = DirectedOverflow::special;
            if (overflow == Overflow::sat) choices.nan = NanRule::quiet;
            all.push_back(choices);
        }
    all.push_back(dot_choices(Rounding::toward_zero));
    all.push_back(dot_choices(Rounding::down));
    return all;
}

Code code(const Format& format, double value) { // exact by construction of the tests
    Choices choices;
    choices.overflow = Overflow::nosat;
    return exact::convert(fp64, format, choices, std::bit_cast<std::uint64_t>(value)).code;
}

/// a . b + c of plain numbers.
Code dot_of(const DotFormat& format, const std::vector<double>& a, const std::vector<double>& b, double c,
            const Choices& choices = dot_choices()) {
    Case dot_case{format, {}, {}, {}, {}, 0, format.c != nullptr ? code(*format.c, c) : 0};
    for (const double x : a) dot_case.a.push_back(code(*format.a, x));
    for (const double x : b) dot_case.b.push_back(code(*format.b, x));
    const Code expected = exact::dot(format, choices, dot_case.operands());
    CHECK(fast::Dot(format, choices)(dot_case.operands()) == expected);
    return expected;
}

constexpr double infinite = std::numeric_limits<double>::infinity();
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

} // namespace

TEST_CASE("both models of dot products agree", "[values][dot]") {
    SplitMix64 random(11);
    const std::vector<Choices> choices = all_result_choices();
    std::size_t compared = 0;
    for (const DotFormat& format : all_formats_of_dots()) {
        CAPTURE(format.a->name, format.b->name, format.to->name);
        std::vector<fast::Dot> dots;
        for (const Choices& this_choices : choices) dots.emplace_back(format, this_choices);
        for (const test::Kind kind : test::all_kinds)
            for (const int n : lengths) {
                const Case dot_case = make_case(format, kind, static_cast<std::size_t>(n), 32, random);
                CAPTURE(static_cast<int>(kind), n);
                const std::vector<exact::Value> terms = exact::terms(format, dot_case.operands());
                for (std::size_t i = 0; i < choices.size(); ++i) {
                    CAPTURE(describe(choices[i]));
                    const exact::Value sum = exact::sum(terms, choices[i].rounding);
                    REQUIRE(dots[i](dot_case.operands()) == exact::result(*format.to, choices[i], sum));
                    ++compared;
                }
            }
    }
    CHECK(compared == all_formats_of_dots().size() * 7 * lengths.size() * choices.size());
}

TEST_CASE("both models of long dot products agree", "[values][dot]") {
    SplitMix64 random(12);
    for (const test::Kind kind : test::all_kinds)
        for (const DotFormat& format : {mx(e4m3, e4m3, fp32), mx(e5m2, e5m2, bf16)}) {
            const Case dot_case = make_case(format, kind, 1024, 32, random);
            REQUIRE(fast::Dot(format, dot_choices())(dot_case.operands()) ==
                    exact::dot(format, dot_choices(), dot_case.operands()));
        }
}

TEST_CASE("stochastic roundings of dot products agree", "[dot]") {
    SplitMix64 random(13);
    for (const Rounding rounding : {Rounding::stochastic_a, Rounding::stochastic_b, Rounding::stochastic_c})
        for (const DotFormat& format : {mx(e4m3, e4m3, bf16), mx(e4m3, e4m3, e4m3), mx(e5m2, e5m2, fp64)})
            for (int i = 0; i < 60; ++i) {
                const auto bits = static_cast<unsigned>(1 + random.below(32));
                const auto value = static_cast<std::uint32_t>(random() >> (64 - bits));
                const Case dot_case = make_case(format, test::Kind::narrow, 33, 32, random);
                const Choices choices = dot_choices(rounding);
                CAPTURE(format.to->name, bits, value);
                REQUIRE(fast::Dot(format, choices)(dot_case.operands(), value, bits) ==
                        exact::dot(format, choices, dot_case.operands(), {bits, value}));
            }
    const Case this_dot_case = make_case(mx(e4m3, e4m3, bf16), test::Kind::narrow, 2, 32, random);
    const Choices choices = dot_choices(Rounding::stochastic_a);
    CHECK_THROWS_AS(exact::dot(this_dot_case.format, choices, this_dot_case.operands()), std::invalid_argument);
    CHECK_THROWS_AS(fast::Dot(this_dot_case.format, choices)(this_dot_case.operands()), std::invalid_argument);
    CHECK_THROWS_AS(fast::Dot(this_dot_case.format, choices)(this_dot_case.operands(), 4, 2), std::invalid_argument);
}

TEST_CASE("a dot product is the plain sum of Boost's rational numbers", "[dot]") {
    using boost::multiprecision::cpp_rational;
    SplitMix64 random(14);
    const DotFormat format = mx(e4m3, e5m2, fp32);
    const auto value = [](const Format& format, Code code) {
        const auto e = static_cast<int>((code & format.magnitude_mask()) >> format.fraction_bits);
        const auto m = static_cast<long>(code & format.fraction_mask());
        const long hidden = format.has_subnormals && e == 0 ? 0 : 1L << format.fraction_bits;
        cpp_rational x(hidden + m);
        for (int i = (format.has_subnormals && e == 0 ? 1 : e) - format.bias - format.fraction_bits; i < 0; ++i) x /= 2;
        for (int i = (format.has_subnormals && e == 0 ? 1 : e) - format.bias - format.fraction_bits; i > 0; --i) x *= 2;
        return (code & format.sign_bit()) != 0 ? cpp_rational(-x) : x;
    };
    for (const test::Kind kind : {test::Kind::finite, test::Kind::cancelling, test::Kind::extremes}) {
        const Case dot_case = make_case(format, kind, 70, 32, random);
        cpp_rational expected = value(fp32, dot_case.c);
        for (std::size_t i = 0; i < 70; ++i)
            expected += value(e4m3, dot_case.a[i]) * value(e5m2, dot_case.b[i]) *
                        value(e8m0, dot_case.scales_a[i / 32]) * value(e8m0, dot_case.scales_b[i / 32]);
        const exact::Value sum = exact::sum(exact::terms(format, dot_case.operands()), Rounding::nearest_even);
        REQUIRE(cpp_rational(numerator(exact::number(sum)), denominator(exact::number(sum))) == expected);
    }
}

TEST_CASE("NaN and Inf of a dot product, whatever their place", "[dot]") {
    const DotFormat format{&e5m2, &e5m2, nullptr, nullptr, &fp32, &fp32};
    constexpr Code plus_inf = 0x7F800000, minus_inf = 0xFF800000, is_nan = 0x7FFFFFFF;
    for (std::size_t place = 0; place < 3; ++place)
        for (const bool swapped : {false, true}) {
            const auto with = [&](double x, double y, double c) {
                std::vector<double> a{1, 1, 1}, b{1, 1, 1};
                a[place] = x;
                b[place] = y;
                return swapped ? dot_of(format, b, a, c) : dot_of(format, a, b, c);
            };
            CHECK(with(not_a_number, 1, 0) == is_nan);
            CHECK(with(not_a_number, 0, infinite) == is_nan);
            CHECK(with(infinite, 0, 0) == is_nan);
            CHECK(with(-infinite, -0.0, 0) == is_nan);
            CHECK(with(infinite, 1, 0) == plus_inf);
            CHECK(with(infinite, -2, 0) == minus_inf);
            CHECK(with(-infinite, -infinite, 0) == plus_inf);
            CHECK(with(infinite, 1, -infinite) == is_nan);
            CHECK(with(infinite, 1, infinite) == plus_inf);
            CHECK(with(1, 1, -infinite) == minus_inf);
            CHECK(with(1, 1, not_a_number) == is_nan);
        }
    CHECK(dot_of(format, {infinite, 1}, {1, -infinite}, 0) == is_nan);
}

TEST_CASE("a scale that is NaN makes its block NaN, one that is zero or Inf is a factor", "[dot]") {
    const DotFormat format{&e4m3, &e4m3, &e8m0, &e8m0, nullptr, &fp32};
    for (std::size_t at = 0; at < 2; ++at) {
        Case one{format, std::vector<Code>(64, 0), std::vector<Code>(64, 0x38), {127, 127}, {127, 127}, 32, 0};
        one.scales_a[at] = 0xFF;
        CHECK(exact::dot(format, dot_choices(), one.operands()) == 0x7FFFFFFF);
        CHECK(fast::Dot(format, dot_choices())(one.operands()) == 0x7FFFFFFF);
    }
    const DotFormat floats{&e4m3, &e4m3, &fp32, &fp32, nullptr, &fp32};
    const auto with_scale = [&](Code element, Code scale) {
        Case one{floats, {element}, {0x38}, {scale}, {0x3F800000}, 0, 0};
        const Code expected = exact::dot(floats, dot_choices(), one.operands());
        CHECK(fast::Dot(floats, dot_choices())(one.operands()) == expected);
        return expected;
    };
    CHECK(with_scale(0x38, 0x7F800000) == 0x7F800000);
    CHECK(with_scale(0x00, 0x7F800000) == 0x7FFFFFFF);
    CHECK(with_scale(0x38, 0) == 0);
    CHECK(with_scale(0xB8, 0) == 0x80000000);
    CHECK(with_scale(0x38, 0xC0000000) == 0xC0000000);
}

TEST_CASE("the sign of a dot product that is zero", "[dot]") {
    const DotFormat format = plain(e4m3, e4m3, fp32);
    const DotFormat with_c{&e4m3, &e4m3, nullptr, nullptr, &fp32, &fp32};
    constexpr Code minus = 0x80000000;
    CHECK(dot_of(format, {}, {}, 0) == 0);
    CHECK(dot_of(format, {-0.0, 0}, {1, -1}, 0) == minus);
    CHECK(dot_of(format, {-0.0, 0}, {1, 1}, 0) == 0);
    CHECK(dot_of(with_c, {-0.0}, {1}, -0.0) == minus);
    CHECK(dot_of(with_c, {-0.0}, {1}, 0.0) == 0);
    CHECK(dot_of(with_c, {1}, {-2}, 2) == 0);
    CHECK(dot_of(with_c, {1}, {-2}, 2, dot_choices(Rounding::down)) == minus);
    CHECK(dot_of(with_c, {0}, {0}, 0, dot_choices(Rounding::down)) == 0);
    // What underflows keeps its sign.
    const DotFormat tiny{&bf16, &bf16, nullptr, nullptr, nullptr, &fp32};
    CHECK(dot_of(tiny, {-0x1p-120}, {0x1p-120}, 0) == minus);
}

TEST_CASE("what a dot product refuses", "[dot]") {
    const DotFormat format = mx(e4m3, e4m3, fp32);
    SplitMix64 random(1);
    Case one = make_case(format, test::Kind::narrow, 64, 32, random);
    const auto both_refuse = [&](const DotFormat& of, const Choices& choices, const DotOperands& operands) {
        CHECK_THROWS_AS(exact::dot(of, choices, operands), std::invalid_argument);
        CHECK_THROWS_AS(fast::Dot(of, choices)(operands), std::invalid_argument);
    };
    DotOperands operands = one.operands();
    operands.b = operands.b.first(63);
    both_refuse(format, dot_choices(), operands);
    operands = one.operands();
    operands.scales_a = operands.scales_a.first(1);
    both_refuse(format, dot_choices(), operands);
    both_refuse({&e4m3, &e4m3, nullptr, &e8m0, &fp32, &fp32}, dot_choices(), one.operands());
    both_refuse({&e4m3, &e4m3, &e8m0, &e8m0, &fp32, &e8m0}, dot_choices(), one.operands());
    both_refuse({&e4m3_times_e8m0, &e4m3, &e8m0, &e8m0, &fp32, &fp32}, dot_choices(), one.operands());
    Choices choices = dot_choices();
    choices.flush = Flush::output;
    both_refuse(format, choices, one.operands());
    CHECK_FALSE(fast::offers_dot(format, dot_choices(Rounding::nearest_log2)));
    one.a[3] = 0x100;
    CHECK_THROWS_AS(exact::dot(format, dot_choices(), one.operands()), std::out_of_range);
    CHECK_THROWS_AS(fast::Dot(format, dot_choices())(one.operands()), std::out_of_range);
}

TEST_CASE("a dot product beyond a format without Inf is a NaN of the chosen sign", "[dot]") {
    const DotFormat format = plain(e4m3, e4m3, e4m3);
    for (const auto& [sign, of_positive, of_negative] :
         {std::tuple<OverflowNan, Code, Code>{OverflowNan::sign, 0x7F, 0xFF},
          {OverflowNan::canonical, 0x7F, 0x7F},
          {OverflowNan::negative, 0xFF, 0xFF}}) {
        Choices choices = dot_choices();
        choices.overflow_nan = sign;
        CAPTURE(static_cast<int>(sign));
        CHECK(dot_of(format, {448}, {448}, 0, choices) == of_positive);
        CHECK(dot_of(format, {448}, {-448}, 0, choices) == of_negative);
    }
    Choices quiet = dot_choices();
    quiet.nan = NanRule::quiet;
    for (const auto& [to, canonical_nan, quiet_nan] : {std::tuple<const Format*, Code, Code>{&e4m3, 0x7F, 0x7F},
                                                       {&e5m2, 0x7F, 0x7E},
                                                       {&fp32, 0x7FFFFFFF, 0x7FC00000}}) {
        CHECK(dot_of(plain(e4m3, e4m3, *to), {not_a_number}, {1}, 0) == canonical_nan);
        CHECK(dot_of(plain(e4m3, e4m3, *to), {not_a_number}, {1}, 0, quiet) == quiet_nan);
    }
}
