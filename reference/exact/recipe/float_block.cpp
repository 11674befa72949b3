// SPDX-License-Identifier: Apache-2.0
#include "reference/exact/recipe/float_block.hpp"

#include <stdexcept>
#include <vector>

#include "reference/exact/arithmetic.hpp"
#include "reference/exact/block.hpp"
#include "reference/exact/recipe/float_scale.hpp"

namespace mxcert::exact {
namespace {

using formats::fp32;
using recipe::CodeMatrix;
using recipe::FloatBlock;
using recipe::FloatQuantized;

/// A value as binary32, which has all of them.
Code widened(const Format& from, Code code) { return converted(from, fp32, code); }

} // namespace

Code element_of(const FloatBlock& choices, const Format& value, const recipe::Scales& scales, Code code) {
    const Code wide = widened(value, code);
    const Code scaled = choices.apply == recipe::Apply::multiply ? multiply(fp32, wide, scales.inverse)
                                                                 : divide(fp32, wide, scales.scale);
    Choices to_element;
    to_element.overflow = choices.overflow;
    return convert(fp32, *choices.scaling.element, to_element, scaled).code;
}

FloatQuantized quantize(const FloatBlock& choices, const Format& value, const BlockShape& shape,
                        const CodeMatrix& values) {
    check(choices, value, values);
    BlockChoices of_amax;
    of_amax.amax_nan = choices.amax_nan;
    FloatQuantized result{values, {}};
    recipe::for_each_block(values.extent(), shape, [&](std::size_t, const std::vector<std::size_t>& places) {
        std::vector<Code> block;
        for (const std::size_t place : places) block.push_back(values.codes[place]);
        const Code narrow = amax(BlockFormat{&value, choices.scaling.element}, of_amax, block);
        const auto scales = scales_of(choices.scaling, widened(value, narrow));
        if (!scales) throw std::invalid_argument("a block has no earlier scale to keep: choose one or computed");
        result.scales.push_back(*scales);
        for (const std::size_t place : places)
            result.elements.codes[place] = element_of(choices, value, *scales, values.codes[place]);
    });
    return result;
}

CodeMatrix dequantize(const FloatBlock& choices, const BlockShape& shape, const FloatQuantized& quantized,
                      const Format& target) {
    check(choices, shape, quantized);
    CodeMatrix values = quantized.elements;
    const Format& multiplied = &target == &formats::fp64 ? target : fp32;
    recipe::for_each_block(values.extent(), shape, [&](std::size_t number, const std::vector<std::size_t>& places) {
        const Code scale = converted(fp32, multiplied, quantized.scales[number].scale);
        for (const std::size_t place : places) {
            const Code element = converted(*choices.scaling.element, multiplied, values.codes[place]);
            const Code product = multiply(multiplied, element, scale);
            if (&target == &multiplied)
                values.codes[place] = product;
            else
                values.codes[place] = fp32.is_nan(product) ? quiet_nan(target) : converted(fp32, target, product);
        }
    });
    return values;
}

Code scale_to(const Format& format, Code scale) {
    if (&format == &fp32) return scale;
    return converted(fp32, format, scale);
}

Code scale_from(const Format& format, Code code) { return &format == &fp32 ? code : widened(format, code); }

} // namespace mxcert::exact
