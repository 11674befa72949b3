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
                for (const LayerOperand* operand : {&layer.left, &layer.right}) {
                    CAPTURE(name, to_string(product), source->name, to_string(operand->tensor));
                    const CodeMatrix values = random_tensor(*source, sizes.of(operand->tensor), random);
                    const Scales scales{0x3C000000, 0x43000000};
                    const LayerQuantized exactly = exact::quantize(*operand, values, scales);
                    const LayerQuantized by_machine = fast::quantize(*operand, values, scales);
                    REQUIRE(by_machine.elements == exactly.elements);
                    REQUIRE(by_machine.scales == exactly.scales);
                    // Of an Inf or NaN among the values it may be NaN.
                    const auto same = [](Code a, Code b) { return a == b || (fp32.is_nan(a) && fp32.is_nan(b)); };
                    REQUIRE(same(by_machine.tensor.amax, exactly.tensor.amax));
                    REQUIRE(same(by_machine.tensor.encode, exactly.tensor.encode));
                    REQUIRE(same(by_machine.tensor.decode, exactly.tensor.decode));
                    for (const Format* target : sources) {
                        CAPTURE(target->name);
                        REQUIRE(fast::dequantize(*operand, exactly, *target) ==
                                exact::dequantize(*operand, exactly, *target));
                    }
                }
            }
}
