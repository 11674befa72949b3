// SPDX-License-Identifier: Apache-2.0
#include "reference/fast/recipe/float_block.hpp"

#include <vector>

#include "reference/fast/convert.hpp"
#include "reference/fast/recipe/float_scale.hpp"
#include "reference/fast/recipe/machine_float.hpp"

namespace mxcert::fast {
namespace {

float amax_of_values(AmaxNan amax_nan, const std::vector<float>& values) {
    float amax = 0;
    bool any_nan = false;
    bool any_number = false;
    for (const float value : values) {
        any_nan = any_nan || std::isnan(value);
        any_number = any_number || !std::isnan(value);
        if (std::fabs(value) > amax) amax = std::fabs(value);
    }
    const bool nan = amax_nan == AmaxNan::propagated ? any_nan : amax_nan == AmaxNan::if_alone && !any_number;
    return nan ? std::numeric_limits<float>::quiet_NaN() : amax;
}

Code element_of_float(const recipe::FloatBlock& choices, const recipe::Scales& scales, float value) {
    const float scaled =
        choices.apply == recipe::Apply::multiply ? value * as_float(scales.inverse) : value / as_float(scales.scale);
    Choices to_element;
    to_element.overflow = choices.overflow;
    return convert(formats::fp32, *choices.scaling.element, to_element, bits_of(scaled));
}

/// A product of binary32, and what it is rounded to from there; exactly in binary64.
Code product_in(const Format& target, float element, float scale) {
    if (&target == &formats::fp64) {
        const double product = double{element} * double{scale};
        return std::isnan(product) ? 0x7FF8000000000000 : std::bit_cast<std::uint64_t>(product);
    }
    const float product = element * scale;
    return std::isnan(product) ? code_in(target, product) : rounded_to(target, product);
}

} // namespace

Code element_of(const recipe::FloatBlock& choices, const Format& value, const recipe::Scales& scales, Code code) {
    return element_of_float(choices, scales, widened(value, code));
}

Code scale_to(const Format& format, Code scale) {
    if (&format == &formats::fp32) return scale;
    if (&format == &formats::e8m0) return scale >> 23U & 0xFFU;
    return code_in(format, as_float(scale));
}

Code scale_from(const Format& format, Code code) {
    if (&format != &formats::e8m0) return bits_of(widened(format, code));
    if (code == 0xFF) return quiet_nan_bits;
    return code == 0 ? 0x00400000 : code << 23U;
}

recipe::FloatQuantized quantize(const recipe::FloatBlock& choices, const Format& value, const BlockShape& shape,
                                const recipe::CodeMatrix& values) {
    recipe::check(choices, value, values);
    recipe::FloatQuantized result{values, {}};
    recipe::for_each_block(values.extent(), shape, [&](std::size_t, const std::vector<std::size_t>& places) {
        std::vector<float> block;
        for (const std::size_t place : places) block.push_back(widened(value, values.codes[place]));
        const recipe::Scales scales = scales_of(choices.scaling, bits_of(amax_of_values(choices.amax_nan, block)));
        result.scales.push_back(scales);
        for (std::size_t i = 0; i < places.size(); ++i)
            result.elements.codes[places[i]] = element_of_float(choices, scales, block[i]);
    });
    return result;
}

recipe::CodeMatrix dequantize(const recipe::FloatBlock& choices, const BlockShape& shape,
                              const recipe::FloatQuantized& quantized, const Format& target) {
    recipe::check(choices, shape, quantized);
    recipe::CodeMatrix values = quantized.elements;
    Choices nosat;
    nosat.overflow = Overflow::nosat;
    recipe::for_each_block(values.extent(), shape, [&](std::size_t number, const auto& places) {
        const float scale = as_float(quantized.scales[number].scale);
        for (const std::size_t place : places) {
            const Code wide = convert(*choices.scaling.element, formats::fp32, nosat, values.codes[place]);
            values.codes[place] = product_in(target, as_float(wide), scale);
        }
    });
    return values;
}

} // namespace mxcert::fast
