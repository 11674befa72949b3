// SPDX-License-Identifier: Apache-2.0
// Powers of two, logarithms and decimal text of exact rationals.
#include <algorithm>

#include "reference/exact/exact.hpp"

namespace mxcert::exact {

Rational power_of_two(int e) {
    const Integer power = Integer{1} << static_cast<unsigned>(e < 0 ? -e : e);
    return e < 0 ? Rational(Integer{1}, power) : Rational(power);
}

int floor_log2(const Rational& x) {
    const Integer n = numerator(x);
    const Integer d = denominator(x);
    const int e = static_cast<int>(msb(n)) - static_cast<int>(msb(d));
    // n / d lies in (2^(e-1), 2^(e+1)).
    const bool below = e >= 0 ? n < (d << static_cast<unsigned>(e)) : (n << static_cast<unsigned>(-e)) < d;
    return below ? e - 1 : e;
}

std::string decimal(const Rational& x) {
    Integer n = numerator(x);
    const Integer d = denominator(x);
    const bool negative = n < 0;
    if (negative) n = -n;
    const auto twos = static_cast<unsigned>(msb(d));
    if (d != Integer{1} << twos) throw std::logic_error("decimal: not a dyadic rational");
    // n / 2^k = n 5^k / 10^k: exactly k digits after the point.
    std::string digits = Integer(n * pow(Integer{5}, twos)).str();
    if (digits.size() <= twos) digits.insert(0, twos + 1 - digits.size(), '0');
    if (twos > 0) {
        digits.insert(digits.size() - twos, 1, '.');
        digits.erase(digits.find_last_not_of('0') + 1);
        if (digits.back() == '.') digits.pop_back();
    }
    return negative ? "-" + digits : digits;
}

} // namespace mxcert::exact
