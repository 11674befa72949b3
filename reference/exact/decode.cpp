// SPDX-License-Identifier: Apache-2.0
#include <stdexcept>

#include "reference/exact/exact.hpp"

namespace mxcert::exact {
namespace {

Value scaled(Scaling scaling, Value value, const Value& scale) {
    if (scale.kind == Kind::nan) return {Kind::nan, value.negative, 0, 0};
    if (value.kind != Kind::finite) return value;
    if (scaling == Scaling::divide)
        value.magnitude /= scale.magnitude;
    else
        value.magnitude *= scale.magnitude;
    return value;
}

} // namespace

Value decode(const Format& from, Code code) {
    if (code > from.last_code())
        throw std::out_of_range("a code of " + std::string(from.name) + " has " + std::to_string(from.width()) +
                                " bits");
    if (from.scale != nullptr)
        return scaled(from.scaling, decode(*from.value, from.value_of(code)), decode(*from.scale, from.scale_of(code)));
    if (from.encoding == Encoding::twos_complement) {
        const Code modulus = 2 * from.sign_bit();
        Value value;
        value.negative = code >= from.sign_bit();
        value.magnitude = times_power_of_two(Integer(value.negative ? modulus - code : code), -from.fraction_bits);
        value.magnitude *= power_of_two(1 - from.bias);
        return value;
    }
    const Code fraction = code & from.fraction_mask();
    const int exponent = static_cast<int>((code & from.magnitude_mask()) >> from.fraction_bits);
    Value value;
    value.negative = (code & from.sign_bit()) != 0;

    if (from.is_nan(code)) {
        value.kind = Kind::nan;
        value.payload = fraction << (payload_bits - from.fraction_bits);
        return value;
    }
    if (from.rectified && value.negative) return {Kind::finite, false, 0, 0};
    if (from.is_inf(code)) {
        value.kind = Kind::inf;
        return value;
    }
    if (exponent == 0 && from.has_subnormals) { // 2^(1-bias) * M/2^f
        value.magnitude = times_power_of_two(Integer(fraction), 1 - from.bias - from.fraction_bits);
    } else { // 2^(E-bias) * (1 + M/2^f)
        const Code hidden = Code{1} << from.fraction_bits;
        value.magnitude = times_power_of_two(Integer(hidden | fraction), exponent - from.bias - from.fraction_bits);
    }
    return value;
}

Code encode(const Format& to, const Rational& magnitude) {
    if (magnitude.is_zero() && to.has_zero()) return 0;
    if (magnitude.sign() <= 0) throw std::logic_error("encode: not a value of the format");
    if (to.encoding == Encoding::twos_complement) {
        const auto [integer, fraction, ratio] = in_units(magnitude, to.emin() - to.fraction_bits);
        if (fraction != 0 || integer > to.max_code()) throw std::logic_error("encode: not a value of the format");
        return static_cast<Code>(integer);
    }
    const int e = std::max(floor_log2(magnitude), to.emin());
    const auto [units, rest, divisor] = in_units(magnitude, e - to.fraction_bits); // M + 2^f, or M when subnormal
    if (rest != 0) throw std::logic_error("encode: not a value of the format");
    const Code hidden = Code{1} << to.fraction_bits;
    const Code significand = static_cast<Code>(units);
    const bool subnormal = significand < hidden;
    if (subnormal && !to.has_subnormals) throw std::logic_error("encode: not a value of the format");
    const Code field = subnormal ? 0 : static_cast<Code>(e + to.bias);
    const Code code = (field << to.fraction_bits) + (subnormal ? significand : significand - hidden);
    if (code > to.max_code()) throw std::logic_error("encode: not a value of the format");
    return code;
}

} // namespace mxcert::exact
