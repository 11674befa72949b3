// SPDX-License-Identifier: Apache-2.0
#include "reference/fast/recipe/hadamard.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdlib>
#include <stdexcept>

#include "reference/fast/term.hpp"
#include "reference/fast/wide_sum.hpp"

namespace mxcert::fast {
namespace {

using recipe::Hadamard;
using recipe::hadamard_size;
using recipe::HadamardValue;
using HadamardGroup = std::array<Term, hadamard_size>;

constexpr int lowest_place = -149 - 2 + recipe::hadamard_bound; ///< of a bound, of the last bit of a binary32
constexpr int highest_place = 130;
constexpr Term largest_binary32{TermKind::finite, false, (1U << 24U) - 1, 104};

constexpr Choices keeps_inf() {
    Choices choices;
    choices.overflow = Overflow::nosat;
    return choices;
}

Code code_of_sum(const Format& target, const WideSum& sum) {
    const WideSum::Leading leading = sum.leading();
    return result_of(target, keeps_inf(), leading.term, leading.sticky);
}

Term shifted_by(Term term, int power) {
    term.exponent += power;
    return term;
}
Term with_sign(Term term, bool negative) {
    term.negative = negative;
    return term;
}

/// A group as whole numbers of a unit, where no order of their sums loses anything.
struct GroupInUnits {
    bool exact = false;
    int exponent = 0;
    std::array<std::int64_t, hadamard_size> numbers{};
};

GroupInUnits in_units(const HadamardGroup& group) {
    GroupInUnits units;
    bool any = false;
    for (const Term& term : group) {
        if (term.kind != TermKind::finite) return units;
        if (term.significand == 0) continue;
        const int last = term.exponent + std::countr_zero(static_cast<std::uint64_t>(term.significand));
        units.exponent = any ? std::min(units.exponent, last) : last;
        any = true;
    }
    std::uint64_t all = 0;
    for (std::size_t i = 0; i < group.size(); ++i) {
        const Term& term = group[i];
        if (term.significand == 0) continue;
        if (term.exponent + width_of(term.significand) - units.exponent > recipe::hadamard_exact_bits) return units;
        const int shift = term.exponent - units.exponent;
        const auto significand = static_cast<std::uint64_t>(term.significand);
        const std::uint64_t number = shift >= 0 ? significand << shift : significand >> -shift;
        all += number;
        units.numbers[i] = term.negative ? -static_cast<std::int64_t>(number) : static_cast<std::int64_t>(number);
    }
    const auto bits = static_cast<int>(std::bit_width(all));
    units.exact = all == 0 || (bits <= recipe::hadamard_exact_bits && units.exponent >= recipe::hadamard_lowest_bit &&
                               bits + units.exponent <= 128);
    return units;
}

bool can_overflow(const HadamardGroup& terms, bool negative) {
    WideSum sum(lowest_place, highest_place);
    sum.add(with_sign(largest_binary32, true));
    for (const Term& term : terms) {
        if (term.kind != TermKind::finite || term.negative != negative) continue;
        sum.add(with_sign(term, false));
        sum.add(shifted_by(with_sign(term, false), recipe::hadamard_bound));
    }
    const Term over = sum.leading().term;
    return over.significand != 0 && !over.negative;
}

/// One end of what a sum may be.
Code end_of(const HadamardGroup& terms, const Format& target, bool lower) {
    WideSum sum(lowest_place, highest_place);
    for (const Term& term : terms) {
        sum.add(shifted_by(term, -2));
        sum.add(shifted_by(with_sign(term, lower), recipe::hadamard_bound - 2));
    }
    sum.add({TermKind::finite, lower, 1, recipe::hadamard_least_bound});
    return code_of_sum(target, sum);
}

HadamardValue inexact_value_of(const HadamardGroup& terms, const Format& target) {
    const auto any = [&](auto is) { return std::any_of(terms.begin(), terms.end(), is); };
    const bool plus = any([](const Term& term) { return term.kind == TermKind::inf && !term.negative; });
    const bool minus = any([](const Term& term) { return term.kind == TermKind::inf && term.negative; });
    if ((plus && minus) || any([](const Term& term) { return term.kind == TermKind::nan; }))
        return {false, 0, 0, false, false, true};
    HadamardValue value;
    if (plus || minus) {
        value.low = value.high = target.inf_code() | (minus ? target.sign_bit() : 0);
        value.nan = can_overflow(terms, plus);
        return value;
    }
    value.low = end_of(terms, target, true);
    value.high = end_of(terms, target, false);
    value.plus_inf = can_overflow(terms, false);
    value.minus_inf = can_overflow(terms, true);
    value.nan = value.plus_inf && value.minus_inf;
    return value;
}

} // namespace

std::vector<HadamardValue> hadamard(const Hadamard& transform, const Format& source, const Format& target,
                                    std::span<const Code> group) {
    if (group.size() > hadamard_size) throw std::invalid_argument("a Hadamard transform is of 16 values");
    HadamardGroup values{};
    for (std::size_t i = 0; i < group.size(); ++i) values[i] = term_of(source, group[i]);
    const GroupInUnits units = in_units(values);
    const bool any_zero = std::any_of(values.begin(), values.end(), [](const Term& term) { return term.is_zero(); });
    std::vector<HadamardValue> all;
    for (std::size_t j = 0; j < group.size(); ++j) {
        HadamardGroup terms = values;
        std::int64_t sum = 0;
        for (std::size_t i = 0; i < terms.size(); ++i) {
            const bool changed = is_negative(transform, i, j);
            terms[i].negative = terms[i].negative != changed;
            sum += changed ? -units.numbers[i] : units.numbers[i];
        }
        HadamardValue value;
        if (units.exact) {
            const Term quarter{TermKind::finite, sum < 0, static_cast<std::uint64_t>(std::llabs(sum)),
                               units.exponent - 2};
            value.low = value.high = result_of(target, keeps_inf(), quarter);
            if (any_zero && sum == 0) value.low = target.sign_bit();
        } else {
            value = inexact_value_of(terms, target);
        }
        const bool at_last = transform.inverse && (transform.signs >> j & 1U) != 0;
        if (at_last && value.number && value.low == 0) value.low = target.sign_bit();
        if (at_last && value.number && value.high == target.sign_bit()) value.high = 0;
        all.push_back(value);
    }
    return all;
}

} // namespace mxcert::fast
