// SPDX-License-Identifier: Apache-2.0
#include "reference/operation/operation.hpp"

#include <stdexcept>

#include "catch.hpp"
#include "reference/operation/operation_name.hpp"
#include "reference/profile/profile.hpp"

using namespace mxcert;
using Catch::Matchers::Contains;

namespace {

using Attributes = std::vector<std::pair<std::string, std::string>>;

const Attributes quantizing{{"source", "bf16"}, {"element", "e5m2"},          {"scale", "e8m0"},   {"rule", "rceil"},
                            {"axis", "column"}, {"rounding", "nearest_even"}, {"overflow", "sat"}, {"block", "32"}};

Attributes with(Attributes attributes, const std::string& key, const std::string& value) {
    for (auto& [name, old] : attributes)
        if (name == key) old = value;
    return attributes;
}

} // namespace

TEST_CASE("an operation is its name and the values of its attributes, in one order", "[operation]") {
    const Operation operation = make_operation("quantize", quantizing);
    CHECK(to_string(operation) == "quantize-bf16-e5m2-e8m0-rceil-nearest_even-sat-column-32");
    CHECK(operation.value("rule") == "rceil");
    CHECK_THROWS_WITH(operation.value("target"), "quantize has no attribute target");
    const Quantize quantize = as_quantize(operation);
    CHECK(quantize.format.value == &formats::bf16);
    CHECK(quantize.format.element == &formats::e5m2);
    CHECK(to_string(quantize.scale) == "amax_bf16-e8m0_for_e5m2-rceil-sat");
    CHECK(to_string(quantize.element) == "bf16_by_e8m0-e5m2-nearest_even-sat");
    CHECK(quantize.axis == Axis::column);
    CHECK(quantize.block == 32);
    CHECK(as_quantize(make_operation("quantize", with(quantizing, "block", "any"))).block == 0);
    const Quantize narrow = as_quantize(parse_operation("quantize-bf16-e2m1-e8m0-ocp_floor-nearest_even-nosat-row-32"));
    CHECK(to_string(narrow.scale) == "amax_bf16-e8m0_for_e2m1-ocp_floor-nosat");
    CHECK(to_string(narrow.element) == "bf16_by_e8m0-e2m1-nearest_even-sat");

    const Attributes dequantizing{
        {"element", "e4m3"}, {"scale", "e8m0"}, {"target", "fp16"}, {"axis", "row"}, {"block", "any"}};
    const Operation back = make_operation("dequantize", dequantizing);
    CHECK(to_string(back) == "dequantize-e4m3-e8m0-fp16-row-any");
    CHECK(to_string(as_dequantize(back).value) == "e4m3_times_e8m0-fp16-nearest_even-nosat");

    const Operation layout =
        make_operation("layout", Attributes{{"layout", "swizzle_128x4"}, {"direction", "restore"}});
    CHECK(as_layout(layout).layout == &find_layout("swizzle_128x4"));
    CHECK(as_layout(layout).direction == LayoutDirection::restore);

    const auto stochastic = [](const char* law) {
        return make_operation("stochastic",
                              Attributes{{"source", "fp32"}, {"target", "e4m3"}, {"law", law}, {"overflow", "sat"}});
    };
    CHECK(to_string(stochastic("stochastic_b16")) == "stochastic-fp32-e4m3-stochastic_b16-sat");
    CHECK(as_stochastic(stochastic("stochastic_b16")).conversion.random_bits == 16);
    CHECK(as_stochastic(stochastic("stochastic_b16")).law_known);
    CHECK_FALSE(as_stochastic(stochastic("any")).law_known);
    CHECK_THROWS_WITH(stochastic("nearest_even"), Contains("neither 'any' nor a stochastic rounding"));
    CHECK(covers(find_profile("ocp"), stochastic("any")));
    CHECK_FALSE(covers(find_profile("nvidia-te"), stochastic("any")));
}

