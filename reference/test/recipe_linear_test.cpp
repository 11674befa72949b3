// SPDX-License-Identifier: Apache-2.0
// The operands of a linear layer: that exact arithmetic and the machine's say the same.
#include <algorithm>
#include <array>
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

TEST_CASE("gradients in NVFP4 are rounded by given random bits, their scales are not", "[recipe]") {
    LayerProduct layer = layer_product("te_nvfp4", Product::dgrad, bf16, e2m1, e2m1, ue4m3);
    layer.left.rounding = Rounding::stochastic_a;
    layer.left.random_bits = 16;
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
