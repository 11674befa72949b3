// SPDX-License-Identifier: Apache-2.0
// The values that attributes of operations may have, and those that are refused, for every operation.
#include <algorithm>
#include <iterator>
#include <stdexcept>
#include <string>

#include "catch.hpp"
#include "reference/operation/operation.hpp"
#include "reference/operation/operation_name.hpp"
#include "reference/profile/profile.hpp"

using namespace mxcert;
using Catch::Matchers::Contains;

namespace {

void refuses(const std::string& name, const std::string& why) {
    CAPTURE(name);
    CHECK_THROWS_WITH(parse_operation(name), Contains(why));
}

Matmul product(const std::string& attributes) { return as_matmul(parse_operation("matmul-" + attributes)); }

/// A linear layer in NVFP4, or as the words say.
std::string layer(const std::string& recipe, const std::string& product, const std::string& dequantized = "none",
                  const std::string& rest = "none-fp32-fp32_fma-given") {
    return "linear-bf16-" + recipe + "-" + product + "-e2m1-e2m1-ue4m3-" + dequantized + "-" + rest;
}

} // namespace

TEST_CASE("a random rounding is a law with its bits, given or the implementation's own", "[operation]") {
    CHECK_FALSE(random_rounding_of("nearest_even"));
    const RandomRounding unknown = random_rounding_of("stochastic").value();
    CHECK(unknown.bits == 0);
    CHECK_FALSE(unknown.pairs);
    CHECK(random_rounding_of("stochastic_pairs").value().pairs);
    const RandomRounding given = random_rounding_of("stochastic_b16_given").value();
    CHECK(given.law == Rounding::stochastic_b);
    CHECK(given.bits == 16);
    CHECK(given.given);
    CHECK_FALSE(given.pairs);
    CHECK_FALSE(random_rounding_of("stochastic_a8_pairs").value().given);
    CHECK_THROWS_WITH(random_rounding_of("toward_zero"), Contains("neither 'stochastic' nor such a rounding"));
    CHECK_THROWS_AS(random_rounding_of("stochastic_given"), std::invalid_argument); // given bits need a law
}

TEST_CASE("NVFP4 has three shapes of blocks, and gives out either scale of the tensor", "[operation]") {
    const auto output_of = [](const std::string& tensor_scale) {
        return as_quantize_nvfp4(parse_operation("quantize_nvfp4-bf16-te_nvfp4-16x1-" + tensor_scale)).output;
    };
    CHECK(output_of("decode") == Nvfp4Output::decode_scale);
    CHECK(output_of("encode") == Nvfp4Output::encode_scale);
    CHECK(output_of("none") == Nvfp4Output::none);
    refuses("quantize_nvfp4-bf16-te_nvfp4-1x16-amax", "tensor_scale 'amax': there are decode, encode, none");
    refuses("quantize_nvfp4-bf16-te_nvfp4-2x8-decode", "block '2x8': there are 1x16, 16x1, 16x16");
    const std::string name = "quantize_nvfp4-bf16-te_nvfp4-1x16-decode";
    CHECK(as_quantize_nvfp4(parse_operation(name + "-stochastic_a16")).random.value().bits == 16);
    CHECK_FALSE(as_quantize_nvfp4(parse_operation(name + "-nearest_even")).random);
    refuses(name + "-stochastic_a16_given", "only recipe=te_nvfp4 has it, by random bits of its own");
    refuses("quantize_nvfp4-bf16-torchao_nvfp4-1x16-decode-stochastic", "only recipe=te_nvfp4 has it");
    const Operation back = parse_operation("dequantize_nvfp4-te_nvfp4-fp32-1x16-low_first-swizzle_128x4");
    CHECK(packed_elements(back).element == &formats::e2m1);
    CHECK(packed_elements(back).block == 16);
    CHECK(laid_out_scales(back).scales({3, 65}, 0) == Extent{3, 5});
}

