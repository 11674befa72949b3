// SPDX-License-Identifier: Apache-2.0
// Printing codes and their values. Every text is exact.

#include "reference/exact/number.hpp"

namespace mxcert {
namespace {

using exact::Integer;
using exact::Rational;

std::string binary(Code value, int bits) {
    std::string text;
    for (int i = bits - 1; i >= 0; --i) text += (value >> static_cast<unsigned>(i) & 1U) != 0 ? '1' : '0';
    return text;
}

} // namespace

std::string decimal_text(const Format& format, Code code) {
    const exact::Value value = exact::decode(format, code);
    if (value.kind == exact::Kind::nan) return "NaN";
    const std::string sign = value.negative ? "-" : "";
    return sign + (value.kind == exact::Kind::inf ? "Inf" : exact::decimal(value.magnitude));
}

std::string hex_float(const Format& format, Code code) {
    const exact::Value value = exact::decode(format, code);
    std::string text = value.negative ? "-" : "";
    if (value.kind == exact::Kind::nan) return text + "nan";
    if (value.kind == exact::Kind::inf) return text + "inf";
    if (value.magnitude == 0) return text + "0x0p+0";
    const int exponent = exact::floor_log2(value.magnitude);
    Rational rest = value.magnitude / exact::power_of_two(exponent) - 1;
    text += "0x1";
    if (rest != 0) text += '.';
    while (rest != 0) {
        rest *= 16;
        const Integer digit = floor(rest);
        text += "0123456789abcdef"[static_cast<unsigned>(digit)];
        rest -= Rational(digit);
    }
    return text + (exponent < 0 ? "p-" : "p+") + std::to_string(exponent < 0 ? -exponent : exponent);
}

std::string factored(const Rational& magnitude) {
    if (magnitude == 0) return "0";
    const int exponent = exact::floor_log2(magnitude);
    return exact::decimal(magnitude / exact::power_of_two(exponent)) + " x 2^" + std::to_string(exponent);
}

std::string fields_text(const Format& format, Code code) {
    if (format.scale != nullptr)
        return fields_text(*format.scale, format.scale_of(code)) + "  " +
               fields_text(*format.value, format.value_of(code));
    if (format.is_twos_complement()) // a fixed point: no field is a sign or an exponent
        return binary(code >> static_cast<unsigned>(format.fraction_bits), format.width() - format.fraction_bits) +
               "." + binary(code & format.fraction_mask(), format.fraction_bits);
    if (format.flags_of != nullptr) return binary(code, format.width());
    std::string text;
    if (format.is_signed) text += (code & format.sign_bit()) != 0 ? "1|" : "0|";
    text +=
        binary((code & format.magnitude_mask()) >> static_cast<unsigned>(format.fraction_bits), format.exponent_bits);
    if (format.fraction_bits > 0) text += "|" + binary(code & format.fraction_mask(), format.fraction_bits);
    return text;
}

} // namespace mxcert