TEST_CASE("operations with float scales", "[operation]") {
    const Attributes quantizing_float{
        {"source", "bf16"}, {"element", "e5m2"}, {"scale", "fp16"}, {"recipe", "deepgemm"}, {"block", "*x1"}};
    const Operation operation = make_operation("quantize_float", quantizing_float);
    CHECK(to_string(operation) == "quantize_float-bf16-e5m2-fp16-deepgemm-*x1");
    const QuantizeFloat quantize = as_quantize_float(operation);
    CHECK(quantize.source == &formats::bf16);
    CHECK(quantize.recipe == &recipe::float_block_preset("deepgemm"));
    CHECK(quantize.choices.scaling.element == &formats::e5m2);
    CHECK(quantize.choices.scaling.kept == &formats::fp16);
    CHECK(quantize.choices.overflow == Overflow::nosat); // as the recipe has it
    CHECK(quantize.scale == &formats::fp16);
    CHECK(quantize.block == shapes::per_column);
    // E8M0 is how a power of two is given out: it is computed as ever.
    const QuantizeFloat power = as_quantize_float(
        make_operation("quantize_float", with(with(quantizing_float, "recipe", "deepgemm_ue8m0"), "scale", "e8m0")));
    CHECK(power.scale == &formats::e8m0);
    CHECK(power.choices.scaling.kept == &formats::fp32);

    const Attributes back{{"element", "e4m3"}, {"scale", "e8m0"}, {"target", "fp32"}, {"block", "128x128"}};
    const DequantizeFloat dequantize = as_dequantize_float(make_operation("dequantize_float", back));
    CHECK(dequantize.element == &formats::e4m3);
    CHECK(dequantize.scale == &formats::e8m0);
    CHECK(dequantize.target == &formats::fp32);
    CHECK(dequantize.block == shapes::tile(128));
    CHECK(as_dequantize_float(make_operation("dequantize_float", with(back, "target", "bf16"))).target ==
          &formats::bf16);

    const auto refused = [&](const char* key, const char* value) -> std::string {
        try {
            static_cast<void>(make_operation("quantize_float", with(quantizing_float, key, value)));
        } catch (const std::invalid_argument& error) {
            return error.what();
        }
        return "accepted";
    };
    CHECK(refused("source", "fp64") == "source 'fp64': there are fp32, fp16, bf16");
    CHECK(refused("element", "e8m0") == "element 'e8m0': there are e4m3, e5m2");
    CHECK(refused("scale", "fp64") == "scale 'fp64': there are fp32, fp16, bf16, e8m0");
    CHECK(refused("scale", "e8m0") == "scale 'e8m0': the scales of the recipe deepgemm are no powers of two");
    CHECK(refused("recipe", "deepgem") == "unknown recipe 'deepgem'; did you mean deepgemm, deepgemm_ue8m0?");
    for (const char* block : {"128", "x", "1x", "0x1", "1x1025", "1x-1", "1x32x", "any", "**"})
        CHECK_THAT(refused("block", block), Contains("is not as 1x128, 128x128, 1x* or *x*"));
    CHECK_THROWS_WITH(make_operation("dequantize_float", with(back, "target", "e4m3")),
                      "target 'e4m3': there are fp32, fp16, bf16, fp64");

    const auto judged = [](const char* profile, const Operation& operation) {
        return covers(find_profile(profile), operation);
    };
    const auto of = [&](const char* recipe, const char* source, const char* scale, const char* block) {
        return make_operation(
            "quantize_float",
            Attributes{
                {"source", source}, {"element", "e4m3"}, {"scale", scale}, {"recipe", recipe}, {"block", block}});
    };
    CHECK(judged("nvidia-te", of("te_float8_block", "fp16", "fp32", "128x1")));
    CHECK_FALSE(judged("nvidia-te", of("te_float8_block", "fp16", "e8m0", "128x1")));
    CHECK_FALSE(judged("nvidia-te", of("te_float8_block_fp32_scales", "bf16", "fp32", "128x1")));
    CHECK_FALSE(judged("ocp", of("te_float8_block", "fp16", "fp32", "128x1")));
    CHECK(judged("deepseek", of("deepgemm_ue8m0", "bf16", "e8m0", "1x128")));
    CHECK_FALSE(judged("deepseek", of("deepgemm", "bf16", "fp32", "1x64")));
    CHECK(judged("nexus", of("nexus_16", "fp32", "fp32", "1x16")));
    CHECK_FALSE(judged("nexus", of("nexus_16", "fp32", "fp32", "1x32")));
    CHECK(judged("absmax", of("absmax", "fp32", "bf16", "7x9")));
    CHECK(judged("deepseek", make_operation("dequantize_float", back)));
    CHECK_FALSE(judged("nexus", make_operation("dequantize_float", back)));
}