TEST_CASE("tiles, runs of any length and transforms along either axis", "[operation]") {
    const std::string tile = "quantize_2d-bf16-e2m1-e8m0-rceil-nearest_even-sat-";
    CHECK(packed_elements(parse_operation(tile + "16x32-low_first")).block == 32);
    CHECK(as_quantize_2d(parse_operation(tile + "16x32")).tile == BlockShape{16, 32});
    refuses(tile + "*x32", "tile '*x32' has no size");
    refuses(tile + "16x*", "tile '16x*' has no size");
    const Operation runs = parse_operation("dequantize-e4m3-e8m0-fp32-row-any-swizzle_128x4");
    CHECK(laid_out_scales(runs).scales({3, 65}, 16) == Extent{3, 5});
    const std::string hadamard = "hadamard-bf16-fp32-D7E8-";
    CHECK(as_hadamard(parse_operation(hadamard + "row-inverse")).group == shapes::rowwise(16));
    CHECK(as_hadamard(parse_operation(hadamard + "column-forward")).group == shapes::columnwise(16));
    const Operation arrange = parse_operation("layout-swizzle_128x4-arrange");
    CHECK(as_layout(arrange).direction == LayoutDirection::arrange);
    CHECK_FALSE(arrange == runs);
    refuses("quantize-bf16", "quantize has 8 attributes, there are 1");
    refuses(layer("te_nvfp4", "fprop") + "-stochastik", "unknown value of rounding 'stochastik'");
}

TEST_CASE("a matrix product refuses what its accumulator or its result does not have", "[operation]") {
    CHECK(product("e4m3-e5m2-none-none-none-nn-fp32-fp32-fp32_fma-given").has_c);
    CHECK_FALSE(product("e4m3-e5m2-none-none-none-nn-none-fp32-fp32_fma-given").has_c);
    CHECK(product("e4m3-e5m2-none-none-none-nn-none-fp16-fp32_fma-any").any_order);
    CHECK(product("e4m3-e5m2-none-none-none-nn-none-bf16-fp32_fma-given").output == &formats::bf16);
    CHECK(product("e4m3-e5m2-none-none-none-nn-none-fp16-exact-given").format.to == &formats::fp16);
    const auto refuses_product = [](const std::string& attributes, const std::string& why) {
        refuses("matmul-" + attributes, why);
    };
    refuses_product("e4m3-e4m3-none-1x32-none-nn-none-fp32-fp32_fma-given", "without scales block_a and block_b");
    refuses_product("e4m3-e4m3-none-none-32x1-nn-none-fp32-fp32_fma-given", "without scales block_a and block_b");
    refuses_product("e4m3-e4m3-none-none-none-tq-none-fp32-fp32_fma-given", "transpose 'tq': there are nn, nt, tn, tt");
    refuses_product("e4m3-e4m3-none-none-none-nn-fp16-fp32-fp32_fma-given", "c 'fp16': there are none, fp32");
    refuses_product("e4m3-e4m3-none-none-none-nn-none-fp32-fp32_fma-some", "order 'some': there are given, any");
    refuses_product("e4m3-e4m3-none-none-none-nn-none-fp32-exact-any", "the exact sum has no order");
    refuses_product("e2m1-e2m1-ue4m3-1x8-8x1-nn-none-fp32-blackwell_mxf4nvf4-given", "multiples of 16 along the sum");
    refuses_product("e4m3-e4m3-fp32-1x128-128x1-nn-none-fp32-fp32_scaled_128-any", "no bound is known");
    refuses_product("e4m3-e4m3-none-none-none-nn-none-e4m3-fp32_fma-given",
                    "output 'e4m3': there are fp32, fp16, bf16");
    // Blocks of different lengths along the sum are no blocks to pack.
    const Operation uneven = parse_operation("matmul-e2m1-e2m1-e8m0-1x32-16x1-nt-none-fp32-fp32_fma-given-low_first");
    CHECK(packed_elements(uneven).block == 0);
}

