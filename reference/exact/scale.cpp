// SPDX-License-Identifier: Apache-2.0
#include <stdexcept>

#include "reference/exact/exact.hpp"
#include "reference/scale_rule.hpp"

namespace mxcert::exact {

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
