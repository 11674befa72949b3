// SPDX-License-Identifier: Apache-2.0
// Powers of two, logarithms and decimal text of exact rationals.
#include <algorithm>
#include <cstdlib>

#include "reference/exact/exact.hpp"

namespace mxcert::exact {

Rational power_of_two(int e) {
    const Integer power = Integer{1} << static_cast<unsigned>(e < 0 ? -e : e);
    return e < 0 ? Rational(Integer{1}, power) : Rational(power);
}

Rational times_power_of_two(Integer n, int e) {
    if (n == 0) return 0;
    if (e < 0) { // in lowest terms: there is no divisor to be found
        const int twos = std::min(static_cast<int>(lsb(n < 0 ? Integer(-n) : n)), -e);
        n >>= static_cast<unsigned>(twos);
        e += twos;
    }
    if (e >= 0) return Rational(Integer(n << static_cast<unsigned>(e)));
    return {n, Integer{1} << static_cast<unsigned>(-e)};
}

Units in_units(const Rational& x, int place) {
    Integer dividend = numerator(x);
    Units units{0, 0, denominator(x)};
    (place < 0 ? dividend : units.divisor) <<= static_cast<unsigned>(std::abs(place));
    const auto twos = static_cast<unsigned>(msb(units.divisor));
    if (dividend >= 0 && lsb(units.divisor) == twos) { // of a dyadic number, as nearly all are: a shift
        units.whole = dividend >> twos;
        units.rest = dividend - (units.whole << twos);
    } else {
        divide_qr(dividend, units.divisor, units.whole, units.rest);
    }
    return units;
}

bool below(const Rational& a, const Rational& b) {
    return numerator(a) * denominator(b) < numerator(b) * denominator(a);
}

Rational product(const Rational& a, const Rational& b) {
    const Integer d = denominator(a) * denominator(b);
    const auto twos = static_cast<int>(msb(d));
    // A product of dyadic numbers, as nearly all are: no divisor is to be found.
    return d == Integer{1} << static_cast<unsigned>(twos) ? times_power_of_two(numerator(a) * numerator(b), -twos)
                                                          : Rational(a * b);
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