TEST_CASE("an operation may say how its elements are packed", "[operation]") {
    const std::string name = "quantize-bf16-e2m1-e8m0-ocp_floor-nearest_even-sat-row-32";
    const Operation bytes = parse_operation(name);
    CHECK_FALSE(packed_elements(bytes).packs());
    CHECK(bytes.value("packing") == "bytes");
    const Operation halves = parse_operation(name + "-halves");
    CHECK(to_string(halves) == name + "-halves");
    CHECK(halves.value("packing") == "halves");
    CHECK(packed_elements(halves).packing == &find_packing("halves"));
    CHECK(packed_elements(halves).element == &formats::e2m1);
    CHECK(packed_elements(halves).block == 32);
    CHECK_FALSE(halves == bytes);
    CHECK_FALSE(bytes == halves);
    // Nothing said is what bytes say.
    CHECK(parse_operation(name + "-bytes") == bytes);
    CHECK(packed_elements(parse_operation("quantize_nvfp4-bf16-te_nvfp4-16x16-decode-low_first")).block == 16);
    CHECK(packed_elements(parse_operation("dequantize-e3m2-e8m0-fp32-column-any-high_first")).block == 0);
    const auto refuses = [](const std::string& name, const std::string& why) {
        CHECK_THROWS_WITH(parse_operation(name), Contains(why));
    };
    refuses(name + "-low_fist", "did you mean low_first");
    refuses("quantize-bf16-e4m3-e8m0-ocp_floor-nearest_even-sat-row-32-low_first", "fewer than 8 bits");
    refuses("quantize-bf16-e2m3-e8m0-ocp_floor-nearest_even-sat-row-32-halves", "for codes of 4 bits");
    refuses("quantize-bf16-e2m1-e8m0-ocp_floor-nearest_even-sat-column-32-halves", "whole blocks");
    refuses("quantize-bf16-e2m1-e8m0-ocp_floor-nearest_even-sat-row-any-halves", "whole blocks");
    refuses("layout-swizzle_128x4-arrange-low_first", "layout has 2 attributes, there are 3");
}

TEST_CASE("both operands of a product are packed in the rows that they lie in", "[operation]") {
    const auto product = [](const std::string& transpose, const std::string& b = "e2m1") {
        return parse_operation("matmul-e2m1-" + b + "-e8m0-1x32-32x1-" + transpose + "-none-fp32-fp32_fma-given-" +
                               (transpose == "nt" ? "halves" : "low_first"));
    };
    using Sizes = std::array<std::size_t, 2>;
    CHECK(packed_elements(product("nt")).row_sizes == Sizes{2, 2});
    CHECK(packed_elements(product("nt")).block == 32);
    CHECK(packed_elements(product("nn")).row_sizes == Sizes{2, 1});
    CHECK(packed_elements(product("nn")).block == 0); // the rows of B are not along the sum
    CHECK(packed_elements(product("tn")).row_sizes == Sizes{0, 1});
    CHECK(packed_elements(product("tt")).row_sizes == Sizes{0, 2});
    CHECK(packed_elements(product("tt")).block == 0);
    CHECK_THROWS_WITH(product("nt", "e3m2"), Contains("A and B have the same format"));
    const std::string nvfp4 = "scaled_matmul-e2m1-e2m1-nvfp4-nt-none-product-bf16-none-none-fp32_fma-high_first";
    CHECK(packed_elements(parse_operation(nvfp4)).row_sizes == Sizes{2, 2});
    CHECK(packed_elements(parse_operation(nvfp4)).element == &formats::e2m1);
}

