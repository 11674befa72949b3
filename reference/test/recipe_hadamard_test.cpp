// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <stdexcept>
#include <string>
#include <vector>

#include "catch.hpp"
#include "reference/base/random.hpp"
#include "reference/exact/recipe/hadamard.hpp"
#include "reference/fast/recipe/hadamard.hpp"
#include "reference/fast/recipe/machine_float.hpp"
#include "reference/operation/operation_name.hpp"
#include "reference/profile/profile.hpp"
#include "reference/recipe/hadamard.hpp"

using namespace mxcert;
using Catch::Contains;
using recipe::Hadamard;
using recipe::HadamardValue;

namespace {

using formats::bf16;
using formats::fp16;
using formats::fp32;

using Values = std::vector<HadamardValue>;

/// By both models.
Values transformed(const Hadamard& transform, const Format& source, const Format& target,
                   const std::vector<Code>& group) {
    Values values = exact::hadamard(transform, source, target, group);
    CHECK(fast::hadamard(transform, source, target, group) == values);
    return values;
}

std::vector<Code> alone(std::size_t place, Code code) {
    std::vector<Code> group(16);
    group[place] = code;
    return group;
}

/// In four steps of sums and differences, one value of it.
float by_pairs(const Hadamard& transform, const Format& source, const std::vector<Code>& group, bool first,
               std::size_t j) {
    std::vector<float> values;
    for (std::size_t i = 0; i < group.size(); ++i) {
        const float value = fast::widened(source, group[i]) * (first ? 0.25F : 1.0F);
        values.push_back(!transform.inverse && (transform.signs >> i & 1U) != 0 ? -value : value);
    }
    for (std::size_t step = 1; step < values.size(); step *= 2)
        for (std::size_t i = 0; i < values.size(); ++i) {
            if ((i & step) != 0) continue;
            const float sum = values[i] + values[i + step];
            values[i + step] = values[i] - values[i + step];
            values[i] = sum;
        }
    const float value = values[j] * (first ? 1.0F : 0.25F);
    return transform.inverse && (transform.signs >> j & 1U) != 0 ? -value : value;
}

HadamardValue only(Code code) { return {true, code, code}; }
HadamardValue between(Code low, Code high) { return {true, low, high}; }

} // namespace

TEST_CASE("signs are four hexadecimal digits, the last one of the first four values", "[hadamard]") {
    CHECK(recipe::parse_signs("D7E8") == recipe::te_signs);
    CHECK(recipe::signs_text(recipe::te_signs) == "D7E8");
    CHECK(recipe::signs_text(0x001F) == "001F");
    // The signs that Transformer Engine writes down: + + + - + - - - - - - + - + - -.
    const std::vector<int> te{1, 1, 1, -1, 1, -1, -1, -1, -1, -1, -1, 1, -1, 1, -1, -1};
    for (std::size_t i = 0; i < te.size(); ++i) CHECK(recipe::is_negative({recipe::te_signs}, i, 0) == (te[i] < 0));
    for (const char* wrong : {"", "D7E", "D7E80", "d7e8", "0x1F", "G000"})
        CHECK_THROWS_WITH(recipe::parse_signs(wrong), Contains("four hexadecimal digits"));
}

TEST_CASE("a Hadamard transform of values by hand", "[hadamard]") {
    // Each of the first four rows of a matrix of 4 in every corner: + + + +, + - + -, + + - -, + - - +.
    const Code one = 0x3F80;
    const Code quarter = 0x3E80;
    const Code minus = 0x8000;
    for (const bool inverse : {false, true}) {
        const Values first = transformed({0, inverse}, bf16, bf16, alone(0, one));
        const Values second = transformed({0, inverse}, bf16, bf16, alone(1, one));
        const Values last = transformed({0, inverse}, bf16, bf16, alone(15, one));
        for (std::size_t j = 0; j < 16; ++j) {
            CHECK(first[j] == only(quarter));
            CHECK(second[j] == only(quarter | (j % 2 != 0 ? minus : 0)));
        }
        const std::vector<Code> odd{0, 1, 1, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0, 1, 1, 0};
        for (std::size_t j = 0; j < 16; ++j) CHECK(last[j] == only(quarter | odd[j] * minus));
    }
    // A sign belongs to a value that comes in, or to one that comes out.
    const Values negated = transformed({2}, bf16, fp32, alone(1, one));
    CHECK(negated[0] == only(0xBE800000));
    CHECK(negated[1] == only(0x3E800000));
    const Values one_negated = transformed({2, true}, bf16, fp16, alone(1, one));
    CHECK(one_negated[0] == only(0x3400));
    CHECK(one_negated[1] == only(0x3400)); // -1 x -1
    CHECK(one_negated[2] == only(0x3400));
    CHECK(one_negated[3] == only(0xB400));
}

