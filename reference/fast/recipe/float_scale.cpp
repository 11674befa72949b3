// SPDX-License-Identifier: Apache-2.0
#include "reference/fast/recipe/float_scale.hpp"

#include <stdexcept>

#include "reference/fast/convert.hpp"
#include "reference/fast/recipe/machine_float.hpp"

namespace mxcert::fast {
namespace {

using recipe::First;
using recipe::FloatScale;
using recipe::Quotient;
using recipe::Unusable;

constexpr std::uint32_t exponent_field = 0x7F800000;

float to_power_of_two(float value, bool up) {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    const bool normal = bits >= 0x00800000U;
    const std::uint32_t below = normal ? bits & exponent_field : std::bit_floor(bits);
    if (!up || below == bits) return as_float(below);
    return as_float(normal ? below + 0x00800000U : below << 1U);
}

float limited(const FloatScale& scaling, float inverse) {
    if (inverse != float_inf || scaling.limit == nullptr) return inverse;
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

} // namespace

recipe::Scales scales_of(const FloatScale& scaling, Code amax) {
    const float value = as_float(amax);
    const bool inverse_first = scaling.first == First::inverse;
    const bool zero = value == 0 && scaling.least_amax == 0;
    float first = 0;
    if (std::isnan(value) || value == float_inf || zero) {
        Unusable what = scaling.on_zero;
        if (std::isnan(value)) what = scaling.on_nan;
        if (value == float_inf) what = scaling.on_inf;
        if (what == Unusable::keep) throw std::invalid_argument("a block has no earlier scale to keep");
        if (what == Unusable::one) return {};
        first = inverse_first ? 1 / value : value;
    } else {
        first = first_of(scaling, value);
    }
    if (inverse_first) first = limited(scaling, first);
    if (scaling.power_of_two && first > 0 && first < float_inf) first = to_power_of_two(first, !inverse_first);
    if (inverse_first) return {bits_of(kept_in(*scaling.kept, 1 / first)), bits_of(first)};
    const float scale = kept_in(*scaling.kept, first);
    return {bits_of(scale), bits_of(limited(scaling, 1 / scale))};
}

} // namespace mxcert::fast
