// SPDX-License-Identifier: Apache-2.0
// Float scales by the machine's binary32, as a kernel computes them.
#include <bit>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "reference/fast/convert.hpp"
#include "reference/recipe/float_block.hpp"

namespace mxcert::fast {
namespace {

using recipe::First;
using recipe::FloatScale;
using recipe::Quotient;
using recipe::Unusable;

static_assert(std::numeric_limits<float>::is_iec559 && std::numeric_limits<double>::is_iec559);

constexpr float inf = std::numeric_limits<float>::infinity();
constexpr std::uint32_t nan_bits = 0x7FC00000;
constexpr std::uint32_t exponent_field = 0x7F800000;

float as_float(Code bits) { return std::bit_cast<float>(static_cast<std::uint32_t>(bits)); }
/// Every NaN is written as one.
Code bits_of(float value) { return std::isnan(value) ? nan_bits : std::bit_cast<std::uint32_t>(value); }
float two_to(int e) { return as_float(static_cast<Code>(e + 127) << 23U); } // -126 <= e <= 127

float widened(const Format& from, Code code) {
    if (&from == &formats::fp32) return as_float(code);
    if (&from == &formats::bf16) return as_float(code << 16U);
    const int field = static_cast<int>(code >> 10U & 0x1FU);
    const auto fraction = static_cast<float>(code & 0x3FFU);
    float magnitude = field == 0 ? fraction * two_to(-24) : (1024 + fraction) * two_to(field - 25);
    if (field == 0x1F) magnitude = fraction == 0 ? inf : std::numeric_limits<float>::quiet_NaN();
    return (code & 0x8000U) != 0 ? -magnitude : magnitude;
}

/// A positive value rounded to the grid of a narrower format.
float kept_in(const Format& format, float value) {
    if (&format == &formats::fp32 || std::isnan(value) || value == inf) return value;
    if (&format == &formats::bf16) {
        const auto bits = std::bit_cast<std::uint32_t>(value);
        return as_float((bits + 0x7FFFU + (bits >> 16U & 1U)) & 0xFFFF0000U);
    }
    if (value >= 65520) return inf; // the tie above the largest binary16
    // Adding 1.5 x 2^23 grid steps leaves no bits below a step.
    const int field = static_cast<int>(std::bit_cast<std::uint32_t>(value) >> 23U);
    const float shift = 1.5F * two_to(std::max(field - 127, -14) + 13);
    return (value + shift) - shift;
}

float to_power_of_two(float value, bool up) {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    const bool normal = bits >= 0x00800000U;
    const std::uint32_t below = normal ? bits & exponent_field : std::bit_floor(bits);
    if (!up || below == bits) return as_float(below);
    return as_float(normal ? below + 0x00800000U : below << 1U);
}

float limited(const FloatScale& scaling, float inverse) {
    if (inverse != inf || scaling.limit == nullptr) return inverse;
    return widened(*scaling.limit, scaling.limit->max_code());
}

float first_of(const FloatScale& scaling, float amax) {
    const auto least = std::bit_cast<double>(scaling.least_amax);
    const bool raised = static_cast<double>(amax) < least;
    const auto largest = as_float(convert(*scaling.element, formats::fp32, {}, scaling.element->max_code()));
    const float margin = two_to(scaling.exponent);
    const bool of_largest = scaling.power == recipe::Power::of_largest;
    const bool divide = scaling.quotient == Quotient::divide;
    const float top = of_largest ? largest / margin : largest;
    // Without a factor a least amax may be between two binary32.
    const double wide = raised ? least : static_cast<double>(amax);
    const float bottom = static_cast<float>(wide) * as_float(scaling.factor);
    const bool between = static_cast<double>(static_cast<float>(wide)) != wide;
    if (scaling.first == First::inverse) {
        float inverse = divide ? top / bottom : (1 / bottom) * top;
        if (between)
            inverse = divide ? static_cast<float>(static_cast<double>(top) / wide) : static_cast<float>(1 / wide) * top;
        return of_largest ? inverse : inverse * (1 / margin);
    }
    float scale = divide ? bottom / top : bottom * (1 / top);
    if (between && divide) scale = static_cast<float>(wide / static_cast<double>(top));
    return of_largest ? scale : scale * margin;
}

recipe::Scales scales_of_float(const FloatScale& scaling, float amax) {
    const bool inverse_first = scaling.first == First::inverse;
    const bool zero = amax == 0 && scaling.least_amax == 0;
    float first = 0;
    if (std::isnan(amax) || amax == inf || zero) {
        Unusable what = scaling.on_zero;
        if (std::isnan(amax)) what = scaling.on_nan;
        if (amax == inf) what = scaling.on_inf;
        if (what == Unusable::keep) throw std::invalid_argument("a block has no earlier scale to keep");
        if (what == Unusable::one) return {};
        first = inverse_first ? 1 / amax : amax;
    } else {
        first = first_of(scaling, amax);
    }
    if (inverse_first) first = limited(scaling, first);
    if (scaling.power_of_two && first > 0 && first < inf) first = to_power_of_two(first, !inverse_first);
    if (inverse_first) return {bits_of(kept_in(*scaling.kept, 1 / first)), bits_of(first)};
    const float scale = kept_in(*scaling.kept, first);
    return {bits_of(scale), bits_of(limited(scaling, 1 / scale))};
}

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

} // namespace

recipe::Scales scales_of(const FloatScale& scaling, Code amax) { return scales_of_float(scaling, as_float(amax)); }

Code element_of(const recipe::FloatBlock& choices, const Format& value, const recipe::Scales& scales, Code code) {
    return element_of_float(choices, scales, widened(value, code));
}

Code scale_to(const Format& format, Code scale) {
    if (&format == &formats::fp32) return scale;
    if (&format == &formats::bf16) return scale >> 16U;
    if (&format == &formats::e8m0) return scale >> 23U & 0xFFU;
    const float value = as_float(scale);
    if (std::isnan(value)) return 0x7E00;
    if (value == inf) return 0x7C00;
    if (value < two_to(-14)) return static_cast<Code>(value * two_to(24));
    return (scale >> 13U) - (Code{112} << 10U);
}

Code scale_from(const Format& format, Code code) {
    if (&format != &formats::e8m0) return bits_of(widened(format, code));
    if (code == 0xFF) return nan_bits;
    return code == 0 ? 0x00400000 : code << 23U;
}

namespace {

/// A product of binary32, and what it is rounded to from there; exactly in binary64.
Code product_in(const Format& target, float element, float scale) {
    if (&target == &formats::fp64) {
        const double product = double{element} * double{scale};
        return std::isnan(product) ? 0x7FF8000000000000 : std::bit_cast<std::uint64_t>(product);
    }
    const float product = element * scale;
    if (&target == &formats::fp32) return bits_of(product);
    if (std::isnan(product)) return &target == &formats::fp16 ? 0x7E00 : 0x7FC0;
    const Code magnitude = scale_to(target, bits_of(kept_in(target, std::fabs(product))));
    return std::signbit(product) ? magnitude | 0x8000U : magnitude;
}

} // namespace

recipe::FloatQuantized quantize(const recipe::FloatBlock& choices, const Format& value, const BlockShape& shape,
                                const recipe::CodeMatrix& values) {
    recipe::check(choices, value, values);
    recipe::FloatQuantized result{values, {}};
    recipe::for_each_block(values.extent(), shape, [&](std::size_t, const std::vector<std::size_t>& places) {
        std::vector<float> block;
        for (const std::size_t place : places) block.push_back(widened(value, values.codes[place]));
        const recipe::Scales scales = scales_of_float(choices.scaling, amax_of_values(choices.amax_nan, block));
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
