// SPDX-License-Identifier: Apache-2.0
// Dot products, products of matrices and conversions that both models refuse.
#include <array>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "catch.hpp"
#include "reference/block.hpp"
#include "reference/clause.hpp"
#include "reference/exact/dot.hpp"
#include "reference/exact/exact.hpp"
#include "reference/exact/matmul_mx.hpp"
#include "reference/fast/block.hpp"
#include "reference/fast/convert.hpp"
#include "reference/fast/dot.hpp"
#include "reference/fast/isa.hpp"

using namespace mxcert;
using namespace mxcert::formats;
using Catch::Matchers::Contains;

namespace {

constexpr DotFormat fp8_to_fp32{&e4m3, &e4m3, nullptr, nullptr, nullptr, &fp32};

Choices with(Rounding rounding) {
    Choices choices;
    choices.rounding = rounding;
    return choices;
}

} // namespace

TEST_CASE("a dot product has two operands and a result, of numbers alone", "[dot]") {
    const auto refused = [](auto member, const Format* other) -> std::string {
        DotFormat format = fp8_to_fp32;
        format.*member = other;
        try {
            check(format, dot_choices());
        } catch (const std::invalid_argument& error) {
            return error.what();
        }
        return "accepted";
    };
    CHECK(refused(&DotFormat::c, &fp32) == "accepted");
    CHECK_THAT(refused(&DotFormat::a, nullptr), Contains("two operands and a result"));
    CHECK_THAT(refused(&DotFormat::b, nullptr), Contains("two operands and a result"));
    CHECK_THAT(refused(&DotFormat::to, nullptr), Contains("two operands and a result"));
    CHECK_THAT(refused(&DotFormat::a, &by_scale(fp32)), Contains("is not a format of numbers alone"));
    CHECK_THAT(refused(&DotFormat::scale_a, &scale_of(e4m3)), Contains("is not a format of numbers alone"));
    Choices quiet = dot_choices();
    quiet.nan = NanRule::quiet;
    CHECK_NOTHROW(check(fp8_to_fp32, quiet));
    quiet.nan = NanRule::negative;
    CHECK_THROWS_AS(check(fp8_to_fp32, quiet), std::invalid_argument);
}

TEST_CASE("random bits of a dot product are 1 to 32, and hold what is given", "[dot]") {
    const std::array<Code, 1> one{e4m3.one_code()};
    DotOperands operands;
    operands.a = operands.b = one;
    Choices choices = dot_choices();
    choices.rounding = Rounding::stochastic_a;
    fast::Dot fast_dot(fp8_to_fp32, choices);
    const auto both_give = [&](std::uint32_t value, unsigned bits) {
        return exact::dot(fp8_to_fp32, choices, operands, {bits, value}) == fp32.one_code() &&
               fast_dot(operands, value, bits) == fp32.one_code();
    };
    CHECK(both_give(0xFF, 8));
    CHECK(both_give(0xFFFFFFFF, 32));
    for (const auto& [value, bits] : {std::pair{0x100U, 8U}, {0U, 0U}, {0U, 33U}}) {
        CAPTURE(value, bits);
        CHECK_THROWS_AS(exact::dot(fp8_to_fp32, choices, operands, {bits, value}), std::invalid_argument);
        CHECK_THROWS_AS(fast_dot(operands, value, bits), std::invalid_argument);
    }
    CHECK_FALSE(fast::offers_dot(fp8_to_fp32, with(Rounding::nearest_log2)));
    CHECK_THROWS_AS(fast::Dot(fp8_to_fp32, with(Rounding::nearest_log2)), std::invalid_argument);
    // Products of 53 bits with a scale of 53 do not fit the significand of a term.
    CHECK_FALSE(fast::offers_dot({&fp64, &fp64, &fp64, nullptr, nullptr, &fp64}, dot_choices()));
}

TEST_CASE("blocks of a product have at least one value, and a scale each", "[matmul]") {
    const std::vector<Code> a(2, e4m3.one_code());
    MatmulShape shape;
    shape.m = 2;
    shape.n = 3;
    shape.k = 1;
    const std::vector<Code> b(3, e4m3.one_code());
    MatmulOperands operands;
    operands.a = a;
    operands.b = b;
    const auto quantized = [&](std::size_t block, std::span<const Code> scales) {
        return exact::matmul_mx(fp8_to_fp32, dot_choices(), shape, operands, e4m3, {}, block, scales);
    };
    CHECK(quantized(3, {}).scales.size() == 2);
    CHECK(quantized(2, {}).scales.size() == 4);
    CHECK_THROWS_WITH(quantized(0, {}), "a block has at least one value");
    const std::vector<Code> scales(3, 127);
    CHECK_THROWS_WITH(quantized(2, scales), "one scale for each block of D is needed");
    CHECK(quantized(2, std::vector<Code>(4, 127)).scales == std::vector<Code>(4, 127));
}

