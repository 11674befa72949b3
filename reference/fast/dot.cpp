// SPDX-License-Identifier: Apache-2.0
#include "reference/fast/dot.hpp"

#include <algorithm>
#include <stdexcept>
#include <tuple>

namespace mxcert::fast {
namespace {

/// Where the terms of a dot product lie: multiples of 2^lowest, below 2^highest.
struct Range {
    int lowest = 0;
    int highest = 0;
    int significand = 0; ///< bits of a product's significand
};

Range range_of(const DotFormat& format) {
    Range range;
    for (const Format* factor : {format.a, format.b, format.scale_a, format.scale_b}) {
        if (factor == nullptr) continue;
        range.lowest += factor->emin() - factor->fraction_bits;
        range.highest += factor->emax() + 1;
        range.significand += factor->fraction_bits + 1;
    }
    if (format.c != nullptr) {
        range.lowest = std::min(range.lowest, format.c->emin() - format.c->fraction_bits);
        range.highest = std::max(range.highest, format.c->emax() + 1);
    }
    return range;
}

DotFormat offered(const DotFormat& format, const Choices& choices) {
    check(format, choices);
    if (!offers_dot(format, choices)) throw std::invalid_argument("the fast model does not offer this dot product");
    return format;
}

/// An element with its scale.
Term scaled(const Format& format, Code code, const Format* scale, std::span<const Code> scales, std::size_t at) {
    const Term value = term_of(format, code);
    return scale == nullptr ? value : multiply(value, term_of(*scale, scales[at]));
}

/// What Inf, NaN and the signs of zeros come to while terms pass.
struct Specials {
    bool nan = false;
    bool infinite[2] = {};
    bool signs[2] = {};

    void see(const Term& term) {
        nan = nan || term.kind == TermKind::nan;
        infinite[term.negative ? 1 : 0] |= term.kind == TermKind::inf;
        signs[term.negative ? 1 : 0] = true;
    }
};

} // namespace

bool offers_dot(const DotFormat& format, const Choices& choices) {
    return choices.rounding != Rounding::nearest_log2 && range_of(format).significand <= 106;
}

Dot::Dot(const DotFormat& format, const Choices& choices)
    : format_(offered(format, choices)), choices_(choices), sum_(range_of(format).lowest, range_of(format).highest) {}

Code Dot::operator()(const DotOperands& operands, std::uint32_t random, unsigned random_bits) {
    check(format_, operands);
    if (is_stochastic(choices_.rounding)) {
        if (random_bits < 1 || random_bits > 32)
            throw std::invalid_argument("a stochastic rounding needs 1 to 32 random bits");
        if (std::uint64_t{random} >> random_bits != 0)
            throw std::invalid_argument("the random value does not fit its bits");
    }
    sum_.clear();
    Specials specials;
    const auto take = [&](const Term& term) {
        specials.see(term);
        if (term.kind == TermKind::finite) sum_.add(term);
    };
    for (std::size_t i = 0; i < operands.a.size(); ++i) {
        const std::size_t at_a = operands.block_a == 0 ? 0 : i / operands.block_a;
        const std::size_t at_b = operands.block_b == 0 ? 0 : i / operands.block_b;
        take(multiply(scaled(*format_.a, operands.a[i], format_.scale_a, operands.scales_a, at_a),
                      scaled(*format_.b, operands.b[i], format_.scale_b, operands.scales_b, at_b)));
    }
    if (format_.c != nullptr) take(term_of(*format_.c, operands.c));

    const auto& [to, choices] = std::tie(*format_.to, choices_);
    if (specials.nan || (specials.infinite[0] && specials.infinite[1]))
        return result_of(to, choices, {TermKind::nan, false, 0, 0});
    if (specials.infinite[0] || specials.infinite[1])
        return result_of(to, choices, {TermKind::inf, specials.infinite[1], 0, 0});
    WideSum::Leading sum = sum_.leading();
    if (sum.term.significand == 0) {
        const bool cancelled = specials.signs[0] && specials.signs[1];
        sum.term.negative = cancelled ? choices.rounding == Rounding::down : specials.signs[1];
    }
    return result_of(to, choices, sum.term, sum.sticky, random, random_bits);
}

} // namespace mxcert::fast
