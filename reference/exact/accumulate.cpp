// SPDX-License-Identifier: Apache-2.0
// An accumulator in the order of its description: the specials, the exponents, the cuts, the sum, the result.
#include "reference/exact/accumulate.hpp"

#include <algorithm>
#include <stdexcept>

#include "reference/exact/products.hpp"

namespace mxcert::exact {
namespace {

/// A sum of aligned terms: a multiple of 2^(exponent - fraction).
struct AlignedSum {
    Rational number;
    int exponent = 0;
    bool empty = true;
};

Value value_of(const Rational& x) { return {Kind::finite, x.sign() < 0, abs(x), 0}; }

/// x cut to a multiple of 2^place.
Rational cut(const Rational& x, int place, Rounding rounding) {
    auto [whole, rest, divisor] = in_units(x, place);
    switch (rounding) {
    case Rounding::toward_zero: break;
    case Rounding::down:
        if (rest.sign() < 0) --whole;
        break;
    case Rounding::nearest_even: {
        const Integer twice = abs(rest) * 2;
        if (twice > divisor || (twice == divisor && (whole & 1) != 0)) whole += x.sign() < 0 ? -1 : 1;
        break;
    }
    case Rounding::to_odd:
        if (rest != 0 && (whole & 1) == 0) whole += x.sign() < 0 ? -1 : 1;
        break;
    default: throw std::logic_error("no accumulator cuts by this rounding");
    }
    return times_power_of_two(whole, place);
}

AlignedSum align(const std::vector<AlignedTerm>& terms, int fraction, Rounding rounding) {
    AlignedSum sum;
    for (const AlignedTerm& term : terms) {
        sum.exponent = sum.empty ? term.exponent : std::max(sum.exponent, term.exponent);
        sum.empty = false;
    }
    for (const AlignedTerm& term : terms) sum.number += cut(term.number, sum.exponent - fraction, rounding);
    return sum;
}

/// The codes of an operand as Grouping::two_of_four takes them.
std::vector<Code> two_of_four(std::span<const Code> codes, std::size_t instruction) {
    std::vector<Code> all;
    for (std::size_t first = 0; first < codes.size(); first += instruction)
        for (const std::size_t two : {std::size_t{0}, std::size_t{2}})
            for (std::size_t four = first; four < first + instruction; four += 4)
                for (std::size_t i = four + two; i < four + two + 2; ++i)
                    all.push_back(i < codes.size() ? codes[i] : 0);
    return all;
}

class Accumulation {
  public:
    Accumulation(const Accumulator& model, const DotFormat& format, const DotOperands& operands)
        : model_(model), products_(model, format, operands), grid_(grid_of(model)) {}

    Code run() {
        const std::size_t n = products_.size();
        const std::size_t group = model_.group == 0 ? n : model_.group;
        Value sum = products_.c();
        Value promoted = sum;
        if (model_.promote != 0) sum = {};
        for (std::size_t begin = 0; begin < n; begin += group) {
            const std::size_t end = std::min(begin + group, n);
            sum = step(begin, end, sum);
            if (model_.promote == 0 || (end % model_.promote != 0 && end != n)) continue;
            promoted = promote(promoted, sum, end - 1);
            sum = {};
        }
        return code(model_.promote != 0 ? promoted : sum);
    }

  private:
    /// Rounded to a format; the zero it may become keeps its sign.
    [[nodiscard]] static Value rounded(const Format& to, Rounding rounding, const Value& value,
                                       Overflow overflow = Overflow::nosat) {
        Choices choices;
        choices.rounding = rounding;
        choices.overflow = overflow; // nosat: Inf, whatever the rounding
        Value result = decode(to, exact::result(to, choices, value));
        result.payload = 0;
        return result;
    }
    [[nodiscard]] static Value plus(const Value& x, const Value& y) { return sum({x, y}, Rounding::nearest_even); }
    [[nodiscard]] Value nearest(const Value& value) const {
        return rounded(*model_.result, Rounding::nearest_even, value);
    }
    /// What is promoted after the product `last`, with the sum since then.
    [[nodiscard]] Value promote(const Value& promoted, const Value& sum, std::size_t last) const {
        if (model_.scale_use != ScaleUse::promotion) return nearest(plus(promoted, sum));
        const Value scaled = times(sum, nearest(times(products_.scale_a(last), products_.scale_b(last))));
        return nearest(plus(promoted, model_.promote_fma ? scaled : nearest(scaled)));
    }
    /// A result of the arithmetic of the model.
    [[nodiscard]] Value in_arithmetic(const Value& exact) const {
        Value value = rounded(*model_.arithmetic, model_.arithmetic_rounding, exact);
        const bool subnormal = value.kind == Kind::finite && value.magnitude < power_of_two(model_.arithmetic->emin());
        if (model_.flush && subnormal) value.magnitude = 0;
        return value;
    }

    /// One group.
    [[nodiscard]] Value step(std::size_t begin, std::size_t end, const Value& c) const {
        switch (model_.sum) {
        case GroupSum::aligned:
        case GroupSum::even_odd:
        case GroupSum::scaled_terms:
            if (model_.addend != Addend::rounded) return to_result(aligned_step(begin, end, c));
            return to_result(in_arithmetic(plus(c, in_arithmetic(aligned_step(begin, end, {})))));
        default: break;
        }
        if (model_.addend == Addend::in_group) return to_result(sum_of(begin, end, c, true));
        return to_result(in_arithmetic(plus(c, in_arithmetic(sum_of(begin, end, {}, false)))));
    }