TEST_CASE("scaled products of NVFP4 have scales of 16 elements in UE4M3 as well", "[operation]") {
    const ScaledMatmul nvfp4 = as_scaled_matmul(
        parse_operation("scaled_matmul-e2m1-e2m1-nvfp4-nt-none-product-bf16-none-none-blackwell_mxf4nvf4"));
    CHECK(nvfp4.has_blocks());
    CHECK(nvfp4.matmul.format.scale_a == &formats::ue4m3);
    CHECK(nvfp4.matmul.a_scale.along == 16);
    CHECK(nvfp4.matmul.b_scale.along == 16);
    CHECK_FALSE(nvfp4.by_lines);
    const auto refuses = [](const std::string& name, const std::string& why) {
        CHECK_THROWS_WITH(parse_operation(name), Contains(why));
    };
    refuses("scaled_matmul-e4m3-e2m1-nvfp4-nt-none-product-bf16-none-none-fp32_fma", "a 'e4m3': there are e2m1");
    refuses("scaled_matmul-e2m1-e2m1-tensor-nt-none-product-bf16-none-none-fp32_fma", "a 'e2m1': there are e4m3, e5m2");
    refuses("scaled_matmul-e2m1-e2m1-block-nt-none-product-bf16-none-none-fp32_fma",
            "scales 'block': there are tensor, line, nvfp4");
    refuses("scaled_matmul-e2m1-e2m1-nvfp4-nt-none-product-bf16-none-none-hopper_fp8_f32", "does not take these");
}

TEST_CASE("an operation may say where its scales lie", "[operation]") {
    const std::string name = "quantize-bf16-e2m1-e8m0-ocp_floor-nearest_even-sat-row-32";
    const Operation rows = parse_operation(name);
    CHECK(laid_out_scales(rows).is_linear());
    CHECK(rows.value("layout") == "linear");
    const Operation swizzled = parse_operation(name + "-swizzle_128x4");
    CHECK(to_string(swizzled) == name + "-swizzle_128x4");
    CHECK(swizzled.value("layout") == "swizzle_128x4");
    CHECK(swizzled.value("packing") == "bytes");
    CHECK_FALSE(packed_elements(swizzled).packs());
    CHECK(laid_out_scales(swizzled).layout == &find_layout("swizzle_128x4"));
    CHECK(laid_out_scales(swizzled).scales({3, 65}, 0) == Extent{3, 3});
    CHECK_FALSE(swizzled == rows);
    CHECK(parse_operation(name + "-linear") == rows);
    // With packed elements too, the packing first whatever the order of the attributes.
    const Operation both = parse_operation(name + "-low_first-swizzle_128x4");
    CHECK(to_string(both) == name + "-low_first-swizzle_128x4");
    CHECK(both.value("packing") == "low_first");
    CHECK(both.value("layout") == "swizzle_128x4");
    const Operation columns = parse_operation("dequantize-e4m3-e8m0-fp32-column-any-swizzle_128x4_columnwise");
    CHECK(laid_out_scales(columns).scales({65, 3}, 16) == Extent{5, 3});
    CHECK(laid_out_scales(parse_operation("scaling-te_current")).is_linear());
    const Operation nvfp4 = parse_operation("quantize_nvfp4-bf16-te_nvfp4-1x16-decode-low_first-swizzle_128x4");
    CHECK(laid_out_scales(nvfp4).scales({3, 65}, 0) == Extent{3, 5});
    CHECK(packed_elements(nvfp4).packing == &find_packing("low_first"));
    const auto refuses = [](const std::string& name, const std::string& why) {
        CHECK_THROWS_WITH(parse_operation(name), Contains(why));
    };
    refuses(name + "-low_first-swizzle_128x5", "did you mean swizzle_128x4");
    refuses(name + "-padded_128x4", "its padding is left undefined");
    refuses(name + "-swizzle_128x4-swizzle_128x4", "twice");
    refuses(name + "-low_first-swizzle_128x4-bytes-none", "quantize has 8 attributes, there are 12");
    refuses("quantize_2d-bf16-e4m3-e8m0-rceil-nearest_even-sat-32x32-swizzle_128x4", "unknown packing");
}

