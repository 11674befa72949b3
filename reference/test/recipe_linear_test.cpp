// SPDX-License-Identifier: Apache-2.0
// The operands of a linear layer: that exact arithmetic and the machine's say the same.
#include <algorithm>
#include <array>
#include <stdexcept>
#include <string>
#include <vector>

#include "catch.hpp"
#include "reference/base/random.hpp"
#include "reference/exact/recipe/linear.hpp"
#include "reference/fast/recipe/linear.hpp"

using namespace mxcert;
using namespace mxcert::recipe;
using namespace mxcert::formats;

namespace {

constexpr std::array sources{&fp32, &bf16, &fp16};

/// Every code of a format of 16 bits. Of fp32 what lies next to the values and ties of the two others, and any.
std::vector<Code> values_of(const Format& source) {
    std::vector<Code> codes;
    if (&source != &fp32) {
        for (Code code = 0; code <= source.last_code(); ++code) codes.push_back(code);
        return codes;
    }
    SplitMix64 random(11);
    for (Code field = 0; field < 256; ++field)
        for (const Code step : {Code{1} << 12U, Code{1} << 15U})
            for (int i = 0; i < 8; ++i) {
                const Code tie = (field << 23U | (random() & 0x7FFFFF)) / step * step;
                for (const Code code : {tie - 1, tie, tie + 1}) {
                    codes.push_back(code & 0x7FFFFFFF);
                    codes.push_back(code | 0x80000000);
                }
            }
    // The ties above the largest values of bf16 and fp16, and NaN with any payload.
    for (const Code code : {0x7F7F7FFFU, 0x7F7F8000U, 0x477FEFFFU, 0x477FF000U, 0x7F800000U, 0x7F800001U, 0xFFC12345U})
        codes.push_back(code);
    for (int i = 0; i < 100'000; ++i) codes.push_back(random() & 0xFFFFFFFF);
    return codes;
}

CodeMatrix random_tensor(const Format& source, const Extent& extent, SplitMix64& random) {
    CodeMatrix values{extent.rows, extent.columns, {}};
    for (std::size_t i = 0; i < extent.rows * extent.columns; ++i) {
        Code code = source.one_code() + random.below(source.one_code() / 8);
        if (random.below(300) == 0) code = source.inf_code() + random.below(2);
        values.codes.push_back(random.below(2) == 0 ? code : code | source.sign_bit());
    }
    return values;
}

} // namespace

TEST_CASE("what is not quantized goes to another format as it is, in both arithmetics", "[recipe][values]") {
    for (const Format* source : sources) {
        const std::vector<Code> codes = values_of(*source);
        const LayerQuantized quantized{{1, codes.size(), codes}, {unity}};
        LayerOperand operand;
        operand.source = operand.element = source;
        operand.scale = &fp32;
        operand.block = shapes::per_tensor;
        for (const Format* target : sources) {
            CAPTURE(source->name, target->name);
            const CodeMatrix exactly = exact::dequantize(operand, quantized, *target);
            const CodeMatrix by_machine = fast::dequantize(operand, quantized, *target);
            for (std::size_t i = 0; i < codes.size(); ++i) {
                CAPTURE(codes[i]);
                REQUIRE(by_machine.codes[i] == exactly.codes[i]);
                if (source == target && !source->is_nan(codes[i])) REQUIRE(exactly.codes[i] == codes[i]);
            }
        }
    }
}

namespace {

/// A product of gradients in NVFP4, which are rounded by so many given random bits.
LayerProduct rounded_at_random(unsigned bits) {
    LayerProduct layer = layer_product("te_nvfp4", Product::dgrad, bf16, e2m1, e2m1, ue4m3);
    layer.left.rounding = Rounding::stochastic_a;
    layer.left.random_bits = bits;
    return layer;
}

} // namespace

TEST_CASE("gradients in NVFP4 are rounded by given random bits, their scales are not", "[recipe]") {
    const LayerProduct layer = rounded_at_random(16);
    // The amax of the tensor, 2688, has the scale 1; so has that of the second block, 6. 2.25 lies between 2 and 3.
    CodeMatrix values{1, 32, std::vector<Code>(32, 0x4010)};
    values.codes[0] = 0x4528;
    values.codes[16] = 0x40C0;
    values.codes[17] = 0xC010;
    values.codes[31] = 0x7FC0; // NaN
    std::vector<Code> random(32, 0xBFFF);
    random[18] = 0xC000;
    random[19] = 0xFFFF;
    for (const bool by_machine : {false, true}) {
        const LayerQuantized quantized = by_machine ? fast::quantize(layer.left, values, {}, random)
                                                    : exact::quantize(layer.left, values, {}, random);
        const std::vector<Code>& elements = quantized.elements.codes;
        CHECK(quantized.scales == std::vector<Code>{0x7E, 0x38});
        CHECK(std::vector<Code>(elements.begin() + 16, elements.begin() + 21) ==
              std::vector<Code>{0x7, 0xC, 0x5, 0x5, 0x4});
        CHECK(elements[31] == 0x7);
    }
    CHECK_THROWS_AS(exact::quantize(layer.left, values), std::invalid_argument);
    CHECK_THROWS_AS(fast::quantize(layer.left, values), std::invalid_argument);
}

TEST_CASE("exact arithmetic and the machine's give the same operands of a layer", "[recipe][values]") {
    SplitMix64 random(12);
    const LayerSizes sizes{40, 33, 70};
    for (const std::string_view name : layer_recipes())
        for (const Product product : {Product::fprop, Product::dgrad, Product::wgrad})
            for (const Format* source : sources) {
                if (name == "te_nvfp4_hadamard" && source != &bf16) continue; // what it transforms is BF16
                const LayerFormats usual = usual_formats(name, product);
                const Format& left = usual.scale == &fp32 ? e5m2 : *usual.left;
                const LayerProduct layer = layer_product(name, product, *source, left, *usual.right, *usual.scale);
                std::vector<LayerOperand> operands{layer.left, layer.right};
                if (std::holds_alternative<Nvfp4>(layer.left.choices)) {
                    operands.push_back(layer.left);
                    operands.back().rounding = Rounding::stochastic_b;
                    operands.back().random_bits = 9;
                }
                std::vector<Code> words;
                for (int i = 0; i < 61; ++i) words.push_back(random() >> 55U);
                for (const LayerOperand& operand : operands) {
                    CAPTURE(name, to_string(product), source->name, to_string(operand.tensor));
                    const CodeMatrix values = random_tensor(*source, sizes.of(operand.tensor), random);
                    const Scales scales{0x3C000000, 0x43000000};
                    const LayerQuantized exactly = exact::quantize(operand, values, scales, words);
                    const LayerQuantized by_machine = fast::quantize(operand, values, scales, words);
                    REQUIRE(by_machine.elements == exactly.elements);
                    REQUIRE(by_machine.scales == exactly.scales);
                    // Of an Inf or NaN among the values it may be NaN.
                    const auto same = [](Code a, Code b) { return a == b || (fp32.is_nan(a) && fp32.is_nan(b)); };
                    REQUIRE(same(by_machine.tensor.amax, exactly.tensor.amax));
                    REQUIRE(same(by_machine.tensor.encode, exactly.tensor.encode));
                    REQUIRE(same(by_machine.tensor.decode, exactly.tensor.decode));
                    for (const Format* target : sources) {
                        CAPTURE(target->name);
                        REQUIRE(fast::dequantize(operand, exactly, *target) ==
                                exact::dequantize(operand, exactly, *target));
                    }
                }
            }
}

TEST_CASE("what is not quantized is its values, and one scale", "[recipe]") {
    LayerOperand operand;
    operand.source = operand.element = &bf16;
    operand.scale = &fp32;
    operand.block = shapes::per_tensor;
    const CodeMatrix values{1, 2, {0x3F80, 0xC000}};
    CHECK(exact::quantize(operand, values) == LayerQuantized{values, {unity}});
    CHECK(fast::quantize(operand, values) == LayerQuantized{values, {unity}});
    CHECK_FALSE(fast::has_open_elements(operand, values));
}

TEST_CASE("the current scale of a tensor is that of its recipe", "[recipe]") {
    const CodeMatrix of_3{1, 2, {0x3F800000, 0xC0400000}};
    const CodeMatrix of_0{1, 2, {0, 0}};
    // 3 / 448, or with the power of two below 448 / 3, which is 128; of zeros 1, or that of an amax of 1e-12.
    const struct {
        const char* name;
        Code of_3;
        Code of_0;
    } table[] = {{"te_current", 0x3BDB6DB7, unity},
                 {"te_current_power_of_two", 0x3C000000, unity},
                 {"torchao_dynamic", 0x3BDB6DB7, 0x2720D7C5}};
    for (const auto& row : table) {
        CAPTURE(row.name);
        const LayerOperand operand = layer_product(row.name, Product::fprop, fp32, e4m3, e4m3, fp32).left;
        CHECK(exact::quantize(operand, of_3).scales == std::vector<Code>{row.of_3});
        CHECK(exact::quantize(operand, of_0).scales == std::vector<Code>{row.of_0});
    }
}

TEST_CASE("a zero drawn at random has the sign that the recipe gives it", "[recipe]") {
    LayerProduct layer = rounded_at_random(8);
    // 6 makes the scale 1. 0, -0 and twice a negative number follow, which rounds to zero, or to -1/2.
    CodeMatrix values{1, 16, std::vector<Code>(16, 0x40C0)};
    values.codes[1] = 0;
    values.codes[2] = 0x8000;
    values.codes[3] = values.codes[4] = 0xBDCC;
    std::vector<Code> random(16, 0);
    random[4] = 0xFF;
    auto& choices = std::get<Nvfp4>(layer.left.choices);
    for (const ZeroSign sign : {ZeroSign::kept, ZeroSign::dropped, ZeroSign::input_dropped}) {
        choices.zero_sign = sign;
        CAPTURE(static_cast<int>(sign));
        const LayerQuantized quantized = fast::quantize(layer.left, values, {}, random);
        CHECK(quantized == exact::quantize(layer.left, values, {}, random));
        const std::vector<Code>& elements = quantized.elements.codes;
        CHECK(elements[1] == 0);
        CHECK(elements[2] == (sign == ZeroSign::kept ? 0x8 : 0));
        CHECK(elements[3] == (sign == ZeroSign::dropped ? 0 : 0x8));
        CHECK(elements[4] == 0x9);
    }
}

TEST_CASE("elements are open where a NaN, or the order of a transform, leaves them open", "[recipe]") {
    CodeMatrix values{16, 16, std::vector<Code>(256, 0x3F80)};
    CodeMatrix with_nan = values;
    with_nan.codes[17] = 0x7FC0;
    std::size_t open = 0;
    for (const std::string_view name : layer_recipes()) {
        const LayerFormats usual = usual_formats(name, Product::dgrad);
        const LayerOperand operand =
            layer_product(name, Product::dgrad, bf16, *usual.left, *usual.right, *usual.scale).left;
        CAPTURE(name);
        CHECK_FALSE(fast::has_open_elements(operand, values));
        const auto* choices = std::get_if<Nvfp4>(&operand.choices);
        if (choices == nullptr || choices->nan_open == 0) CHECK_FALSE(fast::has_open_elements(operand, with_nan));
        open += fast::has_open_elements(operand, with_nan) ? 1 : 0;
    }
    CHECK(open > 0);

    const LayerProduct wgrad = layer_product("te_nvfp4_hadamard", Product::wgrad, bf16, e2m1, e2m1, ue4m3);
    for (const LayerOperand& operand : {wgrad.left, turned(wgrad.left)}) {
        CHECK_FALSE(fast::has_open_elements(operand, values));
        CHECK(exact::quantize(operand, values) == fast::quantize(operand, values));
        CodeMatrix cancelling = values; // 2^40, -2^40 and 1: some order loses the 1
        cancelling.codes[0] = 0x5380;
        cancelling.codes[operand.along == Axis::row ? 1 : 16] = 0xD380;
        CHECK(fast::has_open_elements(operand, cancelling));
        // Every sum with a NaN is NaN: its element is open where that of a NaN is.
        CHECK_FALSE(fast::has_open_elements(operand, with_nan));
        CHECK(exact::quantize(operand, with_nan) == fast::quantize(operand, with_nan));
        LayerOperand of_open_nan = operand;
        std::get<Nvfp4>(of_open_nan.choices).nan_open = e2m1.sign_bit();
        CHECK(fast::has_open_elements(of_open_nan, with_nan));
        CHECK_FALSE(fast::has_open_elements(of_open_nan, values));
    }
    CHECK(turned(wgrad.left).along != wgrad.left.along);
    CHECK(turned(turned(wgrad.left)).block == wgrad.left.block);
}

TEST_CASE("a recipe of a layer refuses formats that it does not have", "[recipe]") {
    const auto refused = [](const char* recipe, const Format& left, const Format& scale, const Format& source = bf16) {
        try {
            static_cast<void>(layer_product(recipe, Product::wgrad, source, left, left, scale));
        } catch (const std::invalid_argument& error) {
            return std::string(error.what());
        }
        return std::string("accepted");
    };
    CHECK(refused("te_nvfp4", e2m1, ue4m3) == "accepted");
    CHECK(refused("te_nvfp4", e4m3, ue4m3) == "left 'e4m3': the recipe te_nvfp4 has e2m1");
    CHECK(refused("te_nvfp4", e2m1, e8m0) == "scale 'e8m0': the recipe te_nvfp4 has ue4m3");
    CHECK(refused("te_nvfp4_hadamard", e2m1, ue4m3, fp32) == "source 'fp32': the recipe te_nvfp4_hadamard has bf16");
    CHECK(refused("deepgemm", e2m1, fp32) == "e2m1: the recipe deepgemm has no such elements");
    CHECK(refused("deepgemm", e4m3, ue4m3) == "ue4m3: the recipe deepgemm has no such scales");
    CHECK(refused("deepgemm", e4m3, e8m0) == "scale 'e8m0': the scales of the recipe deepgemm are no powers of two");
    CHECK(refused("deepgemm_ue8m0", e4m3, e8m0) == "accepted");
    CHECK(refused("given", e4m3, e8m0) != "accepted");
    CHECK_THAT(refused("deepgem", e4m3, fp32), Catch::Contains("did you mean deepgemm"));
    CHECK_THROWS_WITH(usual_formats("deepgem", Product::fprop), Catch::Contains("did you mean deepgemm"));
    CHECK(epilogue_of("te_nvfp4") == "te_nvfp4");
    CHECK(epilogue_of("deepgemm").empty());
    CHECK(refused_by("te_nvfp4", {15, 16}));
    CHECK_FALSE(refused_by("te_nvfp4", {16, 32}));
    CHECK_FALSE(refused_by("deepgemm", {15, 16}));
    std::size_t strict = 0;
    for (const MxRecipe& recipe : mx_recipes()) strict += refused_by(recipe.name, {31, 33}) ? 1 : 0;
    CHECK(strict > 0);
    CHECK(strict < mx_recipes().size());
}
