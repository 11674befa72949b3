// SPDX-License-Identifier: Apache-2.0
#include <set>
#include <string>
#include <vector>

#include "catch.hpp"
#include "conformance/cases/reproduce.hpp"
#include "conformance/suites/linear/faults.hpp"
#include "conformance/test/certify_plugin.hpp"
#include "conformance/verdict/exit_code.hpp"
#include "reference/exact/exact.hpp"
#include "reference/exact/recipe/linear.hpp"
#include "reference/fast/recipe/linear.hpp"

using namespace mxcert;
using namespace mxcert::suites;
using Catch::Matchers::Contains;

namespace {

/// The rows of the test's layer with a fault.
std::vector<verdict::Row> certify_with(const std::string& fault, const std::string& filter,
                                       Level level = Level::smoke) {
    return test::certify_plugin(MXCERT_TEST_LINEAR_LAYER, fault, "products", filter, 16, level);
}

// The operations of the test's layer.
const std::string wgrad = "linear-bf16-te_mxfp8_hybrid-wgrad-e5m2-e4m3-e8m0-none-fp32-fp32-fp32_multiply_add-given";
const std::string fprop = "linear-fp32-te_mxfp8-fprop-e4m3-e4m3-e8m0-none-none-bf16-fp32_fma-any";
const std::string dgrad =
    "linear-fp16-nvidia_pretraining_e5m2_gradients-dgrad-e5m2-e4m3-e8m0-none-none-fp32-blackwell_mxf8f6f4-given";
const std::string tiles = "linear-bf16-te_float8_block-fprop-e4m3-e4m3-fp32-fp32-none-bf16-fp32_pairwise-given";
const std::string given = "linear-fp16-given-wgrad-e5m2-e4m3-fp32-none-fp32-fp32-exact-given";
const std::string deepseek = "linear-bf16-deepseek_v3-dgrad-e4m3-e4m3-fp32-none-none-fp32-fp32_fma-given";
const std::string nvfp4 = "linear-bf16-te_nvfp4-fprop-e2m1-e2m1-ue4m3-none-none-bf16-blackwell_mxf4nvf4-given";
const std::string nvfp4_wgrad = "linear-bf16-te_nvfp4-wgrad-e2m1-e2m1-ue4m3-none-none-fp32-fp32_multiply_add-any";
const std::string nvfp4_hadamard =
    "linear-bf16-te_nvfp4_hadamard-wgrad-e2m1-e2m1-ue4m3-none-none-fp32-blackwell_mxf4nvf4-given";
const std::string nvfp4_random = nvfp4_hadamard + "-stochastic_a16_given";
const std::string nvfp4_random_dgrad =
    "linear-bf16-te_nvfp4-dgrad-e2m1-e2m1-ue4m3-none-none-bf16-fp32_fma-given-stochastic_b8_given";
const std::string nvfp4_torchao = "linear-fp32-torchao_nvfp4-dgrad-e2m1-e2m1-ue4m3-bf16-none-fp32-fp32_fma-given";
const std::string nexus = "linear-fp32-nexus_32-dgrad-e5m2-e4m3-fp32-bf16-none-fp32-fp32_fma-any";

/// What a layer of NVFP4 has unlike the one below.
const std::vector<std::pair<std::string, std::string>> te_nvfp4_fprop{
    {"recipe", "te_nvfp4"}, {"left", "e2m1"}, {"right", "e2m1"}, {"scale", "ue4m3"}};

Operation operation_of(const std::vector<std::pair<std::string, std::string>>& changed) {
    std::vector<std::pair<std::string, std::string>> attributes{
        {"source", "bf16"}, {"recipe", "te_mxfp8"},      {"product", "fprop"},    {"left", "e4m3"},
        {"right", "e4m3"},  {"scale", "e8m0"},           {"dequantized", "none"}, {"c", "none"},
        {"output", "fp32"}, {"accumulator", "fp32_fma"}, {"order", "given"}};
    for (const auto& [key, value] : changed)
        for (auto& [name, old] : attributes)
            if (name == key) old = value;
    return make_operation("linear", attributes);
}

/// A product of gradients in NVFP4, rounded so.
Operation random_gradients(const std::string& rounding, const std::string& product = "dgrad",
                           const std::string& recipe = "te_nvfp4") {
    Operation operation = operation_of({{"recipe", recipe},
                                        {"product", product},
                                        {"left", "e2m1"},
                                        {"right", "e2m1"},
                                        {"scale", "ue4m3"},
                                        {"dequantized", recipe::epilogue_of(recipe).empty() ? "fp32" : "none"}});
    std::vector<std::pair<std::string, std::string>> attributes;
    for (std::size_t i = 0; i < operation.values.size(); ++i)
        attributes.emplace_back(operation.info->attributes[i], operation.values[i]);
    attributes.emplace_back("rounding", rounding);
    return make_operation("linear", attributes);
}

} // namespace

