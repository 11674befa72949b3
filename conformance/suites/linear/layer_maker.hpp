// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "conformance/suites/linear/linear_case.hpp"
#include "conformance/suites/maker.hpp"
#include "conformance/suites/matmul/judge.hpp"
#include "reference/base/random.hpp"
#include "reference/exact/exact.hpp"
#include "reference/fast/recipe/float_scale.hpp"
#include "reference/fast/recipe/linear.hpp"

namespace mxcert::suites {

/// A value of a tensor, by its place and a random word: `line` is that of D, a row or a column, `at` counts along the
/// sum. `large`: of the tensor that has the large values where the other one has small ones.
struct LayerPattern {
    std::string_view name;
    Code (*value)(const Format& source, std::size_t line, std::size_t at, std::uint64_t random, bool large);
};

/// 2^exponent times a number from 1 to 2 of either sign. Its fraction is short in one of four, so that ties come up.
inline Code number_of(const Format& source, int exponent, std::uint64_t random) {
    const Maker maker(source);
    Code fraction = random >> 40U;
    if ((random >> 34U) % 4 == 0) fraction &= ~Code{0} << static_cast<unsigned>(source.fraction_bits - 5);
    const Code code = maker.normal(exponent, fraction);
    return (random >> 33U & 1U) != 0 ? maker.negative(code) : code;
}

inline Code converted(const Format& from, const Format& to, Code code) {
    return &from == &to ? code : exact::converted(from, to, code);
}

/// The exponents of a line, and at a place, differ from those of their neighbours.
inline int spread_exponent(std::size_t line, std::size_t at) {
    return static_cast<int>(line * 7 % 13) - 6 + static_cast<int>(at * 5 % 11) - 5;
}

/// Below the smallest normal number of FP16; as far below 1 in the others.
inline Code far_below(const Format& source, std::uint64_t random) {
    if (&source != &formats::fp16) return number_of(source, -20 - static_cast<int>(random % 3), random);
    return ((random >> 40U & source.fraction_mask()) | 1U) | ((random & 1U) != 0 ? source.sign_bit() : 0);
}

inline constexpr LayerPattern layer_patterns[] = {
    {"spread values",
     [](const Format& source, std::size_t line, std::size_t at, std::uint64_t random, bool) {
         return number_of(source, spread_exponent(line, at) + static_cast<int>(random % 4), random);
     }},
    // Whole lines, and blocks of 32 of the others.
    {"blocks of zeros",
     [](const Format& source, std::size_t line, std::size_t at, std::uint64_t random, bool) {
         if (line % 3 == 1 || (line / 32 + at / 32) % 2 != 0) return (random & 1U) != 0 ? source.sign_bit() : Code{0};
         return number_of(source, spread_exponent(line, at), random);
     }},
    // A power of two of a scale does not change an element, unless its block has far larger values. Blocks across the
    // sum have.
    {"lines far apart",
     [](const Format& source, std::size_t line, std::size_t, std::uint64_t random, bool) {
         return line % 2 == 0 ? number_of(source, 14 - static_cast<int>(random % 3), random)
                              : far_below(source, random);
     }},
    {"values of one binade or two", [](const Format& source, std::size_t, std::size_t, std::uint64_t random,
                                       bool) { return number_of(source, static_cast<int>(random % 2), random); }},
    {"a few large values",
     [](const Format& source, std::size_t, std::size_t, std::uint64_t random, bool) {
         return number_of(source, static_cast<int>(random % 3) - 4 + (random % 41 == 0 ? 9 : 0), random);
     }},
    // The largest of a row or column of 32 is about 448, 57344 or a power of two, times a power of two.
    {"largest values at thresholds",
     [](const Format& source, std::size_t line, std::size_t at, std::uint64_t random, bool) {
         if (line % 32 != at % 32) return number_of(source, -2 - static_cast<int>(random % 3), random);
         const double largest[] = {1.75, 1, 1.9375};
         const Code code = code_of(source, std::ldexp(largest[random % 3], static_cast<int>((line + at) / 32 % 5) + 1));
         return code + random / 3 % 3 - 1;
     }},
    {"small values by large ones",
     [](const Format& source, std::size_t, std::size_t, std::uint64_t random, bool large) {
         if (large) return number_of(source, source.emax() - 8 - static_cast<int>(random % 6), random);
         if (random % 3 == 0) return (random >> 8U & source.fraction_mask()) | (random & source.sign_bit());
         return number_of(source, source.emin() + static_cast<int>(random % 8), random);
     }},
};

inline constexpr std::uint64_t words_seed = std::uint64_t{1} << 40U; ///< apart from those of tensors

/// Makes the cases of an operation.
class LinearMaker {
  public:
    explicit LinearMaker(const Linear& linear) : linear_(linear), judge_(linear.matmul) {}

