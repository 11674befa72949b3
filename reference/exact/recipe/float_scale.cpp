// SPDX-License-Identifier: Apache-2.0
#include "reference/exact/recipe/float_scale.hpp"

#include <stdexcept>

#include "reference/code_text.hpp"
#include "reference/exact/arithmetic.hpp"

namespace mxcert::exact {
namespace {

using formats::fp32;
using formats::fp64;
using recipe::First;
using recipe::FloatScale;
using recipe::Scales;
using recipe::unity;
using recipe::Unusable;

/// Which choice says what this amax gives, if it is unusable.
const Unusable* unusable(const FloatScale& scaling, Code amax) {
    if (fp32.is_nan(amax)) return &scaling.on_nan;
    if (fp32.is_inf(amax)) return &scaling.on_inf;
    if (amax == 0 && scaling.least_amax == 0) return &scaling.on_zero;
    return nullptr;
}

/// numerator / denominator, both finite and positive.
Code scale_quotient(recipe::Quotient how, const Rational& numerator, const Rational& denominator) {
    if (how == recipe::Quotient::divide) return nearest(fp32, false, numerator / denominator);
    return multiply(fp32, nearest(fp32, false, 1 / denominator), nearest(fp32, false, numerator));
}

/// The power of two next to a finite, positive value, or the value if it is one.
Code power_of_two_next_to(Code value, Rounding rounding) {
    const Rational magnitude = decode(fp32, value).magnitude;
    const Rational lower = power_of_two(floor_log2(magnitude));
    return nearest(fp32, false, lower == magnitude || rounding == Rounding::down ? lower : 2 * lower);
}

bool is_scale_number(Code code) { return fp32.is_finite(code) && code != 0; }

Code reciprocal_of_scale(const FloatScale& scaling, Code code, bool to_inverse) {
    const Code result = divide(fp32, unity, code);
    return to_inverse && fp32.is_inf(result) && scaling.limit != nullptr
               ? convert(*scaling.limit, fp32, {}, scaling.limit->max_code()).code
               : result;
}

/// The first of the two, of an amax that is finite and above zero.
Code first_scale_of(const FloatScale& scaling, const Rational& amax) {
    const Rational largest = decode(*scaling.element, scaling.element->max_code()).magnitude;
    const Rational margin = power_of_two(scaling.exponent);
    const bool of_largest = scaling.power == recipe::Power::of_largest;
    const bool to_inverse = scaling.first == First::inverse;
    Rational raised = amax;
    if (scaling.factor != unity) {
        // The product is an operation of binary32; where it overflows, the quotient is that of Inf.
        const Code product = nearest(fp32, false, amax * decode(fp32, scaling.factor).magnitude);
        if (!is_scale_number(product)) {
            const Code inf = fp32.inf_code();
            return fp32.is_inf(product) == to_inverse ? 0 : inf;
        }
        raised = decode(fp32, product).magnitude;
    }
    const Rational top = of_largest ? largest / margin : largest;
    const Code result =
        to_inverse ? scale_quotient(scaling.quotient, top, raised) : scale_quotient(scaling.quotient, raised, top);
    if (of_largest || scaling.exponent == 0) return result;
    const Rational power = to_inverse ? Rational(1 / margin) : margin;
    return multiply(fp32, result, nearest(fp32, false, power));
}

} // namespace

std::optional<Scales> scales_of(const FloatScale& scaling, Code amax) {
    check(scaling);
    if (amax > fp32.last_code()) throw std::invalid_argument("an amax is a bit pattern of binary32: 32 bits");
    if ((amax & fp32.sign_bit()) != 0 && !fp32.is_nan(amax))
        throw std::invalid_argument("an amax has no sign: " + code_text(fp32, amax));
    const bool inverse_first = scaling.first == First::inverse;
    Code first = 0;
    if (const Unusable* what = unusable(scaling, amax); what != nullptr) {
        if (*what == Unusable::keep) return std::nullopt;
        if (*what == Unusable::one) return Scales{};
        if (fp32.is_nan(amax))
            first = quiet_nan(fp32);
        else
            first = (amax == 0) == inverse_first ? fp32.inf_code() : 0;
    } else {
        Rational magnitude = decode(fp32, amax).magnitude;
        const Rational least = decode(fp64, scaling.least_amax).magnitude;
        if (magnitude < least) magnitude = least;
        first = first_scale_of(scaling, magnitude);
    }
    if (inverse_first && fp32.is_inf(first) && scaling.limit != nullptr)
        first = convert(*scaling.limit, fp32, {}, scaling.limit->max_code()).code;
    if (scaling.power_of_two && is_scale_number(first))
        first = power_of_two_next_to(first, inverse_first ? Rounding::down : Rounding::up);
    const auto kept = [&](Code scale) {
        if (scaling.kept == &fp32 || !fp32.is_finite(scale)) return scale;
        const Code narrow = nearest(*scaling.kept, false, decode(fp32, scale).magnitude);
        return scaling.kept->is_inf(narrow) ? fp32.inf_code() : convert(*scaling.kept, fp32, {}, narrow).code;
    };
    if (inverse_first) return Scales{kept(reciprocal_of_scale(scaling, first, false)), first};
    const Code scale = kept(first);
    return Scales{scale, reciprocal_of_scale(scaling, scale, true)};
}

} // namespace mxcert::exact