namespace {

void check_passing(Level level) {
    const std::vector<verdict::Row> rows = certify_with("", "*", level);
    CHECK(rows.size() == 28);
    std::set<std::string> digests;
    for (const verdict::Row& row : rows) {
        INFO(row.id << ": " << row.reason);
        CHECK(row.status == Status::pass);
        CHECK(row.compared > 500);
        CHECK(row.sample == (level == Level::smoke || row.id.ends_with("/values")));
        CHECK(digests.insert(row.observed_sha256).second);
    }
    CHECK(verdict::exit_code(rows) == 0);
}

} // namespace

TEST_CASE("the products of a layer without a fault pass every row", "[operation][linear][values]") {
    check_passing(Level::smoke);
}
TEST_CASE("the products of a layer without a fault pass every row at level quick", "[.][exhaustive]") {
    check_passing(Level::quick);
}

namespace {

struct PlantedInLayer {
    const char* fault;
    const std::string& operation;
    const char* named; ///< in the reason
    const char* part = "/values";
};

/// One in so many of the faults. Some show only in the large cases of level quick.
void check_faults(std::size_t one_in, Level level) {
    const PlantedInLayer planted[] = {
        {"left in blocks across the sum", wgrad, "left in blocks across the sum"},
        {"right in blocks across the sum", dgrad, "right in blocks across the sum"},
        {"both in blocks across the sum", nexus, "both in blocks across the sum"},
        {"columns made of quantized rows", wgrad, "columns made of quantized rows"},
        {"columns made of quantized rows", dgrad, "columns made of quantized rows"},
        {"left not quantized", fprop, "left not quantized"},
        {"both not quantized", given, "both not quantized"},
        {"left in e4m3", wgrad, "left in e4m3"},
        {"both in e5m2", tiles, "both in e5m2"},
        {"the scale rule ocp_floor", fprop, "the scale rule ocp_floor"},
        {"the scale rule even", wgrad, "the scale rule even"},
        {"the recipe absmax", tiles, "the recipe absmax"},
        {"the recipe deepseek_v3", tiles, "the recipe deepseek_v3"},
        // The gradient that is accumulated.
        {"c kept in e4m3", wgrad, "c kept in e4m3"},
        {"c kept in e5m2", given, "c kept in e5m2"},
        {"c kept in bf16", wgrad, "c kept in bf16"},
        {"D kept in e5m2", wgrad, "D kept in e5m2"},
        {"D kept in fp16", dgrad, "D kept in fp16"},
        {"every block has the first scale of its tensor", deepseek, "the first scales for all blocks"},
        {"every block has the first scale of its tensor", dgrad, "the first scales for all blocks"},
        {"the scales of the right tensor of the next block", deepseek, "the scales of B one place further"},
        {"NaN dropped", deepseek, "NaN taken for zero", "/special"},
        // A sum in any order has no bound where its operands are special: nothing is said of what explains it.
        {"NaN dropped", fprop, "", "/special"},
        {"Inf as the largest value", deepseek, "Inf taken for the largest value", "/special"},
        {"scale and inverse swapped", given, "a scale taken for its inverse"},
        {"one element of one product", wgrad, ""},
        {"right in blocks of 16", nvfp4, "right in blocks of 16"},
        {"left in tiles of 16 x 16", nvfp4, "left in tiles of 16 x 16"},
        {"both in tiles of 16 x 16", nvfp4_wgrad, "both in tiles of 16 x 16"},
        {"left not transformed", nvfp4_hadamard, "left not transformed"},
        {"transformed without signs", nvfp4_hadamard, "transformed without signs"},
        {"the recipe te_nvfp4", nvfp4_hadamard, "the recipe te_nvfp4"},
        {"both in blocks across the sum", nvfp4_wgrad, "both in blocks across the sum"},
        {"left in blocks across the sum", nvfp4_torchao, "left in blocks across the sum"},
        {"the amax of the right tensor left out", nvfp4, "the amax of the right tensor left out"},
        {"the amaxes of both tensors left out", nvfp4_wgrad, "the amaxes of both tensors left out"},
        {"the amax of the left tensor for both", nvfp4, "the amax of the left tensor for both"},
        {"the recipe torchao_nvfp4", nvfp4, "the recipe torchao_nvfp4"},
        {"the recipe te_nvfp4_1d_weights", nvfp4_torchao, "the recipe te_nvfp4_1d_weights"},
        {"right not quantized", nvfp4_torchao, "right not quantized"},
        {"the scales of the right tensor of the next block", nvfp4, "the scales of B one place further"},
        {"NaN dropped", nvfp4, "NaN taken for zero", "/special"},
        {"random bits ignored", nvfp4_random, "random bits ignored"},
        {"random bits ignored", nvfp4_random_dgrad, "random bits ignored"},
        {"the first random word for all values", nvfp4_random_dgrad, "the first random word for all values"},
        {"the first random word of each block for all its values", nvfp4_random,
         "the first random word of each block for all its values"},
        {"the random words of the first line for all lines", nvfp4_random,
         "the random words of the first line for all lines"},
        {"right rounded at random in the place of left", nvfp4_random, "right rounded at random in the place of left"},
        {"both rounded at random", nvfp4_random_dgrad, "both rounded at random"},
        {"the recipe te_nvfp4", nvfp4_random, "the recipe te_nvfp4"},
    };
    for (std::size_t i = 0; i < std::size(planted); i += one_in) {
        const PlantedInLayer& planted_in_layer = planted[i];
        INFO(planted_in_layer.fault << " in " << planted_in_layer.operation);
        test::check_caught(
            certify_with(planted_in_layer.fault, planted_in_layer.operation + planted_in_layer.part, level), "element",
            planted_in_layer.named);
    }
}

} // namespace

