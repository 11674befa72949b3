// SPDX-License-Identifier: Apache-2.0
#include "reference/fast/recipe/linear.hpp"

#include <cmath>
#include <cstdint>

#include "reference/fast/block.hpp"
#include "reference/fast/codes.hpp"
#include "reference/fast/convert.hpp"
#include "reference/fast/recipe/float_block.hpp"
#include "reference/fast/recipe/hadamard.hpp"
#include "reference/fast/recipe/machine_float.hpp"
#include "reference/fast/recipe/nvfp4.hpp"

namespace mxcert::fast {
namespace {

using recipe::CodeMatrix;
using recipe::FloatBlock;
using recipe::LayerOperand;
using recipe::LayerQuantized;

/// A tensor of a layer as the blocks of arrays have it.
struct LayerBlocks {
    MatrixShape shape;
    Blocks along;

    LayerBlocks(const BlockShape& block, const CodeMatrix& values)
        : shape{values.rows, values.columns, block.rows == 1 ? block.columns : block.rows},
          along(block.rows == 1 ? Blocks::rowwise : Blocks::columnwise) {}
};

LayerQuantized quantized_mx(const LayerOperand& operand, const BlockChoices& choices, const CodeMatrix& values) {
    const LayerBlocks blocks(operand.block, values);
    const auto width = static_cast<std::size_t>(operand.source->bytes());
    std::vector<unsigned char> from(values.codes.size() * width);
    for (std::size_t i = 0; i < values.codes.size(); ++i)
        store(&from[i * width], operand.source->bytes(), values.codes[i]);
    std::vector<std::uint8_t> elements(values.codes.size());
    std::vector<std::uint8_t> scales(blocks.shape.scales(blocks.along));
    quantize({operand.source, operand.element}, choices, blocks.shape, blocks.along, from.data(), elements.data(),
             scales.data());
    return {{values.rows, values.columns, {elements.begin(), elements.end()}}, {scales.begin(), scales.end()}};
}

CodeMatrix dequantized_mx(const LayerOperand& operand, const LayerQuantized& quantized, const Format& target) {
    const CodeMatrix& from = quantized.elements;
    const LayerBlocks blocks(operand.block, from);
    const std::vector<std::uint8_t> elements(from.codes.begin(), from.codes.end());
    const std::vector<std::uint8_t> scales(quantized.scales.begin(), quantized.scales.end());
    const auto width = static_cast<std::size_t>(target.bytes());
    std::vector<unsigned char> values(elements.size() * width);
    Choices nosat;
    nosat.overflow = Overflow::nosat;
    dequantize(*operand.element, target, nosat, blocks.shape, blocks.along, elements.data(), scales.data(),
               values.data());
    CodeMatrix code_matrix{from.rows, from.columns, {}};
    for (std::size_t i = 0; i < elements.size(); ++i)
        code_matrix.codes.push_back(load(&values[i * width], target.bytes()));
    return code_matrix;
}

/// One recipe gives each block its scales; the layer keeps what decodes, in the format it is given out in.
LayerQuantized quantized_floats(const LayerOperand& operand, const FloatBlock& choices, const CodeMatrix& values) {
    recipe::FloatQuantized quantized = quantize(choices, *operand.source, operand.block, values);
    std::vector<Code> scales(quantized.scales.size());
    for (std::size_t i = 0; i < scales.size(); ++i) scales[i] = scale_to(*operand.scale, quantized.scales[i].scale);
    return {std::move(quantized.elements), std::move(scales)};
}

CodeMatrix dequantized_floats(const LayerOperand& operand, const FloatBlock& choices, const LayerQuantized& quantized,
                              const Format& target) {
    std::vector<recipe::Scales> scales(quantized.scales.size());
    for (std::size_t i = 0; i < scales.size(); ++i) scales[i].scale = scale_from(*operand.scale, quantized.scales[i]);
    return dequantize(choices, operand.block, {quantized.elements, std::move(scales)}, target);
}

/// An element of a scaled value, by a random word.
Code drawn_element(const recipe::Nvfp4& choices, const LayerOperand& operand, Code scaled, std::uint32_t random) {
    Choices to_element;
    to_element.rounding = operand.rounding;
    const Code element = convert(formats::fp32, formats::e2m1, to_element, scaled, random, operand.random_bits);
    const bool is_zero = (element & formats::e2m1.magnitude_mask()) == 0;
    const bool was_zero = (scaled & formats::fp32.magnitude_mask()) == 0;
    const bool has_sign = choices.zero_sign == ZeroSign::kept || (choices.zero_sign != ZeroSign::dropped && !was_zero);
    return is_zero && !has_sign ? 0 : element;
}

LayerQuantized quantized_nvfp4(const recipe::Nvfp4& choices, const LayerOperand& operand, const CodeMatrix& values,
                               std::span<const Code> random) {
    recipe::Nvfp4Quantized quantized =
        quantize(choices, *operand.source, operand.block, values, tensor_amax_of(choices, *operand.source, values));
    if (operand.random_bits != 0)
        recipe::for_each_block(values.extent(), operand.block, [&](std::size_t number, const auto& places) {
            for (const std::size_t place : places) {
                const Code value = bits_of(widened(*operand.source, values.codes[place]));
                const Code scaled = scaled_value_of(choices, quantized.tensor, quantized.scales[number], value);
                if (!formats::fp32.is_nan(scaled))
                    quantized.elements.codes[place] =
                        drawn_element(choices, operand, scaled, recipe::random_at(random, place));
            }
        });
    return {std::move(quantized.elements), std::move(quantized.scales), quantized.tensor};
}

CodeMatrix dequantized_nvfp4(const recipe::Nvfp4& choices, const LayerOperand& operand, const LayerQuantized& quantized,
                             const Format& target) {
    CodeMatrix values = quantized.elements;
    const Code of_tensor = number_for(choices, quantized.tensor);
    recipe::for_each_block(values.extent(), operand.block, [&](std::size_t number, const auto& places) {
        const Code factor = factor_of(choices, quantized.scales[number], of_tensor);
        for (const std::size_t place : places)
            values.codes[place] = value_of(choices, target, factor, values.codes[place]);
    });
    return values;
}

/// Every element under the scales that came with the tensor.
LayerQuantized quantized_by(const recipe::Scales& scales, const LayerOperand& operand, const FloatBlock& choices,
                            const CodeMatrix& values) {
    LayerQuantized quantized{{values.rows, values.columns, {}}, {scale_to(*operand.scale, scales.scale)}};
    quantized.elements.codes.reserve(values.codes.size());
    for (const Code code : values.codes)
        quantized.elements.codes.push_back(element_of(choices, *operand.source, scales, code));
    return quantized;
}

/// A value in another format of high precision. A NaN is the one that conversions give: all ones.
Code value_in(const Format& target, float value) {
    return std::isnan(value) ? target.magnitude_mask() : rounded_to(target, value);
}

} // namespace

LayerQuantized quantize(const LayerOperand& operand, const CodeMatrix& values, const recipe::Scales& scales,
                        std::span<const Code> random) {
    if (operand.transform) {
        const auto sums_of = [&](const std::vector<Code>& codes) {
            return hadamard(*operand.transform, *operand.source, formats::bf16, codes);
        };
        return quantize(after_transform(operand), recipe::transformed(operand, values, sums_of), scales, random);
    }
    if (const auto* mx = std::get_if<BlockChoices>(&operand.choices)) return quantized_mx(operand, *mx, values);
    if (const auto* nvfp4 = std::get_if<recipe::Nvfp4>(&operand.choices))
        return quantized_nvfp4(*nvfp4, operand, values, random);
    const auto* floats = std::get_if<FloatBlock>(&operand.choices);
    if (floats == nullptr) return {values, {scale_to(*operand.scale, recipe::unity)}};
    return operand.given ? quantized_by(scales, operand, *floats, values) : quantized_floats(operand, *floats, values);
}

CodeMatrix dequantize(const LayerOperand& operand, const LayerQuantized& quantized, const Format& target) {
    if (std::holds_alternative<BlockChoices>(operand.choices)) return dequantized_mx(operand, quantized, target);
    if (const auto* floats = std::get_if<FloatBlock>(&operand.choices))
        return dequantized_floats(operand, *floats, quantized, target);
    if (const auto* nvfp4 = std::get_if<recipe::Nvfp4>(&operand.choices))
        return dequantized_nvfp4(*nvfp4, operand, quantized, target);
    CodeMatrix values = quantized.elements;
    for (Code& code : values.codes) code = value_in(target, widened(*operand.source, code));
    return values;
}

bool has_open_elements(const LayerOperand& operand, const CodeMatrix& values) {
    const auto* choices = std::get_if<recipe::Nvfp4>(&operand.choices);
    if (choices == nullptr) return false;
    if (operand.transform) {
        bool open = false; // the order of the sums decides a value, or the sign of a zero
        const auto sums_of = [&](const std::vector<Code>& codes) {
            std::vector<recipe::HadamardValue> sums =
                hadamard(*operand.transform, *operand.source, formats::bf16, codes);
            for (const recipe::HadamardValue& sum : sums) open = open || (sum.number && !sum.is_one());
            return sums;
        };
        const CodeMatrix seen = recipe::transformed(operand, values, sums_of);
        return open || has_open_elements(after_transform(operand), seen);
    }
    if (choices->nan_open == 0) return false;
    const recipe::TensorScales tensor = tensor_scales_of(*choices, tensor_amax_of(*choices, *operand.source, values));
    const recipe::Nvfp4Quantized quantized = quantize_by(*choices, *operand.source, operand.block, values, tensor);
    bool open = false;
    recipe::for_each_block(values.extent(), operand.block, [&](std::size_t number, const auto& places) {
        for (const std::size_t place : places) {
            const Code value = bits_of(widened(*operand.source, values.codes[place]));
            open |= element_of(*choices, tensor, quantized.scales[number], value) >> recipe::nvfp4_open_shift != 0;
        }
    });
    return open;
}

} // namespace mxcert::fast