TEST_CASE("an exact sum is rounded once, ties to even", "[hadamard]") {
    // 1 + 2^-8 and 1 - 2^-8, of which the first is a tie of BF16: 4 x 2^-2.
    std::vector<Code> group(16);
    group[0] = 0x4080; // 4
    group[1] = 0x3C80; // 2^-6
    const Values rounded = transformed({0}, bf16, bf16, group);
    CHECK(rounded[0] == only(0x3F80));
    CHECK(rounded[1] == only(0x3F7F)); // 1 - 2^-8 is a value
    CHECK(transformed({0}, bf16, fp32, group)[0] == only(0x3F808000));
    group[0] = 0x4081; // 4 + 2^-5: an odd code
    CHECK(transformed({0}, bf16, bf16, group)[0] == only(0x3F82));
    // 2^15 x 4 x 16 / 4 is beyond FP16.
    const std::vector<Code> large(16, 0x4800);
    CHECK(transformed({0}, bf16, fp16, large)[0] == only(0x7C00));
    CHECK(transformed({0}, bf16, fp16, large)[1] == only(0));
}

TEST_CASE("zeros of a Hadamard transform", "[hadamard]") {
    const Code minus_zero = 0x8000;
    // Cancelled: +0, but that an inverse transform may take the sign of what is cancelled.
    const std::vector<Code> ones(16, 0x3F80);
    CHECK(transformed({0}, bf16, bf16, ones)[3] == only(0));
    CHECK(transformed({8, true}, bf16, bf16, ones)[3] == between(minus_zero, 0));
    CHECK(transformed({8, true}, bf16, bf16, ones)[2] == only(0));
    // With a zero among the values it is open: -0 + -0, and -0 less a partial sum that is +0.
    std::vector<Code> one_zero = ones;
    one_zero[2] = one_zero[3] = 0;
    CHECK(transformed({0}, bf16, bf16, one_zero)[1] == between(minus_zero, 0));
    for (const Code zero : {Code{0}, minus_zero})
        CHECK(transformed({8}, bf16, bf16, std::vector<Code>(16, zero))[3] == between(minus_zero, 0));
    CHECK(between(minus_zero, 0).permits(bf16, minus_zero));
    CHECK_FALSE(only(0).permits(bf16, minus_zero));
    CHECK_FALSE(between(minus_zero, 0).permits(bf16, 1));
}

TEST_CASE("NaN and Inf reach every value of a group", "[hadamard]") {
    const Code inf = 0x7F80;
    std::vector<Code> group(16, 0x3F80);
    group[5] = 0xFF81; // a NaN
    for (const HadamardValue& value : transformed({recipe::te_signs}, bf16, bf16, group)) {
        CHECK(value.permits(bf16, 0x7FC0));
        CHECK(value.permits(bf16, 0xFF81));
        CHECK_FALSE(value.permits(bf16, inf));
        CHECK_FALSE(value.permits(bf16, 0));
    }
    group[5] = inf;
    CHECK(transformed({0}, bf16, bf16, group)[0] == only(inf));
    CHECK(transformed({0}, bf16, bf16, group)[1] == only(inf | 0x8000));
    group[4] = inf;
    CHECK(transformed({0}, bf16, bf16, group)[0] == only(inf));
    CHECK_FALSE(transformed({0}, bf16, bf16, group)[1].number); // Inf - Inf
    CHECK(transformed({0}, bf16, bf16, group)[1].nan);
    // A sum of finite values beyond binary32 may have met it.
    std::vector<Code> large(16, 0xFF7F);
    large[0] = inf;
    CHECK(transformed({0}, bf16, bf16, large)[0].nan);
    CHECK_FALSE(transformed({0}, bf16, bf16, alone(3, inf))[0].nan);
}