TEST_CASE("faults of a layer are caught by a named case, and named", "[operation][linear][values]") {
    check_faults(13, Level::smoke);
}
TEST_CASE("each fault of a layer is caught by a named case, and named", "[.][exhaustive]") {
    check_faults(1, Level::quick);
}

namespace {

/// Plants every `step`-th fault of vectors of D.
void check_vectors(std::size_t step) {
    const char* const planted[] = {"vectors of -0", "vectors of NaN", "vectors of the largest", "beside zeros",
                                   "beside NaN",    "beside -0",      "beside the largest",     "beside subnormals"};
    for (std::size_t number = 0; number < std::size(planted); number += step)
        test::check_caught(certify_with(std::string(planted[number]) + " in D", wgrad + "/special", Level::quick),
                           "element", "");
}

} // namespace

TEST_CASE("vectors of D that have one kind of value are asked of layers", "[operation][linear][values]") {
    check_vectors(3);
}
TEST_CASE("vectors of D that have any one kind of value are asked of layers", "[.][exhaustive]") { check_vectors(1); }

TEST_CASE("a layer may refuse sizes that do not divide, and no others", "[operation][linear][values]") {
    const std::vector<verdict::Row> rows = certify_with("refuses tails", dgrad + "/values");
    REQUIRE(rows.size() == 1);
    CHECK(rows[0].status == Status::pass);
    CHECK_THAT(rows[0].reason, Contains("refused, as it may: 5 products of sizes that do not divide"));
}

