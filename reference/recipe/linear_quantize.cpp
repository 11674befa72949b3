// SPDX-License-Identifier: Apache-2.0
// The operands of a linear layer, by both models.
#include <cstdint>

#include "reference/exact/block.hpp"
#include "reference/fast/block.hpp"
#include "reference/fast/codes.hpp"
#include "reference/recipe/linear.hpp"

namespace mxcert {
namespace {

using recipe::CodeMatrix;
using recipe::FloatBlock;
using recipe::FloatQuantized;
using recipe::LayerOperand;
using recipe::LayerQuantized;
using recipe::Scales;

/// Of the product of an element and its scale.
Choices to_value() {
    Choices choices;
    choices.overflow = Overflow::nosat;
    return choices;
}

/// Exact arithmetic.
struct Exact {
    static Code element_of(const FloatBlock& choices, const Format& value, const Scales& scales, Code code) {
        return recipe::element_of(choices, value, scales, code);
    }
    static FloatQuantized quantize(const FloatBlock& choices, const LayerOperand& operand, const CodeMatrix& values) {
        return recipe::quantize(choices, *operand.source, operand.block, values);
    }
    static CodeMatrix dequantize(const FloatBlock& choices, const BlockShape& block, const FloatQuantized& quantized,
                                 const Format& target) {
        return recipe::dequantize(choices, block, quantized, target);
    }
    static Code scale_to(const Format& format, Code scale) { return recipe::scale_to(format, scale); }
    static Code scale_from(const Format& format, Code code) { return recipe::scale_from(format, code); }

    static LayerQuantized quantize(const BlockChoices& choices, const LayerOperand& operand, const CodeMatrix& values) {
        LayerQuantized made{values, {}};
        recipe::for_each_block(values.extent(), operand.block, [&](std::size_t, const auto& places) {
            std::vector<Code> of_block;
            for (const std::size_t place : places) of_block.push_back(values.codes[place]);
            const QuantizedBlock block = exact::quantize({operand.source, operand.element}, choices, of_block);
            made.scales.push_back(block.scale);
            for (std::size_t i = 0; i < places.size(); ++i) made.elements.codes[places[i]] = block.elements[i];
        });
        return made;
    }
    static CodeMatrix dequantize(const LayerOperand& operand, const LayerQuantized& quantized, const Format& target) {
        CodeMatrix values = quantized.elements;
        const Format& times = times_scale(*operand.element);
        recipe::for_each_block(values.extent(), operand.block, [&](std::size_t number, const auto& places) {
            for (const std::size_t place : places)
                values.codes[place] = exact::convert(times, target, to_value(),
                                                     times.code_of(quantized.scales[number], values.codes[place]))
                                          .code;
        });
        return values;
    }
};

/// The arithmetic of the machine.
struct Fast {
    static Code element_of(const FloatBlock& choices, const Format& value, const Scales& scales, Code code) {
        return fast::element_of(choices, value, scales, code);
    }
    static FloatQuantized quantize(const FloatBlock& choices, const LayerOperand& operand, const CodeMatrix& values) {
        return fast::quantize(choices, *operand.source, operand.block, values);
    }
    static CodeMatrix dequantize(const FloatBlock& choices, const BlockShape& block, const FloatQuantized& quantized,
                                 const Format& target) {
        return fast::dequantize(choices, block, quantized, target);
    }
    static Code scale_to(const Format& format, Code scale) { return fast::scale_to(format, scale); }
    static Code scale_from(const Format& format, Code code) { return fast::scale_from(format, code); }