    [[nodiscard]] LinearCase make(const LayerPattern& pattern, const recipe::LayerSizes& sizes,
                                  std::uint64_t seed) const {
        LinearCase linear_case{fmt::format("{}, {}", pattern.name, recipe::text(sizes)), sizes, {}, {}, {}, {}, {}};
        const auto tensor = [&](const recipe::LayerOperand& operand, std::uint64_t start, bool large) {
            const Extent extent = sizes.of(operand.tensor);
            recipe::CodeMatrix values{extent.rows, extent.columns, {}};
            for (std::size_t i = 0; i < extent.rows * extent.columns; ++i) {
                std::size_t line = i / extent.columns;
                std::size_t at = i % extent.columns;
                if (operand.along == Axis::column) std::swap(line, at);
                values.codes.push_back(pattern.value(*operand.source, line, at, SplitMix64::at(start, i), large));
            }
            return values;
        };
        linear_case.left = tensor(linear_.operands.left, seed * 2, false);
        linear_case.right = tensor(linear_.operands.right, seed * 2 + 1, true);
        linear_case.left_scales = earlier(linear_.operands.left, linear_case.left, seed);
        linear_case.right_scales = earlier(linear_.operands.right, linear_case.right, seed + 1);
        const MatmulShape shape = linear_.shape(sizes);
        linear_case.c.assign(shape.m * shape.n, code_of(*linear_.matmul.format.c, 0));
        if (const unsigned bits = linear_.operands.left.random_bits; bits != 0)
            for (std::size_t i = 0; i < linear_case.left.codes.size(); ++i)
                linear_case.random.push_back(SplitMix64::at(seed * 2 + words_seed, i) >> (64 - bits));
        return linear_case;
    }

    /// The next step of an accumulated gradient: other tensors, and C is the D of this step.
    [[nodiscard]] LinearCase next(const LinearCase& linear_case, LinearCase then) {
        const MatmulCase product = product_of(linear_, linear_case);
        for (std::size_t at = 0; at < then.c.size(); ++at)
            then.c[at] = converted(*linear_.matmul.output, *linear_.matmul.format.c,
                                   judge_.permit(product, at / product.shape.n, at % product.shape.n).low);
        then.name += ", added to " + linear_case.name;
        return then;
    }

  private:
    /// Scales that are given: those of an amax near that of the tensor, as of an earlier step.
    [[nodiscard]] static recipe::Scales earlier(const recipe::LayerOperand& operand, const recipe::CodeMatrix& values,
                                                std::uint64_t seed) {
        if (!operand.given) return {};
        Code largest = 1;
        for (const Code code : values.codes) largest = std::max(largest, code & operand.source->magnitude_mask());
        const Code wide = converted(*operand.source, formats::fp32, largest);
        recipe::FloatScale scaling;
        scaling.element = operand.element;
        // Up to twice as large, or as small: some values are clipped.
        const Code binade = Code{1} << 23U;
        const Code lowest = 100 * binade;
        return fast::scales_of(scaling, std::clamp(wide, lowest, 150 * binade) - binade +
                                            SplitMix64::at(seed, 99) % (2 * binade));
    }

    const Linear& linear_;
    MatmulJudge judge_;
};

/// Rows and columns of D, and the sum.
inline recipe::LayerSizes of_product(recipe::Product product, std::size_t m, std::size_t n, std::size_t k) {
    switch (product) {
    case recipe::Product::fprop: return {m, k, n};
    case recipe::Product::dgrad: return {m, n, k};
    default: return {k, n, m};
    }
}

inline bool is_refused(const Linear& linear, const recipe::LayerSizes& sizes) {
    return recipe::refused_by(linear.recipe, sizes.of(linear.operands.left.tensor)) ||
           recipe::refused_by(linear.recipe, sizes.of(linear.operands.right.tensor));
}

} // namespace mxcert::suites