TEST_CASE("a scaled product in FP8 has a scale a tensor or a line", "[operation]") {
    const auto scaled = [](const std::string& attributes) {
        return as_scaled_matmul(parse_operation("scaled_matmul-e4m3-e5m2-" + attributes));
    };
    CHECK(scaled("line-nt-none-product-bf16-none-none-fp32_fma").by_lines);
    const ScaledMatmul all = scaled("tensor-nt-bf16-product-e4m3-fp32-fp32-fp32_fma");
    CHECK_FALSE(all.by_lines);
    CHECK(all.bias == &formats::bf16);
    CHECK(all.has_d_scale);
    CHECK(all.has_amax);
    refuses("scaled_matmul-e4m3-e5m2-tensor-nt-none-product-e4m3-fp16-none-fp32_fma",
            "d_scale 'fp16': there are none, fp32");
    refuses("scaled_matmul-e4m3-e5m2-tensor-nt-none-product-fp16-fp32-none-fp32_fma", "only D in FP8 has a scale");
    refuses("scaled_matmul-e4m3-e5m2-tensor-nt-none-te_nvfp4-fp16-none-none-fp32_fma", "only scales=nvfp4 has it");
    refuses("scaled_matmul-e4m3-e5m2-tensor-nt-none-product-fp32-none-none-fp16_fma", "fp32");
    const Operation nvfp4 =
        parse_operation("scaled_matmul-e2m1-e2m1-nvfp4-nt-none-te_nvfp4-bf16-none-none-blackwell_mxf4nvf4");
    CHECK(as_scaled_matmul(nvfp4).epilogue->factor != 0);
}

TEST_CASE("a product of a layer is a matrix product of its operands", "[operation]") {
    const recipe::LayerSizes sizes{2, 3, 5}; // tokens, inputs, outputs
    const auto of = [](const std::string& name) { return as_linear(parse_operation(name)); };
    const Linear forward = of(layer("te_nvfp4", "fprop"));
    CHECK(forward.matmul.epilogue == &epilogue("te_nvfp4"));
    CHECK(forward.matmul.format.a == &formats::e2m1);
    CHECK(forward.matmul.b_transposed);
    CHECK(forward.shape(sizes).m == 2);
    CHECK(forward.shape(sizes).n == 5);
    CHECK(forward.shape(sizes).k == 3);
    const Linear of_inputs = of(layer("te_nvfp4", "dgrad"));
    CHECK_FALSE(of_inputs.matmul.a_transposed);
    CHECK(of_inputs.shape(sizes).n == 3);
    CHECK(of_inputs.shape(sizes).k == 5);
    const Linear of_weights = of(layer("te_nvfp4", "wgrad"));
    CHECK(of_weights.matmul.a_transposed);
    CHECK(of_weights.shape(sizes).m == 5);
    CHECK(of_weights.shape(sizes).k == 2);
    const Linear dequantized = of(layer("torchao_nvfp4", "fprop", "bf16", "fp32-fp32-fp32_fma-given"));
    CHECK(dequantized.matmul.format.a == &formats::bf16);
    CHECK(dequantized.matmul.has_c);
    CHECK(of("linear-bf16-deepgemm-fprop-e4m3-e4m3-fp32-none-none-fp32-fp32_scaled_128-given").dequantized == nullptr);
    CHECK(of(layer("te_nvfp4", "fprop", "none", "none-bf16-exact-given")).matmul.output == &formats::bf16);

    refuses(layer("te_nvfp4", "bprop"), "product 'bprop': there are fprop, dgrad, wgrad");
    refuses(layer("torchao_nvfp4", "fprop"), "how the sums of the recipe torchao_nvfp4 are scaled is not said");
    refuses(layer("te_nvfp4", "fprop", "none", "fp32-fp32-fp32_fma-given"), "without C");
    refuses(layer("te_nvfp4", "fprop", "none", "none-fp32-fp16_fma-given"), "fp16_fma does not give FP32");
}