TEST_CASE("a quantizer may activate its values first", "[operation]") {
    const std::string name = "quantize-bf16-e2m1-e8m0-ocp_floor-nearest_even-sat-row-32";
    CHECK(parse_operation(name).value("activation") == "none");
    CHECK(as_quantize(parse_operation(name)).activation == Activation::none);
    CHECK(parse_operation(name + "-none") == parse_operation(name));
    const Operation relu = parse_operation(name + "-relu");
    CHECK(to_string(relu) == name + "-relu");
    CHECK(as_quantize(relu).activation == Activation::relu);
    CHECK_FALSE(relu == parse_operation(name));
    // Before a packing and a layout, whatever the order.
    const Operation all = parse_operation(name + "-low_first-srelu-swizzle_128x4");
    CHECK(to_string(all) == name + "-srelu-low_first-swizzle_128x4");
    CHECK(as_quantize(all).activation == Activation::srelu);
    CHECK(packed_elements(all).packing == &find_packing("low_first"));
    CHECK(laid_out_scales(all).layout == &find_layout("swizzle_128x4"));
    const auto refuses = [](const std::string& name, const std::string& why) {
        CHECK_THROWS_WITH(parse_operation(name), Contains(why));
    };
    refuses(name + "-gelu", "no answer to the bit");
    refuses(name + "-relu-srelu", "twice");
    refuses("dequantize-e4m3-e8m0-fp32-row-32-relu", "unknown packing");
    refuses("quantize_2d-bf16-e4m3-e8m0-rceil-nearest_even-sat-32x32-relu", "unknown packing");
}

TEST_CASE("an operation that cannot be says why", "[operation]") {
    const auto refused = [](const char* name, const Attributes& attributes) -> std::string {
        try {
            static_cast<void>(make_operation(name, attributes));
        } catch (const std::invalid_argument& error) {
            return error.what();
        }
        return "accepted";
    };
    CHECK_THAT(refused("quantise", quantizing), Contains("unknown operation 'quantise'; did you mean quantize?"));
    Attributes more = quantizing;
    more.emplace_back("rule", "ceil");
    CHECK_THAT(refused("quantize", more), Contains("attribute 'rule' is there twice"));
    more.back() = {"colour", "red"};
    CHECK_THAT(refused("quantize", more), Contains("quantize has no attribute 'colour'"));
    more = quantizing;
    more.pop_back();
    CHECK_THAT(refused("quantize", more), Contains("quantize needs the attribute 'block'"));
    CHECK_THAT(refused("quantize", with(quantizing, "axis", "")), Contains("attribute 'axis' is empty"));
    CHECK_THAT(refused("quantize", with(quantizing, "axis", "diagonal")), Contains("axis 'diagonal'"));
    for (const char* block : {"0", "1025", "32x", "-1", "all"})
        CHECK_THAT(refused("quantize", with(quantizing, "block", block)), Contains("neither 'any' nor a size"));
    CHECK_THAT(refused("quantize", with(quantizing, "scale", "fp32")), Contains("scale 'fp32': there is e8m0"));
    CHECK_THAT(refused("quantize", with(quantizing, "source", "fp64")), Contains("fp64"));
    CHECK_THAT(refused("quantize", with(quantizing, "rule", "nearest_even")), Contains("nearest_even"));
    CHECK_THAT(refused("layout", {{"layout", "swizle_128x4"}, {"direction", "arrange"}}), Contains("swizzle_128x4"));
    CHECK_THAT(refused("layout", {{"layout", "linear"}, {"direction", "there"}}), Contains("direction 'there'"));
}

TEST_CASE("a profile judges the operations that are made of what it judges", "[operation]") {
    const Operation rceil = make_operation("quantize", quantizing);
    const Operation floor = make_operation("quantize", with(quantizing, "rule", "ocp_floor"));
    CHECK(covers(find_profile("nvidia-te"), rceil));
    CHECK_FALSE(covers(find_profile("nvidia-te"), floor));
    CHECK_FALSE(covers(find_profile("ocp"), rceil));
    CHECK(covers(find_profile("ocp"), floor));
    CHECK_FALSE(covers(find_profile("llvm"), floor));
    const Operation layout =
        make_operation("layout", Attributes{{"layout", "swizzle_128x4"}, {"direction", "restore"}});
    CHECK(covers(find_profile("nvidia-te"), layout));
    CHECK_FALSE(covers(find_profile("ocp"), layout));
}