TEST_CASE("sums that some order rounds, or that overflow in some order", "[hadamard]") {
    // 2^24 + 1 and what is cancelled: of binary32 in some order 0, in another 1 / 4.
    std::vector<Code> group(16);
    group[0] = 0x4B800000; // 2^24
    group[1] = 0xCB800000;
    group[2] = 0x3F800000;
    const HadamardValue open = transformed({0}, fp32, fp32, group)[0];
    for (const Code code : {0x3E800000U, 0U, 0x40000000U, 0xC0000000U}) CHECK(open.permits(fp32, code));
    CHECK_FALSE(open.permits(fp32, 0x43000000)); // 128: more than 2^-18 x 2^25 / 4
    CHECK_FALSE(open.nan);
    // One bit less, and it is exact.
    group[0] = 0x4A800000; // 2^22
    group[1] = 0xCA800000;
    CHECK(transformed({0}, fp32, fp32, group)[0] == only(0x3E800000));
    // The smallest binary32 has no quarter; the eighth of its kind has one.
    CHECK(transformed({0}, fp32, fp32, alone(0, 1))[0].permits(fp32, 0));
    CHECK(transformed({0}, fp32, fp32, alone(0, 8))[0] == only(2));
    CHECK(transformed({0}, bf16, fp32, alone(0, 1))[0] == only(0x4000)); // 2^-133 / 4 = 2^-135
    // Two of the largest are a half of it after 1/4, or Inf before; Inf - Inf may be among them.
    std::vector<Code> two = alone(0, 0x7F7F);
    two[1] = 0x7F7F;
    const Values sums = transformed({0}, bf16, bf16, two);
    CHECK(sums[0].permits(bf16, 0x7EFF));
    CHECK(sums[0].permits(bf16, 0x7F80));
    CHECK_FALSE(sums[0].permits(bf16, 0xFF80));
    CHECK_FALSE(sums[0].nan);
    CHECK(sums[1].permits(bf16, 0)); // the difference: no partial sum overflows
    CHECK_FALSE(sums[1].permits(bf16, 0x7F80));
    CHECK(transformed({0}, bf16, bf16, std::vector<Code>(16, 0x7F7F))[1].nan);
    CHECK(transformed({0}, bf16, bf16, alone(9, 0x7F7F))[0] == only(0x7E7F));
}

TEST_CASE("both models of a Hadamard transform agree, and every order is permitted", "[hadamard][values]") {
    SplitMix64 random(0x4AD);
    for (int round = 0; round < 3000; ++round) {
        const Format& source = *std::vector<const Format*>{&bf16, &fp16, &fp32}[random.below(3)];
        const Format& target = *std::vector<const Format*>{&bf16, &fp16, &fp32}[random.below(3)];
        const Hadamard transform{static_cast<std::uint16_t>(random()), random.below(2) != 0};
        const auto binades = random.below(40);
        const Code middle = random() & source.magnitude_mask();
        const bool sparse = random.below(4) == 0;
        std::vector<Code> group;
        for (int i = 0; i < 16; ++i) {
            const Code away = random.below(2 * binades + 1) << static_cast<unsigned>(source.fraction_bits);
            const Code near = (middle + away + (random() & source.fraction_mask())) & source.magnitude_mask();
            const bool special = random.below(200) == 0;
            group.push_back((special                          ? random() & source.last_code()
                             : sparse && random.below(2) == 0 ? 0
                                                              : near) |
                            (random.below(2) != 0 ? source.sign_bit() : 0));
        }
        // Sums that cancel to zero, with zeros of both signs and without.
        const bool ones = random.below(8) == 0;
        const bool any_zero = random.below(2) != 0;
        for (Code& code : group)
            if (ones)
                code = (any_zero && random.below(4) != 0 ? 0 : source.one_code()) |
                       (random.below(2) != 0 ? source.sign_bit() : 0);
        const Values values = transformed(transform, source, target, group);
        // In an order of its own, with 1/4 first or last, in the machine's binary32.
        const bool first = random.below(2) != 0;
        std::vector<std::size_t> order;
        for (std::size_t i = 0; i < 16; ++i)
            order.insert(order.begin() + static_cast<std::ptrdiff_t>(random.below(i + 1)), i);
        for (std::size_t j = 0; j < 16; ++j) {
            float sum = 0;
            for (const std::size_t i : order) {
                const float value = fast::widened(source, group[i]) * (first ? 0.25F : 1.0F);
                sum += recipe::is_negative(transform, i, j) ? -value : value;
            }
            if (!first) sum *= 0.25F;
            if (round % 3 == 0) sum = by_pairs(transform, source, group, first, j);
            const Code code = std::isnan(sum) ? fast::code_in(target, sum) : fast::rounded_to(target, sum);
            CAPTURE(source.name, target.name, transform.signs, transform.inverse, group, j, sum);
            REQUIRE(values[j].permits(target, code));
        }
    }
}