TEST_CASE("only gradients by Transformer Engine's recipes are rounded by given random bits", "[operation]") {
    const Linear random = as_linear(parse_operation(layer("te_nvfp4", "dgrad") + "-stochastic_b16_given"));
    CHECK(random.operands.left.rounding == Rounding::stochastic_b);
    CHECK(random.operands.left.random_bits == 16);
    CHECK(random.operands.right.random_bits == 0);
    CHECK(as_linear(parse_operation(layer("te_nvfp4", "dgrad"))).operands.left.random_bits == 0);
    const std::string why = "only gradients by the recipes te_nvfp4* have it, by given random bits";
    refuses(layer("te_nvfp4", "dgrad") + "-stochastic_b16", why);
    refuses(layer("te_nvfp4", "fprop") + "-stochastic_b16_given", why);
    refuses(layer("torchao_nvfp4", "dgrad", "bf16") + "-stochastic_b16_given", why);
}

TEST_CASE("a profile covers each operation by its own list", "[operation][profile]") {
    // How many profiles cover the operation; those that do are asked for by `is_listed`.
    const auto check = [](const std::string& name, auto is_listed) {
        CAPTURE(name);
        const Operation operation = parse_operation(name);
        std::size_t covering = 0;
        for (const Profile& profile : all_profiles()) {
            CAPTURE(profile.name);
            CHECK(covers(profile, operation) == is_listed(profile));
            covering += covers(profile, operation) ? 1 : 0;
        }
        CHECK(covering > 0);
        CHECK(covering < all_profiles().size());
    };
    const auto has_products = [](const Profile& profile) { return profile.products; };
    check("matmul-e4m3-e4m3-none-none-none-nn-none-fp32-fp32_fma-given", has_products);
    check("scaled_matmul-e4m3-e5m2-tensor-nt-none-product-bf16-none-none-fp32_fma", has_products);
    check(layer("te_nvfp4", "fprop"), has_products);
    const auto has = [](auto list, const std::string& word) {
        return [=](const Profile& profile) {
            const std::string words = " " + std::string(profile.*list) + " ";
            return words.find(" " + word + " ") != std::string::npos;
        };
    };
    check("quantize_nvfp4-bf16-te_nvfp4-1x16-decode", has(&Profile::nvfp4_recipes, "te_nvfp4"));
    check("dequantize_nvfp4-te_nvfp4-bf16-1x16", has(&Profile::nvfp4_recipes, "te_nvfp4"));
    check("scaling-te_current", has(&Profile::recipes, "te_current"));
    check("partial_cast-fp32-e4m3-fp32-128x128-kept", has(&Profile::partial_casts, "e4m3-fp32-128x128"));
    CHECK(covers(find_profile("ocp"), parse_operation("dequantize-e4m3-e8m0-fp32-row-32")));
    CHECK(covers(find_profile("ocp"), parse_operation("quantize_2d-bf16-e4m3-e8m0-ocp_floor-nearest_even-sat-32x32")));
    // The scale is covered, and the activation or the elements are not.
    const std::string rceil = "quantize-bf16-e4m3-e8m0-rceil-nearest_even-sat-row-32";
    CHECK(covers(find_profile("nvidia-te"), parse_operation(rceil)));
    CHECK_FALSE(
        covers(find_profile("nvidia-te"), parse_operation("quantize-bf16-e4m3-e8m0-rceil-toward_zero-sat-row-32")));
    std::size_t activating = 0;
    for (const Profile& profile : all_profiles()) {
        const bool listed = has(&Profile::activations, "relu")(profile);
        activating += listed ? 1 : 0;
        CHECK(covers(profile, parse_operation(rceil + "-relu")) == (listed && covers(profile, parse_operation(rceil))));
    }
    CHECK(activating > 0);
}