TEST_CASE("every fault of a layer makes a difference to some layer, and each name is its own",
          "[linear][.][exhaustive]") {
    const std::string e4m3 = "e4m3";
    const std::string e5m2 = "e5m2";
    const Operation layers[] = {
        operation_of({{"recipe", "te_mxfp8_hybrid"}, {"product", "wgrad"}, {"left", e5m2}, {"c", "fp32"}}),
        operation_of({{"recipe", "nvidia_pretraining_e5m2_gradients"}, {"product", "wgrad"}, {"left", e5m2}}),
        operation_of({{"recipe", "te_mxfp8"}}),
        operation_of({{"recipe", "nvidia_pretraining"}}),
        operation_of({{"recipe", "nexus_32"}, {"scale", "fp32"}}),
        operation_of({{"recipe", "nexus_64"}, {"scale", "fp32"}, {"left", e5m2}, {"right", e5m2}}),
        operation_of({{"recipe", "given"}, {"scale", "fp32"}}),
        operation_of({{"recipe", "torchao_dynamic"}, {"scale", "fp32"}}),
        operation_of(te_nvfp4_fprop),
        operation_of({{"recipe", "te_nvfp4_1d_weights"},
                      {"product", "wgrad"},
                      {"left", "e2m1"},
                      {"right", "e2m1"},
                      {"scale", "ue4m3"},
                      {"accumulator", "fp32_multiply_add"}}),
        operation_of({{"recipe", "te_nvfp4_hadamard"},
                      {"product", "wgrad"},
                      {"left", "e2m1"},
                      {"right", "e2m1"},
                      {"scale", "ue4m3"},
                      {"accumulator", "fp32_multiply_add"}}),
        random_gradients("stochastic_a16_given")};
    std::set<std::string> names;
    for (const LinearFault& fault : linear_faults()) {
        CAPTURE(fault.name);
        CHECK(names.insert(fault.name).second);
        bool found = false;
        for (const Operation& layer : layers) {
            const Linear linear = as_linear(layer);
            const auto try_case = [&](const LinearCase& linear_case) {
                LinearCase with_c = linear_case;
                for (std::size_t at = 0; at < with_c.c.size(); ++at) with_c.c[at] = 0x3FC90FDB + at;
                const auto edited = fault.edit(layer, with_c);
                if (!edited) return !found;
                const MatmulCase before = product_of(linear, with_c);
                const MatmulCase after = product_of(*edited);
                found = found || edited->kept != nullptr || before.a != after.a || before.b != after.b ||
                        before.scales_a != after.scales_a || before.scales_b != after.scales_b || before.c != after.c ||
                        before.tensor_a != after.tensor_a || before.tensor_b != after.tensor_b;
                return !found;
            };
            for_each_value_case(linear, 1, 1, try_case);
            if (!found) for_each_special_case(linear, 1, try_case);
        }
        // The MXFP8 recipes of the same elements differ at one amax of FP32, which no case has.
        const bool alike = fault.name.find("recipe te_mxfp8") != std::string::npos ||
                           fault.name.find("recipe nvidia_pretraining") != std::string::npos;
        CHECK(found != alike);
    }
}

TEST_CASE("a written case whose elements a recipe leaves open is not judged", "[operation][linear]") {
    // What code an element has under a scale that is NaN is not said by torchao's source.
    const auto run = [](const std::string& id, const std::string& values) {
        const auto layer = test::open_plugin(MXCERT_TEST_LINEAR_LAYER, "");
        verdict::GoldenSource golden;
        verdict::CertifyOptions options;
        options.profiles = {"products"};
        options.reproduce = cases::parse_reproduction(id + "/special@" + values);
        return certify::certify(*layer, certify::make_plan(*layer, options, golden), options, {});
    };
    const std::string ones = "0x3F800000*1024";
    const std::vector<verdict::Row> open = run(nvfp4_torchao, "32x32x32=0x7FC00000,0x3F800000*1023/" + ones);
    REQUIRE(open.size() == 1);
    CHECK(open[0].status == Status::untested);
    CHECK_THAT(open[0].reason, Contains("the recipe leaves open"));
    CHECK(run(nvfp4_torchao, "32x32x32=" + ones + "/" + ones).at(0).status == Status::pass);
}

