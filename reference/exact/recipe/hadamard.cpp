// SPDX-License-Identifier: Apache-2.0
#include "reference/exact/recipe/hadamard.hpp"

#include <algorithm>
#include <stdexcept>

#include "reference/exact/arithmetic.hpp"

namespace mxcert::exact {
namespace {

using formats::fp32;
using recipe::Hadamard;
using recipe::HadamardValue;

/// The terms of one sum.
struct SignedTerms {
    Rational plus;            ///< the positive ones
    Rational minus;           ///< magnitudes of the negative ones
    bool nan = false;         ///< there is one
    bool plus_inf = false;    ///< the same
    bool minus_inf = false;   ///< the same
    bool any_zero = false;    ///< one is zero
    bool any_nonzero = false; ///< one is not zero
    int lowest = 0;           ///< the last bit of all, where one is not zero
};

void take(SignedTerms& terms, const Value& value, bool negated) {
    const bool negative = value.negative != negated;
    terms.nan = terms.nan || value.kind == Kind::nan;
    terms.any_zero = terms.any_zero || (value.kind == Kind::finite && value.magnitude.is_zero());
    if (value.kind == Kind::inf) (negative ? terms.minus_inf : terms.plus_inf) = true;
    if (value.kind != Kind::finite || value.magnitude.is_zero()) return;
    const int last = value.magnitude.last_bit();
    terms.lowest = terms.any_nonzero ? std::min(terms.lowest, last) : last;
    terms.any_nonzero = true;
    (negative ? terms.minus : terms.plus) += value.magnitude;
}

Rational largest_binary32() { return decode(fp32, fp32.max_code()).magnitude; }

/// Whether a sum of numbers of one sign can be beyond the largest binary32 in some order.
bool can_overflow(const Rational& sum) { return sum * (1 + power_of_two(recipe::hadamard_bound)) > largest_binary32(); }

bool no_order_loses(const SignedTerms& terms) {
    if (!terms.any_nonzero) return true;
    const Rational all = terms.plus + terms.minus;
    return terms.lowest >= recipe::hadamard_lowest_bit && all <= largest_binary32() &&
           all < power_of_two(terms.lowest + recipe::hadamard_exact_bits);
}

Code rounded_sum(const Format& target, const Rational& value) { return nearest(target, value.sign() < 0, abs(value)); }

/// `negated_at_last`: an implementation may change the sign of the sum.
HadamardValue hadamard_value_of(const SignedTerms& terms, const Format& target, bool negated_at_last) {
    HadamardValue value;
    if (terms.nan || (terms.plus_inf && terms.minus_inf)) return {false, 0, 0, false, false, true};
    const bool plus_inf = can_overflow(terms.plus);
    const bool minus_inf = can_overflow(terms.minus);
    if (terms.plus_inf || terms.minus_inf) {
        value.low = value.high = target.inf_code() | (terms.minus_inf ? target.sign_bit() : 0);
        value.nan = terms.plus_inf ? minus_inf : plus_inf;
        return value;
    }
    const Rational all = terms.plus + terms.minus;
    const Rational quarter{1, 4};
    const Rational sum = (terms.plus - terms.minus) * quarter;
    const bool exact = no_order_loses(terms);
    const Rational bound =
        exact ? Rational(0)
              : all * quarter * power_of_two(recipe::hadamard_bound) + power_of_two(recipe::hadamard_least_bound);
    value.low = rounded_sum(target, sum - bound);
    value.high = rounded_sum(target, sum + bound);
    value.plus_inf = plus_inf && !exact;
    value.minus_inf = minus_inf && !exact;
    value.nan = value.plus_inf && value.minus_inf;
    const Code zero = 0;
    const Code minus_zero = target.sign_bit();
    if (terms.any_zero && exact && sum.is_zero()) value.low = minus_zero;
    if (negated_at_last) {
        if (value.low == zero) value.low = minus_zero;
        if (value.high == minus_zero) value.high = zero;
    }
    return value;
}

} // namespace

std::vector<HadamardValue> hadamard(const Hadamard& transform, const Format& source, const Format& target,
                                    std::span<const Code> group) {
    if (group.size() > recipe::hadamard_size) throw std::invalid_argument("a Hadamard transform is of 16 values");
    std::vector<Value> values;
    for (const Code code : group) values.push_back(decode(source, code));
    values.resize(recipe::hadamard_size);
    std::vector<HadamardValue> all;
    for (std::size_t j = 0; j < group.size(); ++j) {
        SignedTerms terms;
        for (std::size_t i = 0; i < values.size(); ++i) take(terms, values[i], is_negative(transform, i, j));
        all.push_back(hadamard_value_of(terms, target, transform.inverse && (transform.signs >> j & 1U) != 0));
    }
    return all;
}

} // namespace mxcert::exact