    /// The sum of a group in the model's arithmetic, from c on where it is the first term.
    [[nodiscard]] Value sum_of(std::size_t begin, std::size_t end, Value sum, bool has_c) const {
        switch (model_.sum) {
        case GroupSum::tree: return tree(begin, end);
        case GroupSum::pairs: return pairs(begin, end);
        case GroupSum::exact: {
            std::vector<Value> all;
            for (std::size_t i = begin; i < end; ++i) all.push_back(products_.product(i));
            if (has_c) all.push_back(sum);
            return exact::sum(all, Rounding::nearest_even);
        }
        default: break;
        }
        for (std::size_t i = begin; i < end; ++i) {
            const Value exact = products_.product(i);
            sum = in_arithmetic(plus(sum, model_.sum == GroupSum::multiply_add ? in_arithmetic(exact) : exact));
        }
        return sum;
    }
    [[nodiscard]] Value tree(std::size_t begin, std::size_t end) const {
        // A product is added to +0, so a zero one is +0.
        if (end - begin == 1) return in_arithmetic(plus(products_.product(begin), {}));
        const std::size_t middle = begin + (end - begin) / 2;
        return in_arithmetic(plus(tree(begin, middle), tree(middle, end)));
    }

    [[nodiscard]] Value pairs(std::size_t begin, std::size_t end) const {
        Value running[2];
        for (std::size_t first = begin; first < end; first += 2) {
            Value pair = in_arithmetic(products_.product(first));
            if (first + 1 < end) pair = in_arithmetic(plus(pair, in_arithmetic(products_.product(first + 1))));
            Value& sum = running[(first - begin) / 2 % 2];
            sum = in_arithmetic(plus(sum, pair));
        }
        return in_arithmetic(plus(running[0], running[1]));
    }

    [[nodiscard]] Value aligned_step(std::size_t begin, std::size_t end, const Value& c) const {
        std::vector<Value> all;
        for (std::size_t i = begin; i < end; ++i) all.push_back(products_.product(i));
        const std::vector<Value> products = all;
        all.push_back(c);
        const Value special = exact::sum(all, Rounding::nearest_even);
        if (special.kind != Kind::finite) return special;
        if (model_.large_is_inf) {
            std::vector<Value> infinite;
            for (const Value& one : products)
                if (one.magnitude >= power_of_two(128)) infinite.push_back({Kind::inf, one.negative, 0, 0});
            if (!infinite.empty()) return exact::sum(infinite, Rounding::nearest_even);
        }
        switch (model_.addend) {
        case Addend::in_group: return value_of(with_c(begin, end, c));
        case Addend::aligned_down: return value_of(above_c(begin, end, c));
        default: return value_of(without_c(begin, end).number);
        }
    }

    [[nodiscard]] Rational with_c(std::size_t begin, std::size_t end, const Value& c) const {
        std::vector<AlignedTerm> all = products_.terms(begin, end, 1);
        all.push_back({number(c), products_.exponent(*model_.result, c)});
        return align(all, model_.fraction, model_.align).number;
    }
    /// The products of a group.
    [[nodiscard]] AlignedSum without_c(std::size_t begin, std::size_t end) const {
        AlignedSum group =
            align(products_.terms(begin, end, model_.sum == GroupSum::even_odd ? 2 : 1), model_.fraction, model_.align);
        if (model_.sum == GroupSum::even_odd && begin + 1 < end) {
            const AlignedSum odd = align(products_.terms(begin + 1, end, 2), model_.fraction, model_.align);
            const int e = std::max(group.exponent, odd.exponent);
            group.number = cut(group.number, e - model_.fraction, Rounding::down) +
                           cut(odd.number, e - model_.fraction, Rounding::down);
            group.exponent = e;
        }
        return group;
    }
    [[nodiscard]] Rational above_c(std::size_t begin, std::size_t end, const Value& c) const {
        const AlignedSum group = without_c(begin, end);
        const int of_c = products_.exponent(*model_.result, c);
        const int e = std::max(group.exponent, of_c);
        Rational sum = cut(group.number, e - model_.sum_fraction, Rounding::down);
        if (model_.addend_window == 0 || of_c >= e - model_.addend_window)
            sum += cut(number(c), e - model_.addend_fraction, Rounding::down);
        return sum;
    }

    /// The result of a group.
    [[nodiscard]] Value to_result(const Value& exact) const {
        Value value = rounded(grid_, model_.rounding, exact, model_.overflow);
        if (model_.zero_sign == ZeroSign::dropped && value.kind == Kind::finite && value.magnitude.is_zero())
            value.negative = false;
        return value;
    }
    [[nodiscard]] Code code(const Value& value) const {
        Choices choices;
        choices.overflow = Overflow::nosat;
        choices.nan = model_.nan;
        return exact::result(*model_.result, choices, value);
    }

    const Accumulator& model_;
    Products products_;
    Format grid_;
};

} // namespace

Code accumulate(const Accumulator& accumulator, const DotFormat& format, const DotOperands& operands) {
    check(accumulator, format, operands);
    if (operands.a.empty()) throw std::invalid_argument("an accumulator has products to add");
    if (accumulator.grouping != Grouping::two_of_four) return Accumulation(accumulator, format, operands).run();
    const std::vector<Code> a = two_of_four(operands.a, 2 * accumulator.group);
    const std::vector<Code> b = two_of_four(operands.b, 2 * accumulator.group);
    DotOperands grouped = operands;
    grouped.a = a;
    grouped.b = b;
    return Accumulation(accumulator, format, grouped).run();
}

} // namespace mxcert::exact
