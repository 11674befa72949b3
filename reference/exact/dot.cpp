// SPDX-License-Identifier: Apache-2.0
// MX v1.0 6.1, 6.2: the sum of products times scales. In real numbers neither order nor grouping says anything.
#include "reference/exact/dot.hpp"

#include <algorithm>
#include <stdexcept>

namespace mxcert::exact {
namespace {

bool is_zero(const Value& value) { return value.kind == Kind::finite && value.magnitude.is_zero(); }

Code with_sign(const Format& to, bool negative, Code magnitude) {
    return negative ? magnitude | to.sign_bit() : magnitude;
}

Code nan_code(const Format& to, NanRule rule) {
    if (to.specials == Specials::ieee && rule == NanRule::quiet)
        return to.inf_code() | Code{1} << static_cast<unsigned>(to.fraction_bits - 1);
    return to.magnitude_mask();
}

/// Inf, or NaN where the format has none (OFP8 Table 3).
Code special(const Format& to, const Choices& choices, bool negative) {
    if (to.has_inf()) return with_sign(to, negative, to.inf_code());
    return with_sign(to, overflow_nan_is_negative(choices, negative), to.magnitude_mask());
}

/// Whether a rounding takes an overflowing magnitude inward, which DirectedOverflow speaks of.
bool points_inward(Rounding rounding, bool negative) {
    switch (rounding) {
    case Rounding::toward_zero:
    case Rounding::to_odd: return true;
    case Rounding::up: return negative;
    case Rounding::down: return !negative;
    default: return false;
    }
}

void check_random(Rounding rounding, Random random) {
    if (!is_stochastic(rounding)) return;
    if (random.bits < 1 || random.bits > 32)
        throw std::invalid_argument("a stochastic rounding takes 1 to 32 random bits");
    if (random.bits < 32 && (random.value >> random.bits) != 0)
        throw std::invalid_argument("R does not fit its random bits");
}

} // namespace

Value times(const Value& x, const Value& y) {
    const bool negative = x.negative != y.negative;
    if (x.kind == Kind::nan || y.kind == Kind::nan) return {Kind::nan, false, 0, 0};
    if (x.kind == Kind::inf || y.kind == Kind::inf) {
        if (is_zero(x) || is_zero(y)) return {Kind::nan, false, 0, 0};
        return {Kind::inf, negative, 0, 0};
    }
    return {Kind::finite, negative, x.magnitude * y.magnitude, 0};
}

Value sum(const std::vector<Value>& terms, Rounding rounding) {
    Rational total = 0;
    bool infinite[2] = {};
    bool signs[2] = {};
    for (const Value& term : terms) {
        if (term.kind == Kind::nan) return term;
        if (term.kind == Kind::inf) infinite[term.negative ? 1 : 0] = true;
        if (term.kind == Kind::finite) total += number(term);
        signs[term.negative ? 1 : 0] = true;
    }
    if (infinite[0] && infinite[1]) return {Kind::nan, false, 0, 0};
    if (infinite[0] || infinite[1]) return {Kind::inf, infinite[1], 0, 0};
    if (!total.is_zero()) return {Kind::finite, total.sign() < 0, abs(total), 0};
    // Terms of both signs that cancel, or zeros of both signs.
    const bool cancelled = signs[0] && signs[1];
    return {Kind::finite, cancelled ? rounding == Rounding::down : signs[1], 0, 0};
}

std::vector<Value> terms(const DotFormat& format, const DotOperands& operands) {
    check(format, operands);
    std::vector<Value> all;
    for (std::size_t i = 0; i < operands.a.size(); ++i) {
        // A scale and its element first: a scale that is NaN makes the value NaN (MX 5.1).
        Value x = decode(*format.a, operands.a[i]);
        if (format.scale_a != nullptr)
            x = times(x, decode(*format.scale_a, operands.scales_a[operands.block_a == 0 ? 0 : i / operands.block_a]));
        Value y = decode(*format.b, operands.b[i]);
        if (format.scale_b != nullptr)
            y = times(y, decode(*format.scale_b, operands.scales_b[operands.block_b == 0 ? 0 : i / operands.block_b]));
        all.push_back(times(x, y));
    }
    if (format.c != nullptr) all.push_back(decode(*format.c, operands.c));
    return all;
}

Code result(const Format& to, const Choices& choices, const Value& value, Random random) {
    if (value.kind == Kind::nan) return nan_code(to, choices.nan);
    const Code largest = with_sign(to, value.negative, to.max_code());
    if (value.kind == Kind::inf)
        return choices.overflow == Overflow::sat ? largest : special(to, choices, value.negative);
    if (value.magnitude.is_zero()) return with_sign(to, value.negative, 0);
    const Rational rounded = round(to, value.magnitude, value.negative, choices.rounding, random).value;
    if (decode(to, to.max_code()).magnitude >= rounded) return with_sign(to, value.negative, encode(to, rounded));
    if (choices.overflow != Overflow::nosat) return largest;
    const bool stays =
        points_inward(choices.rounding, value.negative) && choices.directed_overflow == DirectedOverflow::max;
    return stays ? largest : special(to, choices, value.negative);
}

Code dot(const DotFormat& format, const Choices& choices, const DotOperands& operands, Random random) {
    check(format, choices);
    check_random(choices.rounding, random);
    return result(*format.to, choices, sum(terms(format, operands), choices.rounding), random);
}

std::vector<Code> matmul(const DotFormat& format, const Choices& choices, const MatmulShape& shape,
                         const MatmulOperands& operands) {
    check(format, shape, operands);
    if (is_stochastic(choices.rounding)) throw std::invalid_argument("a matmul has no random bits");
    std::vector<Code> d;
    DotLine line;
    for (std::size_t row = 0; row < shape.m; ++row)
        for (std::size_t column = 0; column < shape.n; ++column) {
            gather(shape, operands, row, column, line);
            const Code c = operands.c.empty() ? 0 : operands.c[row * shape.n + column];
            d.push_back(dot(format, choices, line.operands(shape, c)));
        }
    return d;
}

} // namespace mxcert::exact