TEST_CASE("a layer that cannot be is refused with the reason", "[linear]") {
    const auto refused = [](const std::vector<std::pair<std::string, std::string>>& changed, const std::string& why) {
        CHECK_THROWS_WITH(operation_of(changed), Contains(why));
    };
    refused({{"recipe", "te_mxfp9"}}, "te_mxfp8");
    refused({{"product", "forward"}}, "there are fprop, dgrad, wgrad");
    refused({{"left", "e5m2"}}, "left 'e5m2': the recipe te_mxfp8 has e4m3");
    refused({{"scale", "fp32"}}, "scale 'fp32': the recipe te_mxfp8 has e8m0");
    refused({{"recipe", "absmax"}}, "no powers of two");
    refused({{"source", "fp64"}}, "source 'fp64'");
    refused({{"dequantized", "fp64"}}, "dequantized 'fp64'");
    refused({{"accumulator", "hopper_fp8_f32"}}, "does not take these formats");
    refused({{"accumulator", "hopper"}}, "hopper_fp8_f32");
    refused({{"c", "fp16"}}, "c 'fp16': there are none, fp32");
    refused({{"order", "some"}}, "order 'some'");
    refused({{"left", "e2m1"}}, "left 'e2m1': the recipe te_mxfp8 has e4m3");
    refused({{"recipe", "deepseek_v3"}, {"scale", "ue4m3"}}, "the recipe deepseek_v3 has no such scales");
    refused({{"recipe", "deepseek_v3"}, {"scale", "fp32"}, {"right", "e2m1"}}, "has no such elements");
    refused({{"recipe", "te_nvfp4"}}, "left 'e4m3': the recipe te_nvfp4 has e2m1");
    const auto refused_nvfp4 = [&](std::vector<std::pair<std::string, std::string>> changed, const std::string& why) {
        changed.insert(changed.begin(), te_nvfp4_fprop.begin(), te_nvfp4_fprop.end());
        refused(changed, why);
    };
    refused_nvfp4({{"recipe", "modelopt_nvfp4"}}, "how the sums of the recipe modelopt_nvfp4 are scaled is not said");
    refused_nvfp4({{"recipe", "te_nvfp4_hadamard"}, {"source", "fp32"}},
                  "source 'fp32': the recipe te_nvfp4_hadamard has bf16");
    refused_nvfp4({{"c", "fp32"}}, "without C");
    refused_nvfp4({{"accumulator", "fp16_fma"}}, "does not give FP32");
    refused_nvfp4({{"output", "e4m3"}}, "output 'e4m3': there are fp32, fp16, bf16");
    refused({{"recipe", "given"}, {"scale", "fp16"}}, "scale 'fp16': the recipe given has fp32");
    const std::string only = "only gradients by the recipes te_nvfp4* have it, by given random bits";
    CHECK_THROWS_WITH(random_gradients("stochastic_a16"), Contains(only));
    CHECK_THROWS_WITH(random_gradients("stochastic_a16_given", "fprop"), Contains(only));
    CHECK_THROWS_WITH(random_gradients("stochastic_a16_given", "dgrad", "torchao_nvfp4"), Contains(only));
    CHECK_THROWS_AS(random_gradients("stochastic_given"), std::invalid_argument);
    CHECK_THROWS_AS(random_gradients("toward_zero_given"), std::invalid_argument);
}

namespace {

/// The row of a written case: gradients 1, 1.25 ... of each block, weights 1, and the words of the gradients.
verdict::Row certify_words(const std::string& fault, const std::string& words) {
    const auto layer = test::open_plugin(MXCERT_TEST_LINEAR_LAYER, fault);
    verdict::GoldenSource golden;
    verdict::CertifyOptions options;
    options.profiles = {"products"};
    std::string gradients;
    for (int i = 0; i < 256; ++i) gradients += "0x3F80,0x3FA0,0x40C0,0x3F90,";
    gradients.pop_back();
    options.reproduce =
        cases::parse_reproduction(nvfp4_random_dgrad + "/special@32x32x32=" + gradients + "/0x3F80*1024/" + words);
    const std::vector<verdict::Row> rows =
        certify::certify(*layer, certify::make_plan(*layer, options, golden), options, {});
    REQUIRE(rows.size() == 1);
    return rows[0];
}

} // namespace

TEST_CASE("random bits that nobody looks at, or that are taken twice, are caught and named", "[operation][linear]") {
    const std::string words = "0x000000A3*2,0x000000FF*17,0x00000001*1005";
    CHECK(certify_words("", words).status == Status::pass);
    for (const std::string fault : {"random bits ignored", "the first random word for all values",
                                    "right rounded at random in the place of left"}) {
        const verdict::Row row = certify_words(fault, words);
        INFO(fault << ": " << row.reason);
        CHECK(row.status == Status::fail);
        CHECK_THAT(row.reason, Contains(fault));
    }
}