    static LayerQuantized quantize(const BlockChoices& choices, const LayerOperand& operand, const CodeMatrix& values) {
        const auto [shape, along] = blocks_of(operand, values);
        const std::vector<unsigned char> from = bytes_of(values.codes, *operand.source);
        std::vector<std::uint8_t> elements(values.codes.size());
        std::vector<std::uint8_t> scales(shape.scales(along));
        fast::quantize({operand.source, operand.element}, choices, shape, along, from.data(), elements.data(),
                       scales.data());
        return {{values.rows, values.columns, {elements.begin(), elements.end()}}, {scales.begin(), scales.end()}};
    }
    static CodeMatrix dequantize(const LayerOperand& operand, const LayerQuantized& quantized, const Format& target) {
        const CodeMatrix& from = quantized.elements;
        const auto [shape, along] = blocks_of(operand, from);
        const std::vector<std::uint8_t> elements(from.codes.begin(), from.codes.end());
        const std::vector<std::uint8_t> scales(quantized.scales.begin(), quantized.scales.end());
        const auto width = static_cast<std::size_t>(target.bytes());
        std::vector<unsigned char> values(elements.size() * width);
        fast::dequantize(*operand.element, target, to_value(), shape, along, elements.data(), scales.data(),
                         values.data());
        CodeMatrix made{from.rows, from.columns, {}};
        for (std::size_t i = 0; i < elements.size(); ++i)
            made.codes.push_back(fast::load(&values[i * width], target.bytes()));
        return made;
    }

  private:
    struct Lying {
        fast::MatrixShape shape;
        fast::Blocks along;
    };
    static Lying blocks_of(const LayerOperand& operand, const CodeMatrix& values) {
        const bool rows = operand.block.rows == 1;
        return {{values.rows, values.columns, rows ? operand.block.columns : operand.block.rows},
                rows ? fast::Blocks::rowwise : fast::Blocks::columnwise};
    }
    static std::vector<unsigned char> bytes_of(const std::vector<Code>& codes, const Format& format) {
        const auto width = static_cast<std::size_t>(format.bytes());
        std::vector<unsigned char> bytes(codes.size() * width);
        for (std::size_t i = 0; i < codes.size(); ++i) fast::store(&bytes[i * width], format.bytes(), codes[i]);
        return bytes;
    }
};

template <class Model>
LayerQuantized quantize_by(const LayerOperand& operand, const CodeMatrix& values, const Scales& given) {
    if (const auto* choices = std::get_if<BlockChoices>(&operand.choices))
        return Model::quantize(*choices, operand, values);
    const auto* choices = std::get_if<FloatBlock>(&operand.choices);
    if (choices == nullptr) return {values, {Model::scale_to(*operand.scale, recipe::unity)}};
    if (operand.given) {
        LayerQuantized made{values, {Model::scale_to(*operand.scale, given.scale)}};
        for (Code& code : made.elements.codes) code = Model::element_of(*choices, *operand.source, given, code);
        return made;
    }
    FloatQuantized quantized = Model::quantize(*choices, operand, values);
    LayerQuantized made{std::move(quantized.elements), {}};
    for (const Scales& scales : quantized.scales) made.scales.push_back(Model::scale_to(*operand.scale, scales.scale));
    return made;
}

template <class Model>
CodeMatrix dequantize_by(const LayerOperand& operand, const LayerQuantized& quantized, const Format& target) {
    if (std::holds_alternative<BlockChoices>(operand.choices)) return Model::dequantize(operand, quantized, target);
    const auto* choices = std::get_if<FloatBlock>(&operand.choices);
    if (choices == nullptr) {
        CodeMatrix values = quantized.elements;
        for (Code& code : values.codes) code = exact::convert(*operand.source, target, to_value(), code).code;
        return values;
    }
    FloatQuantized floats{quantized.elements, {}};
    for (const Code scale : quantized.scales)
        floats.scales.push_back({Model::scale_from(*operand.scale, scale), recipe::unity});
    return Model::dequantize(*choices, operand.block, floats, target);
}

} // namespace

recipe::LayerQuantized recipe::quantize(const LayerOperand& operand, const CodeMatrix& values, const Scales& scales) {
    return quantize_by<Exact>(operand, values, scales);
}
recipe::CodeMatrix recipe::dequantize(const LayerOperand& operand, const LayerQuantized& quantized,
                                      const Format& target) {
    return dequantize_by<Exact>(operand, quantized, target);
}
recipe::LayerQuantized fast::quantize(const recipe::LayerOperand& operand, const recipe::CodeMatrix& values,
                                      const recipe::Scales& scales) {
    return quantize_by<Fast>(operand, values, scales);
}
recipe::CodeMatrix fast::dequantize(const recipe::LayerOperand& operand, const recipe::LayerQuantized& quantized,
                                    const Format& target) {
    return dequantize_by<Fast>(operand, quantized, target);
}

} // namespace mxcert
