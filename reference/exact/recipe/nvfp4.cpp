// SPDX-License-Identifier: Apache-2.0
#include "reference/exact/recipe/nvfp4.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "reference/exact/arithmetic.hpp"
#include "reference/exact/block.hpp"

namespace mxcert::exact {
namespace {

using formats::e2m1;
using formats::fp32;
using recipe::BlockQuotient;
using recipe::CodeMatrix;
using recipe::ElementScale;
using recipe::Nvfp4;
using recipe::TensorScale;
using recipe::TensorScales;

constexpr Code one = 0x3F800000;
constexpr Code six = 0x40C00000;
constexpr Code one_and_a_half = 0x3FC00000;
constexpr std::size_t rows_of_tile = 16;

Code times(Code a, Code b) { return multiply(fp32, a, b); }
Code over(Code a, Code b) { return divide(fp32, a, b); }

/// The smaller of a number and the largest finite one, where that is asked for; the minimum of C++ leaves NaN out.
Code limited(const Nvfp4& choices, Code code) {
    return choices.limited && !fp32.is_finite(code) ? fp32.max_code() : code;
}

/// Rounded once more, where that is asked for.
Code in_format(const Nvfp4& choices, Code code) {
    if (choices.scales_in == &fp32) return code;
    Choices keeps_inf;
    keeps_inf.overflow = Overflow::nosat;
    const Code narrow = convert(fp32, *choices.scales_in, keeps_inf, code).code;
    return convert(*choices.scales_in, fp32, keeps_inf, narrow).code;
}

Code block_quotient(const Nvfp4& choices, const TensorScales& tensor, Code amax) {
    switch (choices.quotient) {
    case BlockQuotient::by_product: return times(amax, times(tensor.encode, over(one, six)));
    case BlockQuotient::then_encode: return times(tensor.encode, in_format(choices, over(amax, six)));
    case BlockQuotient::then_decode: return over(in_format(choices, over(amax, six)), tensor.decode);
    case BlockQuotient::at_once: break;
    }
    return over(amax, times(six, tensor.decode));
}

Code scaled_value(const Nvfp4& choices, const TensorScales& tensor, Code scale, Code value) {
    switch (choices.element) {
    case ElementScale::times_inverse: return times(value, limited(choices, over(one, times(scale, tensor.decode))));
    case ElementScale::times_quotient: return times(value, over(over(one, tensor.decode), scale));
    case ElementScale::over_product: return over(value, times(scale, tensor.decode));
    case ElementScale::over_quotient: break;
    }
    return over(value, over(scale, tensor.encode));
}

Code rounded_scale(const Nvfp4& choices, Code quotient) {
    Choices to_scale;
    to_scale.rounding = choices.scale_rounding;
    to_scale.overflow = choices.scale_overflow;
    if (choices.nan_scale_is_zero && fp32.is_nan(quotient)) return 0;
    const Format& format = *choices.scale;
    Code scale = convert(fp32, format, to_scale, quotient).code;
    // Rounded up to the first number of a binade.
    if (choices.scale_carry_lost && scale != 0 && (scale & format.fraction_mask()) == 0 &&
        decode(format, scale).magnitude > decode(fp32, quotient).magnitude)
        --scale;
    if (choices.positive_scale_is_least && scale == 0 && quotient != 0) return 1;
    return scale == 0 ? choices.zero_scale : scale;
}

Code minus(Code a, Code b) { return add(fp32, a, b ^ fp32.sign_bit()); }

/// Of equal length, a power of two: halves are added until one is left.
Code sum_by_halves(std::vector<Code> terms) {
    for (std::size_t half = terms.size() / 2; half > 0; half /= 2)
        for (std::size_t i = 0; i < half; ++i) terms[i] = add(fp32, terms[i], terms[i + half]);
    return terms.front();
}

/// The sum of the errors of a block under a scale.
Code block_error(const Nvfp4& choices, const TensorScales& tensor, Code scale, const std::vector<Code>& values,
                 std::size_t columns) {
    const Code decoded = converted(*choices.scale, fp32, scale);
    std::vector<Code> sums;
    Code sum = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
        const Code element = converted(e2m1, fp32, element_of(choices, tensor, scale, values[i]) & e2m1.last_code());
        const Code value = over(times(times(element, decoded), tensor.amax), choices.range);
        const Code error = minus(value, values[i]);
        const Code term =
            choices.four_over_six == recipe::FourOverSix::square ? times(error, error) : error & fp32.magnitude_mask();
        sum = add(fp32, sum, term);
        // Rows that have more than one value are sums of their own.
        if (columns > 1 && (i + 1) % columns == 0) {
            sums.push_back(sum);
            sum = 0;
        }
    }
    if (columns == 1) return sum;
    if (sums.size() == 1) return sums.front();
    sums.resize(rows_of_tile);
    return sum_by_halves(std::move(sums));
}

Code amax_of_values(const Nvfp4& choices, const Format& value, const std::vector<Code>& values) {
    BlockChoices of_amax;
    of_amax.amax_nan = choices.amax_nan;
    Choices keeps_inf;
    keeps_inf.overflow = Overflow::nosat;
    const Code narrow = amax(BlockFormat{&value, &formats::e4m3}, of_amax, values);
    return &value == &fp32 ? narrow : convert(value, fp32, keeps_inf, narrow).code;
}

} // namespace

