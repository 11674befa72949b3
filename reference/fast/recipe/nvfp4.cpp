// SPDX-License-Identifier: Apache-2.0
#include "reference/fast/recipe/nvfp4.hpp"

#include <algorithm>
#include <array>
#include <cmath>
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

constexpr std::size_t rows_of_tile = 16;
constexpr float largest = std::numeric_limits<float>::max();

/// As fminf: NaN loses.
float limited(const Nvfp4& choices, float value) { return choices.limited && !(value <= largest) ? largest : value; }

/// Rounded once more, where that is asked for.
float in_format(const Nvfp4& choices, float value) { return kept_in(*choices.scales_in, value); }

float block_quotient(const Nvfp4& choices, const TensorScales& tensor, float amax) {
    const float encode = as_float(tensor.encode);
    const float decode = as_float(tensor.decode);
    if (choices.quotient == BlockQuotient::by_product) {
        const float sixth = 1.0F / 6.0F;
        return amax * (encode * sixth);
    }
    if (choices.quotient == BlockQuotient::at_once) return amax / (6.0F * decode);
    const float sixth_of_amax = in_format(choices, amax / 6.0F);
    return choices.quotient == BlockQuotient::then_encode ? encode * sixth_of_amax : sixth_of_amax / decode;
}

/// The number that multiplies or divides the values of a block.
struct Factor {
    float number;
    bool divides;

    [[nodiscard]] float scaled(float value) const { return divides ? value / number : value * number; }
};

Factor factor_of(const Nvfp4& choices, const TensorScales& tensor, float decoded) {
    const float decode = as_float(tensor.decode);
    switch (choices.element) {
    case ElementScale::times_inverse: return {limited(choices, 1.0F / (decoded * decode)), false};
    case ElementScale::times_quotient: return {(1.0F / decode) / decoded, false};
    case ElementScale::over_product: return {decoded * decode, true};
    case ElementScale::over_quotient: break;
    }
    return {decoded / as_float(tensor.encode), true};
}

float decoded_scale(const Nvfp4& choices, Code scale) {
    return as_float(convert(*choices.scale, formats::fp32, {}, scale));
}

/// By the fraction and the exponent of the quotient: no carry leaves a binade.
Code scale_without_carry(const Format& format, float quotient) {
    const float largest_scale = as_float(convert(format, formats::fp32, {}, format.max_code()));
    const float clipped = std::min(quotient, largest_scale);
    const auto steps = static_cast<float>(Code{1} << static_cast<unsigned>(format.fraction_bits));
    const float smallest_normal = two_to(format.emin());
    if (clipped < smallest_normal)
        return static_cast<Code>(std::min(std::nearbyint(clipped / smallest_normal * steps), steps - 1));
    int exponent = 0;
    const float fraction = std::frexp(clipped, &exponent); // from 1/2 to 1
    const float rounded = std::min(std::nearbyint((fraction - 0.5F) * 2 * steps), steps - 1);
    return static_cast<Code>(exponent - 1 - format.emin() + 1) << static_cast<unsigned>(format.fraction_bits) |
           static_cast<Code>(rounded);
}

/// The elements of scaled values.
void to_elements(const Nvfp4& choices, std::vector<float>& scaled, std::vector<std::uint8_t>& elements) {
    if (choices.zero_sign != ZeroSign::kept)
        for (float& value : scaled)
            if (value == 0) value = 0; // without its sign
    Choices to_element;
    to_element.rounding = choices.rounding;
    elements.resize(scaled.size());
    convert_span(formats::fp32, formats::e2m1, to_element, scaled.data(), nullptr, elements.data(), scaled.size());
    for (std::size_t i = 0; i < scaled.size(); ++i)
        if (std::isnan(scaled[i])) elements[i] = static_cast<std::uint8_t>(choices.nan);
    if (choices.zero_sign == ZeroSign::dropped)
        for (std::uint8_t& element : elements)
            if ((element & formats::e2m1.magnitude_mask()) == 0) element = 0;
}

float amax_of_floats(AmaxNan how, const std::vector<float>& values) {
    float most = 0;
    bool any_nan = false;
    bool any_number = false;
    for (const float value : values) {
        const float magnitude = std::fabs(value);
        any_nan = any_nan || std::isnan(magnitude);
        any_number = any_number || !std::isnan(magnitude);
        if (magnitude > most) most = magnitude;
    }
    const bool nan = how == AmaxNan::propagated ? any_nan : how == AmaxNan::if_alone && !any_number;
    return nan ? std::numeric_limits<float>::quiet_NaN() : most;
}

} // namespace

