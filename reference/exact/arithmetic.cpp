// SPDX-License-Identifier: Apache-2.0
// The operations of IEEE 754 5.4.1 by the definition: exact, then rounded; 6.1 and 7.2 say what Inf and zero give.
#include "reference/exact/arithmetic.hpp"

namespace mxcert::exact {
namespace {

Code with_sign(const Format& format, bool negative, Code magnitude) {
    return negative ? magnitude | format.sign_bit() : magnitude;
}

bool is_zero(const Value& value) { return value.kind == Kind::finite && value.magnitude.is_zero(); }

} // namespace

Code nearest(const Format& to, bool negative, const Rational& magnitude) {
    if (magnitude.is_zero()) return with_sign(to, negative, 0);
    const Rational rounded = round(to, magnitude, negative, Rounding::nearest_even).value;
    if (decode(to, to.max_code()).magnitude < rounded) return with_sign(to, negative, to.inf_code());
    return with_sign(to, negative, encode(to, rounded));
}

Code quiet_nan(const Format& to) { return to.inf_code() | Code{1} << static_cast<unsigned>(to.fraction_bits - 1); }

Code add(const Format& format, Code a, Code b) {
    const Value x = decode(format, a);
    const Value y = decode(format, b);
    if (x.kind == Kind::nan || y.kind == Kind::nan) return quiet_nan(format);
    if (x.kind == Kind::inf && y.kind == Kind::inf && x.negative != y.negative) return quiet_nan(format);
    if (x.kind == Kind::inf) return a;
    if (y.kind == Kind::inf) return b;
    const Rational sum = number(x) + number(y);
    // A sum of zero is +0 unless both are -0 (6.3).
    if (sum.is_zero()) return with_sign(format, x.negative && y.negative, 0);
    return nearest(format, sum.sign() < 0, abs(sum));
}

Code multiply(const Format& format, Code a, Code b) {
    const Value x = decode(format, a);
    const Value y = decode(format, b);
    if (x.kind == Kind::nan || y.kind == Kind::nan) return quiet_nan(format);
    const bool negative = x.negative != y.negative;
    if (x.kind == Kind::inf || y.kind == Kind::inf)
        return is_zero(x) || is_zero(y) ? quiet_nan(format) : with_sign(format, negative, format.inf_code());
    return nearest(format, negative, x.magnitude * y.magnitude);
}

Code divide(const Format& format, Code a, Code b) {
    const Value x = decode(format, a);
    const Value y = decode(format, b);
    if (x.kind == Kind::nan || y.kind == Kind::nan) return quiet_nan(format);
    const bool negative = x.negative != y.negative;
    if (x.kind == Kind::inf)
        return y.kind == Kind::inf ? quiet_nan(format) : with_sign(format, negative, format.inf_code());
    if (y.kind == Kind::inf) return with_sign(format, negative, 0);
    if (is_zero(y)) return is_zero(x) ? quiet_nan(format) : with_sign(format, negative, format.inf_code());
    return nearest(format, negative, x.magnitude / y.magnitude);
}

} // namespace mxcert::exact