TensorScales tensor_scales_of(const Nvfp4& choices, Code amax) {
    if (choices.tensor == TensorScale::none) return {one, one, amax};
    // Codes of numbers without sign are in the order of the numbers; NaN is not raised.
    const Code raised = amax < choices.least_tensor_amax ? choices.least_tensor_amax : amax;
    if (choices.tensor == TensorScale::decode) {
        const Code decode = over(raised, choices.range);
        return {over(one, decode), decode, amax};
    }
    const Code quotient =
        choices.reciprocal ? times(in_format(choices, over(one, raised)), choices.range) : over(choices.range, raised);
    Code encode = limited(choices, in_format(choices, quotient));
    if (choices.unusable_is_one && (amax == 0 || encode == 0)) encode = one;
    if (choices.special_is_one && !fp32.is_finite(encode)) encode = one;
    return {encode, over(one, encode), amax};
}

Code block_scale_to_4(const Nvfp4& choices, const TensorScales& tensor, Code amax) {
    return rounded_scale(choices, times(limited(choices, block_quotient(choices, tensor, amax)), one_and_a_half));
}

Code block_scale_of(const Nvfp4& choices, const TensorScales& tensor, Code amax) {
    Code quotient = limited(choices, block_quotient(choices, tensor, amax));
    if (choices.zero_is_one && quotient == 0) quotient = one;
    if (!fp32.is_nan(quotient) && quotient < choices.least_quotient) quotient = choices.least_quotient;
    return rounded_scale(choices, quotient);
}

bool is_mapped_to_4(const Nvfp4& choices, const TensorScales& tensor, Code amax, const std::vector<Code>& values,
                    std::size_t columns) {
    if (choices.four_over_six == recipe::FourOverSix::off) return false;
    const Code to_4 = block_error(choices, tensor, block_scale_to_4(choices, tensor, amax), values, columns);
    const Code to_6 = block_error(choices, tensor, block_scale_of(choices, tensor, amax), values, columns);
    // No error has a sign: the codes are in the order of the numbers.
    return !fp32.is_nan(to_4) && !fp32.is_nan(to_6) && to_4 < to_6;
}

Code scaled_value_of(const Nvfp4& choices, const TensorScales& tensor, Code scale, Code value) {
    return scaled_value(choices, tensor, converted(*choices.scale, fp32, scale), value);
}

Code element_of(const Nvfp4& choices, const TensorScales& tensor, Code scale, Code value) {
    Choices to_element;
    to_element.rounding = choices.rounding;
    to_element.zero_sign = choices.zero_sign;
    const Code scaled = scaled_value_of(choices, tensor, scale, value);
    if (choices.zero_scale_is_open && scale == 0 && (value & fp32.magnitude_mask()) != 0)
        return e2m1.last_code() << recipe::nvfp4_open_shift;
    if (fp32.is_nan(scaled)) return choices.nan | choices.nan_open << recipe::nvfp4_open_shift;
    // The sign of zero is that of the value's: what is scaled keeps it.
    return convert(fp32, e2m1, to_element, scaled).code;
}

Code tensor_amax_of(const Nvfp4& choices, const Format& value, const CodeMatrix& values) {
    return amax_of_values(choices, value, values.codes);
}

recipe::Nvfp4Quantized quantize(const Nvfp4& choices, const Format& value, const BlockShape& shape,
                                const CodeMatrix& values, Code tensor_amax) {
    recipe::check_nvfp4(value, values, tensor_amax);
    recipe::Nvfp4Quantized result{values, {}, tensor_scales_of(choices, tensor_amax)};
    Choices keeps_inf;
    keeps_inf.overflow = Overflow::nosat;
    recipe::for_each_block(values.extent(), shape, [&](std::size_t, const std::vector<std::size_t>& places) {
        std::vector<Code> block;
        for (const std::size_t place : places) block.push_back(values.codes[place]);
        const Code amax = amax_of_values(choices, value, block);
        const std::size_t columns =
            std::min<std::size_t>(shape.columns, values.columns - places.front() % values.columns);
        if (&value != &fp32)
            for (Code& code : block) code = convert(value, fp32, keeps_inf, code).code;
        const Code scale = is_mapped_to_4(choices, result.tensor, amax, block, columns)
                               ? block_scale_to_4(choices, result.tensor, amax)
                               : block_scale_of(choices, result.tensor, amax);
        result.scales.push_back(scale);
        for (std::size_t i = 0; i < places.size(); ++i)
            result.elements.codes[places[i]] = element_of(choices, result.tensor, scale, block[i]) & e2m1.last_code();
    });
    return result;
}

Code factor_of(const Nvfp4& choices, Code scale, Code number) {
    const Code decoded = converted(*choices.scale, fp32, scale);
    switch (choices.factor) {
    case recipe::Nvfp4Factor::times_amax: return times(times(decoded, number), over(one, choices.range));
    case recipe::Nvfp4Factor::times_decode: return times(decoded, number);
    case recipe::Nvfp4Factor::over_encode: return over(decoded, number);
    case recipe::Nvfp4Factor::scale: break;
    }
    return decoded;
}

Code value_of(const Nvfp4& choices, const Format& target, Code factor, Code element) {
    if (choices.minus_zero_is_zero && element == e2m1.sign_bit()) element = 0;
    const Code value = times(converted(e2m1, fp32, element), factor);
    if (fp32.is_nan(value)) return quiet_nan(target);
    Choices keeps_inf;
    keeps_inf.overflow = Overflow::nosat;
    return &target == &fp32 ? value : convert(fp32, target, keeps_inf, value).code;
}

} // namespace mxcert::exact
