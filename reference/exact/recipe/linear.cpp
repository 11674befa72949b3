// SPDX-License-Identifier: Apache-2.0
#include "reference/exact/recipe/linear.hpp"

#include <utility>

#include "reference/exact/block.hpp"
#include "reference/exact/recipe/float_block.hpp"
#include "reference/exact/recipe/hadamard.hpp"
#include "reference/exact/recipe/nvfp4.hpp"

namespace mxcert::exact {
namespace {

using recipe::CodeMatrix;
using recipe::FloatBlock;
using recipe::FloatQuantized;
using recipe::LayerOperand;
using recipe::LayerQuantized;
using recipe::Scales;

LayerQuantized quantize_mx_operand(const BlockChoices& choices, const LayerOperand& operand, const CodeMatrix& values) {
    LayerQuantized quantized{values, {}};
    recipe::for_each_block(values.extent(), operand.block, [&](std::size_t, const auto& places) {
        std::vector<Code> of_block;
        for (const std::size_t place : places) of_block.push_back(values.codes[place]);
        const QuantizedBlock block = quantize(BlockFormat{operand.source, operand.element}, choices, of_block);
        quantized.scales.push_back(block.scale);
        for (std::size_t i = 0; i < places.size(); ++i) quantized.elements.codes[places[i]] = block.elements[i];
    });
    return quantized;
}

CodeMatrix dequantize_mx_operand(const LayerOperand& operand, const LayerQuantized& quantized, const Format& target) {
    CodeMatrix values = quantized.elements;
    const Format& times = times_scale(*operand.element);
    recipe::for_each_block(values.extent(), operand.block, [&](std::size_t number, const auto& places) {
        for (const std::size_t place : places)
            values.codes[place] =
                converted(times, target, times.code_of(quantized.scales[number], values.codes[place]));
    });
    return values;
}

/// The elements by random words, which the scales do without.
void round_at_random(const recipe::Nvfp4& choices, const LayerOperand& operand, const CodeMatrix& values,
                     std::span<const Code> random, recipe::Nvfp4Quantized& quantized) {
    Choices to_element;
    to_element.rounding = operand.rounding;
    to_element.zero_sign = choices.zero_sign;
    recipe::for_each_block(values.extent(), operand.block, [&](std::size_t number, const auto& places) {
        for (const std::size_t place : places) {
            const Code value = converted(*operand.source, formats::fp32, values.codes[place]);
            const Code scaled = scaled_value_of(choices, quantized.tensor, quantized.scales[number], value);
            if (formats::fp32.is_nan(scaled)) continue; // an element of its own, however it is rounded
            quantized.elements.codes[place] = convert(formats::fp32, formats::e2m1, to_element, scaled,
                                                      {operand.random_bits, recipe::random_at(random, place)})
                                                  .code;
        }
    });
}

LayerQuantized quantize_nvfp4_operand(const recipe::Nvfp4& choices, const LayerOperand& operand,
                                      const CodeMatrix& values, std::span<const Code> random) {
    recipe::Nvfp4Quantized quantized =
        quantize(choices, *operand.source, operand.block, values, tensor_amax_of(choices, *operand.source, values));
    if (operand.random_bits != 0) round_at_random(choices, operand, values, random, quantized);
    return {std::move(quantized.elements), std::move(quantized.scales), quantized.tensor};
}

CodeMatrix dequantize_nvfp4_operand(const recipe::Nvfp4& choices, const LayerOperand& operand,
                                    const LayerQuantized& quantized, const Format& target) {
    CodeMatrix values = quantized.elements;
    const Code of_tensor = number_for(choices, quantized.tensor);
    recipe::for_each_block(values.extent(), operand.block, [&](std::size_t number, const auto& places) {
        const Code factor = exact::factor_of(choices, quantized.scales[number], of_tensor);
        for (const std::size_t place : places)
            values.codes[place] = exact::value_of(choices, target, factor, values.codes[place]);
    });
    return values;
}

} // namespace

LayerQuantized quantize(const LayerOperand& operand, const CodeMatrix& values, const Scales& scales,
                        std::span<const Code> random) {
    if (operand.transform) {
        const auto sums_of = [&](const std::vector<Code>& codes) {
            return hadamard(*operand.transform, *operand.source, formats::bf16, codes);
        };
        return quantize(after_transform(operand), recipe::transformed(operand, values, sums_of), scales, random);
    }
    if (const auto* mx = std::get_if<BlockChoices>(&operand.choices)) return quantize_mx_operand(*mx, operand, values);
    if (const auto* nvfp4 = std::get_if<recipe::Nvfp4>(&operand.choices))
        return quantize_nvfp4_operand(*nvfp4, operand, values, random);
    const auto* choices = std::get_if<FloatBlock>(&operand.choices);
    if (choices == nullptr) return {values, {scale_to(*operand.scale, recipe::unity)}};
    if (operand.given) {
        LayerQuantized quantized{values, {scale_to(*operand.scale, scales.scale)}};
        for (Code& code : quantized.elements.codes) code = element_of(*choices, *operand.source, scales, code);
        return quantized;
    }
    FloatQuantized quantized = quantize(*choices, *operand.source, operand.block, values);
    LayerQuantized new_quantized{std::move(quantized.elements), {}, {}};
    for (const Scales& block : quantized.scales) new_quantized.scales.push_back(scale_to(*operand.scale, block.scale));
    return new_quantized;
}

CodeMatrix dequantize(const LayerOperand& operand, const LayerQuantized& quantized, const Format& target) {
    if (std::holds_alternative<BlockChoices>(operand.choices)) return dequantize_mx_operand(operand, quantized, target);
    if (const auto* nvfp4 = std::get_if<recipe::Nvfp4>(&operand.choices))
        return dequantize_nvfp4_operand(*nvfp4, operand, quantized, target);
    const auto* choices = std::get_if<FloatBlock>(&operand.choices);
    if (choices == nullptr) {
        CodeMatrix values = quantized.elements;
        for (Code& code : values.codes) code = converted(*operand.source, target, code);
        return values;
    }
    FloatQuantized floats{quantized.elements, {}};
    for (const Code scale : quantized.scales)
        floats.scales.push_back({scale_from(*operand.scale, scale), recipe::unity});
    return dequantize(*choices, operand.block, floats, target);
}

} // namespace mxcert::exact
