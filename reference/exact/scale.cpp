// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cstdlib>
#include <stdexcept>

#include "reference/exact/exact.hpp"
#include "reference/scale_rule.hpp"

namespace mxcert::exact {
namespace {

constexpr unsigned root_bits = 200; // after the point; amaxes have 23

/// 2^(2^-j), rounded down to root_bits.
Rational root_of_two(unsigned j) {
    static const auto roots = [] {
        std::array<Integer, 32> all; // j up to 25 is asked for
        all[0] = Integer{2} << root_bits;
        for (std::size_t i = 1; i < all.size(); ++i) all[i] = sqrt(Integer(all[i - 1] << root_bits));
        return all;
    }();
    return {roots.at(j), Integer{1} << root_bits};
}

} // namespace

Rational by_log2(const Format& format, const Rational& x) {
    for (const int whole : {floor_log2(x), floor_log2(x) + 1}) {
        const Rational power = power_of_two(whole);
        // The logarithm of 1 is zero, and beside zero a format is finer than any logarithm.
        if (whole == 0 || x == power) continue;
        // The step of the format beside the whole number, on the side of log2 x: half of it belongs to the whole
        // number. Below a power of two (of the logarithm's own magnitude) it is half as wide.
        const auto magnitude = static_cast<unsigned>(std::abs(whole));
        const bool away_from_zero = (x > power) == (whole > 0);
        const int exponent = floor_log2(Rational(magnitude));
        const bool narrow = !away_from_zero && magnitude == 1U << static_cast<unsigned>(exponent);
        const int step = exponent - format.fraction_bits - (narrow ? 1 : 0);
        // |log2 x - whole| < 2^(step - 1), and no logarithm but a whole one is half way.
        const Rational ratio = x > power ? x / power : power / x;
        if (ratio < root_of_two(static_cast<unsigned>(1 - step))) return power;
    }
    return x;
}

Quotient quotient_of(ScaleRule rule, const Format& element) {
    const ScaleRuleInfo& entry = info(rule);
    const Rational largest = decode(element, element.max_code()).magnitude;
    const Rational power = power_of_two(element.emax());
    const Rational half_ulp = power_of_two(element.emax() - element.fraction_bits - 1);
    switch (entry.divisor) {
    case Divisor::largest: return {largest, entry.rounding};
    case Divisor::largest_power: return {power, entry.rounding};
    case Divisor::half_power: return {power / 2, entry.rounding};
    case Divisor::half_ulp_below: return {2 * power - half_ulp, entry.rounding};
    case Divisor::overflow_tie:
        // The tie itself goes to the largest element if that has an even code. If not it must not be reached: the
        // power of two above the quotient, which is the one below twice the quotient or equal to that.
        if (element.max_code() % 2 == 0) return {largest + half_ulp, entry.rounding};
        return {(largest + half_ulp) / 2, Rounding::toward_zero};
    case Divisor::one: return {1, entry.rounding};
    }
    throw std::logic_error("no such divisor");
}

} // namespace mxcert::exact