TEST_CASE("operations of a Hadamard transform, and quantizers to NVFP4 with one", "[hadamard]") {
    const HadamardTransform operation = as_hadamard(parse_operation("hadamard-bf16-fp16-D7E8-column-inverse"));
    CHECK(operation.source == &bf16);
    CHECK(operation.target == &fp16);
    CHECK(operation.transform == Hadamard{0xD7E8, true});
    CHECK(operation.group == shapes::columnwise(16));
    CHECK(covers(find_profile("nvidia-te"), parse_operation("hadamard-bf16-fp32-D7E8-column-inverse")));
    CHECK_FALSE(covers(find_profile("modelopt"), parse_operation("hadamard-bf16-fp32-D7E8-column-inverse")));
    const auto refuses = [](const std::string& name, const std::string& why) {
        CHECK_THROWS_WITH(parse_operation(name), Contains(why));
    };
    refuses("hadamard-fp64-bf16-D7E8-row-forward", "there are fp32, fp16, bf16");
    refuses("hadamard-bf16-e4m3-D7E8-row-forward", "there are fp32, fp16, bf16");
    refuses("hadamard-bf16-bf16-d7e8-row-forward", "four hexadecimal digits");
    refuses("hadamard-bf16-bf16-D7E8-both-forward", "there are row and column");
    refuses("hadamard-bf16-bf16-D7E8-row-backward", "there are forward and inverse");

    const std::string name = "quantize_nvfp4-bf16-te_nvfp4-1x16-decode";
    const Operation without = parse_operation(name);
    CHECK_FALSE(as_quantize_nvfp4(without).hadamard);
    CHECK(without.value("hadamard") == "none");
    CHECK(parse_operation(name + "-none") == without);
    const Operation with = parse_operation(name + "-D7E8");
    CHECK(to_string(with) == name + "-D7E8");
    CHECK(as_quantize_nvfp4(with).hadamard == Hadamard{0xD7E8});
    CHECK(with.value("packing") == "bytes");
    const Operation all = parse_operation(name + "-D7E8-low_first-swizzle_128x4");
    CHECK(to_string(all) == name + "-D7E8-low_first-swizzle_128x4");
    CHECK(all.value("hadamard") == "D7E8");
    CHECK(packed_elements(all).packing == &find_packing("low_first"));
    CHECK(laid_out_scales(all).layout == &find_layout("swizzle_128x4"));
    refuses("quantize_nvfp4-fp32-te_nvfp4-1x16-decode-D7E8", "only source=bf16");
    refuses("quantize_nvfp4-bf16-te_nvfp4-16x16-decode-D7E8", "only source=bf16");
    refuses("quantize_nvfp4-bf16-modelopt_nvfp4-1x16-decode-D7E8", "only source=bf16");
    refuses(name + "-D7E8-D7E8", "attribute 'hadamard' is there twice");
    refuses("dequantize_nvfp4-te_nvfp4-bf16-1x16-D7E8", "unknown packing");
}

TEST_CASE("one value alone cannot overflow, and a group has at most 16 values", "[hadamard]") {
    for (const Code sign : {Code{0}, Code{0x80000000}})
        CHECK(transformed({0}, fp32, fp32, alone(0, sign | 0x7F7FFFFF))[0] == only(sign | 0x7E7FFFFF));
    const std::vector<Code> more(recipe::hadamard_size + 1);
    CHECK_THROWS_AS(exact::hadamard({0}, fp32, fp32, more), std::invalid_argument);
    CHECK_THROWS_AS(fast::hadamard({0}, fp32, fp32, more), std::invalid_argument);
}

TEST_CASE("a value is one code unless a number, Inf or NaN is permitted besides", "[hadamard]") {
    CHECK(only(1).is_one());
    CHECK_FALSE(between(1, 2).is_one());
    CHECK_FALSE(HadamardValue{false}.is_one());
    CHECK_FALSE(HadamardValue{true, 1, 1, true}.is_one());
    CHECK_FALSE(HadamardValue{true, 1, 1, false, true}.is_one());
    CHECK_FALSE(HadamardValue{true, 1, 1, false, false, true}.is_one());
}
