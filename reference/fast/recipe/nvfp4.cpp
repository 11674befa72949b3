// SPDX-License-Identifier: Apache-2.0
#include "reference/fast/recipe/nvfp4.hpp"

#include <vector>

#include "reference/fast/convert.hpp"
#include "reference/fast/recipe/machine_float.hpp"

namespace mxcert::fast {
namespace {

using recipe::BlockQuotient;
using recipe::ElementScale;
using recipe::Nvfp4;
using recipe::TensorScale;
using recipe::TensorScales;

constexpr float largest = std::numeric_limits<float>::max();

/// As fminf: NaN loses.
float limited(const Nvfp4& choices, float value) { return choices.limited && !(value <= largest) ? largest : value; }

float block_quotient(const Nvfp4& choices, const TensorScales& tensor, float amax) {
    const float encode = as_float(tensor.encode);
    const float decode = as_float(tensor.decode);
    if (choices.quotient == BlockQuotient::by_product) {
        const float sixth = 1.0F / 6.0F;
        return amax * (encode * sixth);
    }
    if (choices.quotient == BlockQuotient::at_once) return amax / (6.0F * decode);
    const float sixth_of_amax = amax / 6.0F;
    return choices.quotient == BlockQuotient::then_encode ? encode * sixth_of_amax : sixth_of_amax / decode;
}

float scaled_value(const Nvfp4& choices, const TensorScales& tensor, float scale, float value) {
    const float decode = as_float(tensor.decode);
    switch (choices.element) {
    case ElementScale::times_inverse: return value * limited(choices, 1.0F / (scale * decode));
    case ElementScale::times_quotient: return value * ((1.0F / decode) / scale);
    case ElementScale::over_product: return value / (scale * decode);
    case ElementScale::over_quotient: break;
    }
    return value / (scale / as_float(tensor.encode));
}

float amax_of_values(AmaxNan how, const Format& value, const std::vector<Code>& codes) {
    float most = 0;
    bool any_nan = false;
    bool any_number = false;
    for (const Code code : codes) {
        const float magnitude = std::fabs(widened(value, code));
        any_nan = any_nan || std::isnan(magnitude);
        any_number = any_number || !std::isnan(magnitude);
        if (magnitude > most) most = magnitude;
    }
    const bool nan = how == AmaxNan::propagated ? any_nan : how == AmaxNan::if_alone && !any_number;
    return nan ? std::numeric_limits<float>::quiet_NaN() : most;
}

} // namespace

TensorScales tensor_scales_of(const Nvfp4& choices, Code amax) {
    if (choices.tensor == TensorScale::none) return {};
    const float given = as_float(amax);
    const float raised = given < as_float(choices.least_tensor_amax) ? as_float(choices.least_tensor_amax) : given;
    const float range = as_float(choices.range);
    if (choices.tensor == TensorScale::decode) {
        const float decode = raised / range;
        return {bits_of(1.0F / decode), bits_of(decode)};
    }
    float encode = limited(choices, range / raised);
    if (choices.unusable_is_one && (given == 0 || encode == 0)) encode = 1;
    if (choices.special_is_one && (std::isnan(encode) || encode == float_inf)) encode = 1;
    return {bits_of(encode), bits_of(1.0F / encode)};
}

Code block_scale_of(const Nvfp4& choices, const TensorScales& tensor, Code amax) {
    float quotient = limited(choices, block_quotient(choices, tensor, as_float(amax)));
    if (choices.zero_is_one && quotient == 0) quotient = 1;
    if (quotient < as_float(choices.least_quotient)) quotient = as_float(choices.least_quotient);
    const Code scale = convert(formats::fp32, formats::e4m3, {}, bits_of(quotient));
    return scale == 0 ? choices.zero_scale : scale;
}

Code element_of(const Nvfp4& choices, const TensorScales& tensor, Code scale, Code value) {
    const float decoded = as_float(convert(formats::e4m3, formats::fp32, {}, scale));
    float scaled = scaled_value(choices, tensor, decoded, as_float(value));
    if (choices.zero_sign != ZeroSign::kept && scaled == 0) scaled = 0; // without its sign
    Choices to_element;
    to_element.nan = choices.nan;
    const Code element = convert(formats::fp32, formats::e2m1, to_element, bits_of(scaled));
    const bool is_zero = (element & formats::e2m1.magnitude_mask()) == 0;
    return choices.zero_sign == ZeroSign::dropped && is_zero ? 0 : element;
}

Code tensor_amax_of(const Nvfp4& choices, const Format& value, const recipe::CodeMatrix& values) {
    return bits_of(amax_of_values(choices.amax_nan, value, values.codes));
}

recipe::Nvfp4Quantized quantize(const Nvfp4& choices, const Format& value, const BlockShape& shape,
                                const recipe::CodeMatrix& values, Code tensor_amax) {
    recipe::check_nvfp4(value, values, tensor_amax);
    recipe::Nvfp4Quantized result{values, {}, tensor_scales_of(choices, tensor_amax)};
    recipe::for_each_block(values.extent(), shape, [&](std::size_t, const std::vector<std::size_t>& places) {
        std::vector<Code> block;
        for (const std::size_t place : places) block.push_back(values.codes[place]);
        const Code scale =
            block_scale_of(choices, result.tensor, bits_of(amax_of_values(choices.amax_nan, value, block)));
        result.scales.push_back(scale);
        for (std::size_t i = 0; i < places.size(); ++i)
            result.elements.codes[places[i]] =
                element_of(choices, result.tensor, scale, std::bit_cast<std::uint32_t>(widened(value, block[i])));
    });
    return result;
}

} // namespace mxcert::fast