TensorScales tensor_scales_of(const Nvfp4& choices, Code amax) {
    if (choices.tensor == TensorScale::none) return {bits_of(1), bits_of(1), amax};
    const float given = as_float(amax);
    const float raised = given < as_float(choices.least_tensor_amax) ? as_float(choices.least_tensor_amax) : given;
    const float range = as_float(choices.range);
    if (choices.tensor == TensorScale::decode) {
        const float decode = raised / range;
        return {bits_of(1.0F / decode), bits_of(decode), amax};
    }
    float encode = limited(
        choices, in_format(choices, choices.reciprocal ? in_format(choices, 1.0F / raised) * range : range / raised));
    if (choices.unusable_is_one && (given == 0 || encode == 0)) encode = 1;
    if (choices.special_is_one && (std::isnan(encode) || encode == float_inf)) encode = 1;
    return {bits_of(encode), bits_of(1.0F / encode), amax};
}

float block_error(const Nvfp4& choices, const TensorScales& tensor, Code scale, std::span<const Code> values,
                  std::size_t columns) {
    const float decoded = decoded_scale(choices, scale);
    const float amax = as_float(tensor.amax);
    const float range = as_float(choices.range);
    const std::vector<Code> elements = elements_of(choices, tensor, bits_of(decoded), values);
    std::array<float, rows_of_tile> sums{};
    for (std::size_t i = 0; i < values.size(); ++i) {
        const float element =
            as_float(convert(formats::e2m1, formats::fp32, {}, elements[i] & formats::e2m1.last_code()));
        const float error = element * decoded * amax / range - as_float(values[i]);
        // Of rows that have one value the column is one sum.
        sums[columns == 1 ? 0 : i / columns] +=
            choices.four_over_six == recipe::FourOverSix::square ? error * error : std::fabs(error);
    }
    if (columns == 1 || values.size() <= columns) return sums.front();
    for (std::size_t half = rows_of_tile / 2; half > 0; half /= 2)
        for (std::size_t i = 0; i < half; ++i) sums[i] += sums[i + half];
    return sums.front();
}

Code block_scale_to_4(const Nvfp4& choices, const TensorScales& tensor, Code amax) {
    const float quotient = limited(choices, block_quotient(choices, tensor, as_float(amax)));
    return rounded_scale_of(choices, bits_of(quotient * 1.5F));
}

bool is_mapped_to_4(const Nvfp4& choices, const TensorScales& tensor, Code amax, std::span<const Code> values,
                    std::size_t columns) {
    if (choices.four_over_six == recipe::FourOverSix::off) return false;
    return block_error(choices, tensor, block_scale_to_4(choices, tensor, amax), values, columns) <
           block_error(choices, tensor, block_scale_of(choices, tensor, amax), values, columns);
}

Code block_quotient_of(const Nvfp4& choices, const TensorScales& tensor, Code amax) {
    float quotient = limited(choices, block_quotient(choices, tensor, as_float(amax)));
    if (choices.zero_is_one && quotient == 0) quotient = 1;
    if (quotient < as_float(choices.least_quotient)) quotient = as_float(choices.least_quotient);
    return bits_of(quotient);
}

Code rounded_scale_of(const Nvfp4& choices, Code quotient) {
    Choices to_scale;
    to_scale.rounding = choices.scale_rounding;
    to_scale.overflow = choices.scale_overflow;
    const float number = as_float(quotient);
    if (choices.nan_scale_is_zero && std::isnan(number)) return 0;
    const Code scale = choices.scale_carry_lost && !std::isnan(number)
                           ? scale_without_carry(*choices.scale, number)
                           : convert(formats::fp32, *choices.scale, to_scale, quotient);
    if (choices.positive_scale_is_least && scale == 0 && number > 0) return 1;
    return scale == 0 ? choices.zero_scale : scale;
}

Code block_scale_of(const Nvfp4& choices, const TensorScales& tensor, Code amax) {
    return rounded_scale_of(choices, block_quotient_of(choices, tensor, amax));
}

Code scaled_value_of(const Nvfp4& choices, const TensorScales& tensor, Code scale, Code value) {
    return bits_of(factor_of(choices, tensor, decoded_scale(choices, scale)).scaled(as_float(value)));
}