TEST_CASE("a span with random bits needs them for every value, and codes fit their formats", "[convert]") {
    const std::array<float, 2> values{1.0F, 1.03F};
    std::array<std::uint8_t, 2> codes{};
    const Choices random = with(Rounding::stochastic_a);
    const std::array<std::uint32_t, 2> words{0, 0};
    const auto convert = [&](const std::uint32_t* given, std::size_t n, unsigned bits) {
        fast::convert_span(fp32, e4m3, random, values.data(), given, codes.data(), n, bits, fast::Isa::baseline);
    };
    convert(words.data(), values.size(), 8);
    CHECK(codes == std::array<std::uint8_t, 2>{0x38, 0x38});
    CHECK_THROWS_WITH(convert(words.data(), values.size(), 0), "a stochastic rounding needs 1 to 32 random bits");
    CHECK_THROWS_WITH(convert(words.data(), values.size(), 33), "a stochastic rounding needs 1 to 32 random bits");
    CHECK_THROWS_WITH(convert(nullptr, values.size(), 8), "a stochastic rounding needs random values");
    CHECK_NOTHROW(convert(nullptr, 0, 8));
    // A long span of a narrow format is looked up in a table of its codes.
    std::vector<std::uint8_t> narrow(300, e2m1.last_code());
    std::vector<std::uint8_t> wider(narrow.size());
    const auto widen = [&] {
        fast::convert_span(e2m1, e4m3, {}, narrow.data(), nullptr, wider.data(), narrow.size(), 0, fast::Isa::baseline);
    };
    widen();
    CHECK(wider.front() == fast::convert(e2m1, e4m3, {}, e2m1.last_code()));
    narrow.back() = 0x10;
    CHECK_THROWS_WITH(widen(), "the code is wider than its format");
}

TEST_CASE("the fast model refuses blocks that it does not offer", "[block]") {
    const BlockFormat format{&fp32, &e4m3};
    BlockChoices choices;
    choices.scale.rule = ScaleRule::ocp_floor;
    CHECK(fast::offers_block(format, choices));
    BlockChoices no_rule = choices;
    no_rule.scale.rule = ScaleRule::none;
    CHECK_FALSE(fast::offers_block(format, no_rule));
    BlockChoices via = choices;
    via.element.via = Via::fp16_nearest_even;
    CHECK_FALSE(fast::offers_block(format, via));
    const std::array<std::uint8_t, 1> element{0x38};
    const std::array<std::uint8_t, 1> scale{127};
    std::array<float, 1> value{};
    const auto dequantize = [&](const Choices& to_value) {
        fast::dequantize(e4m3, fp32, to_value, {1, 1, 1}, fast::Blocks::rowwise, element.data(), scale.data(),
                         value.data(), fast::Isa::baseline);
    };
    dequantize({});
    CHECK(value[0] == 1.0F);
    CHECK_THROWS_AS(dequantize(with(Rounding::stochastic_a)), std::invalid_argument);
    CHECK_THROWS_AS(dequantize(with(Rounding::nearest_log2)), std::invalid_argument);
}

TEST_CASE("a magnitude that is no value of a format has no code", "[exact]") {
    using exact::Rational;
    CHECK(exact::encode(e4m3, Rational(3, 512)) == 3);
    CHECK_THROWS_AS(exact::encode(e8m0, 0), std::logic_error);                 // it has no zero
    CHECK_THROWS_AS(exact::encode(e4m3, -1), std::logic_error);                // a magnitude has no sign
    CHECK_THROWS_AS(exact::encode(int8, Rational(1, 128)), std::logic_error);  // below its last place
    CHECK_THROWS_AS(exact::encode(int8, 2), std::logic_error);                 // beyond its largest value
    CHECK_THROWS_AS(exact::encode(e4m3, Rational(1, 1024)), std::logic_error); // below its smallest
    CHECK_THROWS_AS(exact::encode(e4m3, 512), std::logic_error);               // beyond its largest value
    CHECK_THROWS_AS(exact::encode(e8m0, exact::power_of_two(e8m0.emin() - 1)), std::logic_error);
}

TEST_CASE("values that no enumeration has are refused", "[exact][clause][choices]") {
    CHECK(to_string(Grade::memory) == "memory");
    CHECK_THROWS_AS(to_string(static_cast<Grade>(99)), std::logic_error);
    CHECK_THROWS_AS(to_string(static_cast<ClauseKind>(99)), std::logic_error);
    CHECK_THROWS_AS(get({}, static_cast<Choice>(99)), std::out_of_range);
    Choices choices;
    choices.rounding = static_cast<Rounding>(99);
    CHECK_THROWS_AS(exact::convert(fp32, e4m3, choices, 1), std::logic_error);
    choices = {};
    choices.smallest_scale = static_cast<SmallestScale>(99);
    const Format& by = by_scale(fp32);
    CHECK_THROWS_AS(exact::convert(by, e4m3, choices, by.code_of(0, fp32.one_code())), std::logic_error);
    choices = {};
    choices.arithmetic = static_cast<Arithmetic>(99);
    CHECK_THROWS_AS(exact::convert(by, e4m3, choices, by.code_of(127, fp32.one_code())), std::logic_error);
    CHECK_THROWS_AS(exact::stochastic_threshold(Rounding::nearest_even, exact::Rational(1, 2), 8),
                    std::invalid_argument);
    CHECK_THROWS_AS(fast::require(static_cast<fast::Isa>(99)), std::invalid_argument);
}
