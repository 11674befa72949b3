// SPDX-License-Identifier: Apache-2.0
// What becomes of the sums of a product: both models, and values by hand.
#include "reference/dot/epilogue.hpp"

#include "catch.hpp"
#include "reference/base/random.hpp"
#include "reference/exact/epilogue.hpp"
#include "reference/fast/sum/epilogue.hpp"
#include "reference/operation/operation.hpp"

using namespace mxcert;

namespace {

/// The value of both models, which agree.
Code value_of(const char* name, const EpilogueOperands& operands) {
    const Code code = exact::after_sum(epilogue(name), operands);
    CHECK(fast::after_sum(epilogue(name), operands) == code);
    return code;
}

Code any_number(SplitMix64& random) {
    constexpr Code special[] = {0, 0x80000000, 0x7F800000, 0xFF800000, 0x7FC00000, 1, 0x7F7FFFFF, 0x00800000};
    if (random.below(12) == 0) return special[random.below(std::size(special))];
    if (random.below(6) == 0) return random() & 0xFFFFFFFF;
    const Code exponent = 127 - 4 + random.below(8);
    return (random() & 0x807FFFFF) | exponent << 23U;
}

} // namespace

TEST_CASE("both models of every epilogue agree", "[epilogue][values]") {
    SplitMix64 random(71);
    for (const Epilogue& form : epilogues())
        for (int i = 0; i < 20000; ++i) {
            EpilogueOperands operands{any_number(random), any_number(random), any_number(random), {}};
            if (random.below(4) != 0) operands.bias = any_number(random);
            // Often what the bias leaves is what was rounded.
            if (operands.bias && random.below(2) == 0) {
                EpilogueOperands without = operands;
                without.bias.reset();
                operands.bias = exact::after_sum(form, without) ^ 0x80000000;
            }
            CAPTURE(form.name, operands.sum, operands.scale_a, operands.scale_b, operands.bias.value_or(0));
            REQUIRE(fast::after_sum(form, operands) == exact::after_sum(form, operands));
        }
}

TEST_CASE("scales and bias by hand", "[epilogue]") {
    constexpr Code one = 0x3F800000;
    constexpr Code above_one = 0x3F800001; // 1 + 2^-23
    // (1 + 2^-23)^2 is 1 + 2^-22 + 2^-46.
    for (const char* const name : {"product", "product_fma", "in_turn", "in_turn_fma"})
        CHECK(value_of(name, {one, above_one, above_one, {}}) == 0x3F800002);
    const EpilogueOperands rest{one, above_one, above_one, 0xBF800002}; // less 1 + 2^-22
    CHECK(value_of("product", rest) == 0);
    CHECK(value_of("in_turn", rest) == 0);
    CHECK(value_of("product_fma", rest) == 0);          // the product of the scales was rounded before
    CHECK(value_of("in_turn_fma", rest) == 0x28800000); // 2^-46
    // 3 x 2^-149 x 2^127: as a product of scales exact; (3 x 2^-149) x 1 x ... in turn the same.
    CHECK(value_of("product", {0x40400000, 0x00000001, 0x7F000000, {}}) ==
          value_of("in_turn", {0x40400000, 1, 0x7F000000, {}}));
    // Scales of 2^-100: their product is zero, in turn it is not.
    CHECK(value_of("product", {0x71800000, 0x0D800000, 0x0D800000, {}}) == 0);
    CHECK(value_of("in_turn", {0x71800000, 0x0D800000, 0x0D800000, {}}) == 0x0D800000);
    CHECK(value_of("product", {one, 0x7F800000, 0, {}}) == 0x7FC00000);
    CHECK(value_of("product", {one, one, one, 0x7FC01234}) == 0x7FC00000);
    // Amaxes of 2688 are scales of 1, but for 1/2688^2, which is not exact: 7225344 x 0x34149B93 is 1 in FP32.
    CHECK(value_of("te_nvfp4", {one, 0x45280000, 0x45280000, {}}) == one);
    CHECK(value_of("te_nvfp4", {0x40400000, one, one, {}}) == 0x34DEE95C);        // 3 x 0x34149B93, rounded
    CHECK(value_of("te_nvfp4", {one, 0x7F000000, 0x7F000000, {}}) == 0x7F800000); // the product of the amaxes is Inf
    CHECK_THROWS_AS(epilogue("produkt"), std::invalid_argument);
}

TEST_CASE("elements of D by hand and by both models", "[epilogue]") {
    const auto element = [](const Format& output, Code value) {
        const Code code = fast::as_element(output, value);
        CHECK(exact::as_element(output, value) == code);
        return code;
    };
    CHECK(element(formats::e4m3, 0x43E80000) == 0x7E); // 464, a tie above the largest
    CHECK(element(formats::e4m3, 0x7F800000) == 0x7E);
    CHECK(element(formats::e5m2, 0xFF800000) == 0xFB);
    CHECK(element(formats::fp16, 0x477FF000) == 0x7C00); // 65520
    CHECK(element(formats::bf16, 0x3F808000) == 0x3F80); // a tie
    CHECK(element(formats::bf16, 0x3F818000) == 0x3F82);
    CHECK(element(formats::fp32, 0x3F818001) == 0x3F818001);
    SplitMix64 random(72);
    for (const Format* output : {&formats::e4m3, &formats::e5m2, &formats::fp16, &formats::bf16})
        for (int i = 0; i < 20000; ++i) {
            const Code value = any_number(random);
            if (!formats::fp32.is_nan(value))
                REQUIRE(fast::as_element(*output, value) == exact::as_element(*output, value));
        }
}

TEST_CASE("operations with an epilogue that cannot be", "[epilogue]") {
    const auto reason = [](const char* attribute, const char* value) -> std::string {
        std::vector<std::pair<std::string, std::string>> attributes{
            {"a", "e4m3"},    {"b", "e4m3"},           {"scales", "tensor"}, {"transpose", "nt"},
            {"bias", "none"}, {"epilogue", "product"}, {"output", "e4m3"},   {"d_scale", "fp32"},
            {"amax", "fp32"}, {"accumulator", "exact"}};
        for (auto& [name, given_value] : attributes)
            if (name == attribute) given_value = value;
        try {
            static_cast<void>(make_operation("scaled_matmul", attributes));
        } catch (const std::invalid_argument& error) {
            return error.what();
        }
        return "";
    };
    CHECK(reason("a", "e4m3") == "");
    CHECK(reason("a", "e5m2") == "");
    CHECK(reason("a", "fp16") == "a 'fp16': there are e4m3, e5m2");
    CHECK(reason("scales", "block") == "scales 'block': there are tensor, line, nvfp4");
    CHECK(reason("bias", "e4m3") == "bias 'e4m3': there are fp32, fp16, bf16");
    CHECK(reason("output", "bf16") == "d_scale 'fp32': only D in FP8 has a scale");
    CHECK(reason("accumulator", "hopper_fp8_f16") != "");
    CHECK(reason("accumulator", "deepgemm_hopper_fp8") != "");
    CHECK(reason("epilogue", "sum") != "");
    CHECK(reason("epilogue", "te_nvfp4") == "epilogue 'te_nvfp4': only scales=nvfp4 has it");
}