std::vector<Code> elements_of(const Nvfp4& choices, const TensorScales& tensor, Code scale,
                              std::span<const Code> values) {
    const Factor factor = factor_of(choices, tensor, as_float(scale));
    std::vector<float> scaled;
    for (const Code value : values) scaled.push_back(factor.scaled(as_float(value)));
    std::vector<std::uint8_t> elements;
    to_elements(choices, scaled, elements);
    std::vector<Code> codes(elements.begin(), elements.end());
    for (std::size_t i = 0; i < scaled.size(); ++i)
        if (choices.zero_scale_is_open && as_float(scale) == 0 && as_float(values[i]) != 0)
            codes[i] = formats::e2m1.last_code() << recipe::nvfp4_open_shift;
        else if (std::isnan(scaled[i]))
            codes[i] |= choices.nan_open << recipe::nvfp4_open_shift;
    return codes;
}

Code element_of(const Nvfp4& choices, const TensorScales& tensor, Code scale, Code value) {
    return elements_of(choices, tensor, bits_of(decoded_scale(choices, scale)), {&value, 1}).front();
}

Code tensor_amax_of(const Nvfp4& choices, const Format& value, const recipe::CodeMatrix& values) {
    std::vector<float> floats;
    for (const Code code : values.codes) floats.push_back(widened(value, code));
    return bits_of(amax_of_floats(choices.amax_nan, floats));
}

recipe::Nvfp4Quantized quantize_by(const Nvfp4& choices, const Format& value, const BlockShape& shape,
                                   const recipe::CodeMatrix& values, const TensorScales& tensor) {
    recipe::Nvfp4Quantized result{values, {}, tensor};
    // All values are scaled before they are rounded: together that is a loop of vectors.
    std::vector<float> scaled(values.codes.size());
    for (std::size_t i = 0; i < scaled.size(); ++i) scaled[i] = widened(value, values.codes[i]);
    std::vector<float> block;
    recipe::for_each_block(values.extent(), shape, [&](std::size_t, const std::vector<std::size_t>& places) {
        block.clear();
        for (const std::size_t place : places) block.push_back(scaled[place]);
        const Code amax = bits_of(amax_of_floats(choices.amax_nan, block));
        bool to_4 = false;
        if (choices.four_over_six != recipe::FourOverSix::off) {
            std::vector<Code> codes;
            for (const float number : block) codes.push_back(bits_of(number));
            const std::size_t columns = values.columns - places.front() % values.columns;
            to_4 = is_mapped_to_4(choices, tensor, amax, codes, std::min<std::size_t>(shape.columns, columns));
        }
        const Code scale = to_4 ? block_scale_to_4(choices, tensor, amax) : block_scale_of(choices, tensor, amax);
        result.scales.push_back(scale);
        Factor factor = factor_of(choices, tensor, decoded_scale(choices, scale));
        // Open elements are written as 0.
        if (choices.zero_scale_is_open && scale == 0) factor = {std::numeric_limits<float>::quiet_NaN(), false};
        for (std::size_t i = 0; i < places.size(); ++i) scaled[places[i]] = factor.scaled(block[i]);
    });
    std::vector<std::uint8_t> elements;
    to_elements(choices, scaled, elements);
    std::copy(elements.begin(), elements.end(), result.elements.codes.begin());
    return result;
}

recipe::Nvfp4Quantized quantize(const Nvfp4& choices, const Format& value, const BlockShape& shape,
                                const recipe::CodeMatrix& values, Code tensor_amax) {
    recipe::check_nvfp4(value, values, tensor_amax);
    return quantize_by(choices, value, shape, values, tensor_scales_of(choices, tensor_amax));
}

Code factor_of(const Nvfp4& choices, Code scale, Code number) {
    const float decoded = decoded_scale(choices, scale);
    const float given = as_float(number);
    switch (choices.factor) {
    case recipe::Nvfp4Factor::times_amax: {
        const float inverse = 1.0F / as_float(choices.range);
        return bits_of(decoded * given * inverse);
    }
    case recipe::Nvfp4Factor::times_decode: return bits_of(decoded * given);
    case recipe::Nvfp4Factor::over_encode: return bits_of(decoded / given);
    case recipe::Nvfp4Factor::scale: break;
    }
    return bits_of(decoded);
}

Code value_of(const Nvfp4& choices, const Format& target, Code factor, Code element) {
    float number = as_float(convert(formats::e2m1, formats::fp32, {}, element));
    if (choices.minus_zero_is_zero && number == 0) number = 0; // without its sign
    const float value = number * as_float(factor);
    return std::isnan(value) ? code_in(target, value) : rounded_to(target, value);
}

} // namespace mxcert::fast