TEST_CASE("a random word has no more bits than the rounding takes", "[operation][linear]") {
    const verdict::Row row = certify_words("", "0x000000FF*1023,0x00000100");
    CHECK(row.status == Status::untested);
    CHECK_THAT(row.reason, Contains("a random word of more than 8 bits: 0x100"));
}

TEST_CASE("the operands of a layer lie along its sum", "[linear]") {
    for (const std::string_view name : recipe::layer_recipes()) {
        const bool is_mx =
            name.find("mxfp8") != std::string_view::npos || name.find("nvidia") != std::string_view::npos;
        for (const recipe::Product which : {recipe::Product::fprop, recipe::Product::dgrad, recipe::Product::wgrad}) {
            const std::string product(to_string(which));
            CAPTURE(name, product);
            const recipe::LayerFormats usual = recipe::usual_formats(name, which);
            const bool is_nvfp4 = usual.left == &formats::e2m1;
            const Linear linear = as_linear(
                operation_of({{"recipe", std::string(name)},
                              {"product", product},
                              {"left", std::string(usual.left->name)},
                              {"right", std::string(usual.right->name)},
                              {"scale", std::string(usual.scale->name)},
                              {"dequantized", is_nvfp4 && recipe::epilogue_of(name).empty() ? "fp32" : "none"}}));
            const MatmulShape shape = linear.shape({64, 96, 160});
            const auto& [product_of, left, right] = linear.operands;
            const recipe::LayerSizes sizes{64, 96, 160};
            CHECK(shape.m * shape.k == sizes.of(left.tensor).rows * sizes.of(left.tensor).columns);
            CHECK(shape.k * shape.n == sizes.of(right.tensor).rows * sizes.of(right.tensor).columns);
            CHECK(shape.m * shape.n * shape.k == 64 * 96 * 160);
            // No block of the left operand has two rows of it, unless it has a tile of weights or all of a tensor.
            if (left.block.rows == 1 || left.block.columns == 1) CHECK(linear.matmul.a_scale.across == 1);
            if (is_mx) {
                CHECK(linear.matmul.a_scale.along == 32);
                CHECK(linear.matmul.b_scale.along == 32);
            }
            if (linear.dequantized != nullptr) continue;
            CHECK(shape.a_scales() == count(scales_of(sizes.of(left.tensor), left.block), "scales"));
            CHECK(shape.b_scales() == count(scales_of(sizes.of(right.tensor), right.block), "scales"));
        }
    }
}

TEST_CASE("an operand that is not quantized has its own values", "[linear]") {
    for (const Format* scale : {&formats::fp32, &formats::fp16, &formats::bf16, &formats::e8m0}) {
        CAPTURE(scale->name);
        recipe::LayerOperand operand;
        operand.source = operand.element = &formats::bf16;
        operand.scale = scale;
        operand.block = shapes::per_tensor;
        const recipe::CodeMatrix values{1, 3, {0x3F81, 0xC2F7, 0}};
        for (const recipe::LayerQuantized& quantized :
             {exact::quantize(operand, values), fast::quantize(operand, values)}) {
            CHECK(quantized.elements == values);
            REQUIRE(quantized.scales.size() == 1);
            CHECK(exact::decode(*scale, quantized.scales[0]).magnitude == 1);
        }
    }
}

TEST_CASE("a NaN is in the amax of a tensor where torch.max finds it, and not where fmaxf does", "[linear]") {
    const recipe::CodeMatrix values{1, 3, {0x3F80, 0x7FC0, 0x43E0}}; // 1, NaN, 448
    const auto scale_of = [&](const std::string& recipe) {
        const auto product = recipe::layer_product(recipe, recipe::Product::fprop, formats::bf16, formats::e4m3,
                                                   formats::e4m3, formats::fp32);
        const recipe::LayerQuantized quantized = exact::quantize(product.left, values);
        CHECK(quantized.scales.size() == 1);
        CHECK(formats::fp32.is_nan(quantized.scales[0]) ==
              formats::fp32.is_nan(fast::quantize(product.left, values).scales[0]));
        return quantized.scales[0];
    };
    CHECK(scale_of("te_current") == 0x3F800000);
    CHECK(formats::fp32.is_nan(scale_of("torchao_dynamic")));
}
