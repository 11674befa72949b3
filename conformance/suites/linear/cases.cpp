// SPDX-License-Identifier: Apache-2.0
#include "conformance/suites/linear/cases.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "conformance/suites/maker.hpp"
#include "conformance/suites/matmul/judge.hpp"
#include "reference/base/random.hpp"
#include "reference/exact/exact.hpp"
#include "reference/fast/recipe/float_scale.hpp"
#include "reference/fast/recipe/linear.hpp"

namespace mxcert::suites {
namespace {

using recipe::CodeMatrix;
using recipe::LayerOperand;
using recipe::LayerSizes;
using recipe::Product;

/// A value of a tensor, by its place and a random word: `line` is that of D, a row or a column, `at` counts along the
/// sum. `large`: of the tensor that has the large values where the other one has small ones.
struct LayerPattern {
    std::string_view name;
    Code (*value)(const Format& source, std::size_t line, std::size_t at, std::uint64_t random, bool large);
};

/// 2^exponent times a number from 1 to 2 of either sign. Its fraction is short in one of four, so that ties come up.
Code number(const Format& source, int exponent, std::uint64_t random) {
    const Maker maker(source);
    Code fraction = random >> 40U;
    if ((random >> 34U) % 4 == 0) fraction &= ~Code{0} << static_cast<unsigned>(source.fraction_bits - 5);
    const Code code = maker.normal(exponent, fraction);
    return (random >> 33U & 1U) != 0 ? maker.negative(code) : code;
}

Code converted(const Format& from, const Format& to, Code code) {
    return &from == &to ? code : exact::converted(from, to, code);
}

/// The exponents of a line, and at a place, differ from those of their neighbours.
int spread(std::size_t line, std::size_t at) {
    return static_cast<int>(line * 7 % 13) - 6 + static_cast<int>(at * 5 % 11) - 5;
}

/// Below the smallest normal number of FP16; as far below 1 in the others.
Code far_below(const Format& source, std::uint64_t random) {
    if (&source != &formats::fp16) return number(source, -20 - static_cast<int>(random % 3), random);
    return ((random >> 40U & source.fraction_mask()) | 1U) | ((random & 1U) != 0 ? source.sign_bit() : 0);
}

constexpr LayerPattern layer_patterns[] = {
    {"spread values", [](const Format& source, std::size_t line, std::size_t at, std::uint64_t random,
                         bool) { return number(source, spread(line, at) + static_cast<int>(random % 4), random); }},
    // Whole lines, and blocks of 32 of the others.
    {"blocks of zeros",
     [](const Format& source, std::size_t line, std::size_t at, std::uint64_t random, bool) {
         if (line % 3 == 1 || (line / 32 + at / 32) % 2 != 0) return (random & 1U) != 0 ? source.sign_bit() : Code{0};
         return number(source, spread(line, at), random);
     }},
    // A power of two of a scale does not change an element, unless its block has far larger values. Blocks across the
    // sum have.
    {"lines far apart",
     [](const Format& source, std::size_t line, std::size_t, std::uint64_t random, bool) {
         return line % 2 == 0 ? number(source, 14 - static_cast<int>(random % 3), random) : far_below(source, random);
     }},
    {"values of one binade or two", [](const Format& source, std::size_t, std::size_t, std::uint64_t random,
                                       bool) { return number(source, static_cast<int>(random % 2), random); }},
    {"a few large values",
     [](const Format& source, std::size_t, std::size_t, std::uint64_t random, bool) {
         return number(source, static_cast<int>(random % 3) - 4 + (random % 41 == 0 ? 9 : 0), random);
     }},
    // The largest of a row or column of 32 is about 448, 57344 or a power of two, times a power of two.
    {"largest values at thresholds",
     [](const Format& source, std::size_t line, std::size_t at, std::uint64_t random, bool) {
         if (line % 32 != at % 32) return number(source, -2 - static_cast<int>(random % 3), random);
         const double largest[] = {1.75, 1, 1.9375};
         const Code code = code_of(source, std::ldexp(largest[random % 3], static_cast<int>((line + at) / 32 % 5) + 1));
         return code + random / 3 % 3 - 1;
     }},
    {"small values by large ones",
     [](const Format& source, std::size_t, std::size_t, std::uint64_t random, bool large) {
         if (large) return number(source, source.emax() - 8 - static_cast<int>(random % 6), random);
         if (random % 3 == 0) return (random >> 8U & source.fraction_mask()) | (random & source.sign_bit());
         return number(source, source.emin() + static_cast<int>(random % 8), random);
     }},
};

constexpr std::uint64_t words_seed = std::uint64_t{1} << 40U; ///< apart from those of tensors

/// Makes the cases of an operation.
class LinearMaker {
  public:
    explicit LinearMaker(const Linear& linear) : linear_(linear), judge_(linear.matmul) {}

    [[nodiscard]] LinearCase make(const LayerPattern& pattern, const LayerSizes& sizes, std::uint64_t seed) const {
        LinearCase linear_case{fmt::format("{}, {}", pattern.name, recipe::text(sizes)), sizes, {}, {}, {}, {}, {}};
        const auto tensor = [&](const LayerOperand& operand, std::uint64_t start, bool large) {
            const Extent extent = sizes.of(operand.tensor);
            CodeMatrix values{extent.rows, extent.columns, {}};
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
    [[nodiscard]] static recipe::Scales earlier(const LayerOperand& operand, const CodeMatrix& values,
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
LayerSizes of_product(Product product, std::size_t m, std::size_t n, std::size_t k) {
    switch (product) {
    case Product::fprop: return {m, k, n};
    case Product::dgrad: return {m, n, k};
    default: return {k, n, m};
    }
}

bool is_refused(const Linear& linear, const LayerSizes& sizes) {
    return recipe::refused_by(linear.recipe, sizes.of(linear.operands.left.tensor)) ||
           recipe::refused_by(linear.recipe, sizes.of(linear.operands.right.tensor));
}

/// Those that the recipe takes. A bound is computed in rational numbers, element by element: its products are few.
std::vector<LayerSizes> sizes_of(const Linear& linear) {
    const Product product = linear.operands.product;
    std::vector<LayerSizes> sizes{of_product(product, 32, 32, 64), of_product(product, 1, 1, 1),
                                  of_product(product, 7, 19, 70)};
    if (!linear.matmul.any_order) {
        sizes.push_back(of_product(product, 64, 32, 96));
        sizes.push_back(of_product(product, 33, 37, 40));
        // Blocks of 16 that are no whole blocks of 32; and more of either than an index of 32 blocks has.
        sizes.push_back(of_product(product, 48, 16, 80));
        sizes.push_back(of_product(product, 32, 32, 1120));
        // Several tiles of 128x128 of D.
        sizes.push_back(of_product(product, 160, 192, 64));
    }
    // More blocks than one each way, with tails, and for those who refuse all else.
    const std::size_t side = largest_side(linear.operands);
    if (side > 32) {
        sizes.push_back(of_product(product, 5, side + 3, 2 * side + 7));
        sizes.push_back(of_product(product, side, linear.matmul.any_order ? side : 2 * side, 2 * side));
    }
    std::erase_if(sizes, [&](const LayerSizes& sizes) { return is_refused(linear, sizes); });
    return sizes;
}

/// The smallest product whose D is more than a tile of 128x128 each way, of those that the recipe takes: for one with a
/// bound, which is asked no larger one.
std::optional<LayerSizes> beyond_a_tile(const Linear& linear) {
    const Product product = linear.operands.product;
    if (linear.matmul.any_order)
        for (const LayerSizes& sizes :
             {of_product(product, 130, 132, 8), of_product(product, 144, 144, 16), of_product(product, 160, 160, 32)})
            if (!is_refused(linear, sizes)) return sizes;
    return std::nullopt;
}

constexpr std::size_t of_zeros = 1; ///< "blocks of zeros", which says enough of a large product

std::span<const LayerPattern> patterns_of(const LayerSizes& sizes) {
    if (sizes.tokens * sizes.inputs * sizes.outputs <= (1U << 20U)) return layer_patterns;
    return std::span(layer_patterns).subspan(of_zeros, 1);
}

/// Whether what an Inf in a block gives is said by the recipe's source.
bool says_what_inf_gives(const Linear& linear) {
    return !std::holds_alternative<BlockChoices>(linear.operands.left.choices) ||
           recipe::mx_recipe(linear.recipe).grade == Grade::primary;
}

bool holds_inf(const LayerOperand& operand, const CodeMatrix& values) {
    return std::any_of(values.codes.begin(), values.codes.end(),
                       [&](Code code) { return operand.source->is_inf(code); });
}

} // namespace

bool has_open_elements(const Linear& linear, const LinearCase& linear_case) {
    const auto& [product, left, right] = linear.operands;
    if (!says_what_inf_gives(linear) && (holds_inf(left, linear_case.left) || holds_inf(right, linear_case.right)))
        return true;
    return fast::has_open_elements(left, linear_case.left) || fast::has_open_elements(right, linear_case.right);
}

std::size_t largest_side(const recipe::LayerProduct& operands) {
    const BlockShape& left = operands.left.block;
    const BlockShape& right = operands.right.block;
    return std::max({left.rows, left.columns, right.rows, right.columns, std::uint64_t{32}});
}

void for_each_value_case(const Linear& linear, unsigned samples, std::uint64_t seed, const TakeLinearCase& take) {
    LinearMaker maker(linear);
    std::uint64_t number = seed;
    for (unsigned sample = 0; sample < std::max(1U, samples); ++sample)
        for (const LayerSizes& sizes : sizes_of(linear))
            for (const LayerPattern& pattern : patterns_of(sizes)) {
                const LinearCase linear_case = maker.make(pattern, sizes, number++);
                if (has_open_elements(linear, linear_case)) continue;
                if (!take(linear_case)) return;
                if (linear.matmul.has_c && !take(maker.next(linear_case, maker.make(pattern, sizes, number++)))) return;
            }
    if (const std::optional<LayerSizes> sizes = beyond_a_tile(linear))
        take(maker.make(layer_patterns[of_zeros], *sizes, number));
}

void for_each_special_case(const Linear& linear, std::uint64_t seed, const TakeLinearCase& take) {
    const LinearMaker maker(linear);
    bool more = true;
    // All of them in a small product, and the first of each kind in one of whole blocks, for those who refuse all else.
    const auto ask = [&](const LayerSizes& sizes, bool few) {
        if (is_refused(linear, sizes)) return;
        for (const bool left : {true, false}) {
            const LayerOperand& operand = left ? linear.operands.left : linear.operands.right;
            const char* const side = left ? "left" : "right";
            for (const Special& special : specials_of(*operand.source)) {
                if (few && special.name != "NaN" && special.name != "Inf" && special.name != "-0") continue;
                for (const bool all : {false, true}) {
                    if (!more || (few && all)) continue;
                    LinearCase linear_case = maker.make(layer_patterns[0], sizes, seed);
                    CodeMatrix& values = left ? linear_case.left : linear_case.right;
                    const std::size_t row = 5 % values.rows;
                    const std::size_t column = 37 % values.columns;
                    if (all)
                        std::fill(values.codes.begin(), values.codes.end(), special.code);
                    else
                        values.codes[row * values.columns + column] = special.code;
                    linear_case.name =
                        fmt::format("{} {} {}, {}", special.name,
                                    all ? "everywhere" : fmt::format("in row {}, column {},", row, column), side,
                                    recipe::text(sizes));
                    if (!has_open_elements(linear, linear_case)) more = take(linear_case);
                }
            }
        }
    };
    // What is multiplied with zeros must not be left out.
    const auto ask_zeros = [&](const LayerSizes& sizes) {
        for (const bool left : {true, false})
            for (const Special& special : specials_of(*(left ? linear.operands.left : linear.operands.right).source)) {
                if (!more || (special.name != "NaN" && special.name != "Inf")) continue;
                LinearCase linear_case = maker.make(layer_patterns[0], sizes, seed);
                const auto [values, zeros] = left ? std::tie(linear_case.left, linear_case.right)
                                                  : std::tie(linear_case.right, linear_case.left);
                values.codes[(5 % values.rows) * values.columns + 37 % values.columns] = special.code;
                std::fill(zeros.codes.begin(), zeros.codes.end(), Code{0});
                linear_case.name =
                    fmt::format("{} {} times zeros, {}", special.name, left ? "left" : "right", recipe::text(sizes));
                if (!has_open_elements(linear, linear_case)) more = take(linear_case);
            }
    };
    // Code that treats a whole vector of one kind of D by itself must not differ.
    const auto ask_alike = [&](const std::string& name, const LayerSizes& sizes, Code left, Code right, Code c) {
        if (!more || is_refused(linear, sizes)) return;
        LinearCase linear_case = maker.make(layer_patterns[0], sizes, seed);
        std::fill(linear_case.left.codes.begin(), linear_case.left.codes.end(), left);
        std::fill(linear_case.right.codes.begin(), linear_case.right.codes.end(), right);
        std::fill(linear_case.c.begin(), linear_case.c.end(), c);
        linear_case.name = fmt::format("{}, {}", name, recipe::text(sizes));
        if (!has_open_elements(linear, linear_case)) more = take(linear_case);
    };
    const auto ask_all_alike = [&](const LayerSizes& sizes) {
        const Format& left = *linear.operands.left.source;
        const Format& right = *linear.operands.right.source;
        const Format& c = *linear.matmul.format.c;
        const Code one = code_of(right, 1);
        for (const Special& special : element_specials(left))
            ask_alike(fmt::format("{} everywhere left, 1 everywhere right", special.name), sizes, special.code, one,
                      linear.matmul.has_c && special.code == left.sign_bit() ? c.sign_bit() : 0);
        for (const bool negative : {false, true}) {
            const char* const sign = negative ? "-" : "";
            ask_alike(fmt::format("{}the largest value left, the largest right", sign), sizes,
                      left.with_sign(left.max_code(), negative), right.max_code(), 0);
            // Their products are subnormal in D, if sources go so far.
            const int exponent = (linear.matmul.output->emin() - 10) / 2;
            const Code small_left = Maker(left).normal(std::max(exponent, left.emin()), 0);
            const Code small_right = Maker(right).normal(std::max(exponent, right.emin()), 0);
            ask_alike(fmt::format("{}small values left, small values right", sign), sizes,
                      left.with_sign(small_left, negative), small_right, 0);
        }
        if (!linear.matmul.has_c) return;
        for (const Special& special : element_specials(c))
            ask_alike(fmt::format("zeros left, {} everywhere in C", special.name), sizes, 0, one, special.code);
    };
    const Product product = linear.operands.product;
    const std::size_t side = largest_side(linear.operands);
    if (linear.matmul.any_order)
        ask(of_product(product, 3, 5, 70), false);
    else
        ask(of_product(product, 32, 32, 64), false);
    if (side > 32)
        ask(of_product(product, side, side, side), true);
    else if (linear.matmul.any_order)
        ask(of_product(product, 32, 32, 64), true);
    ask_zeros(linear.matmul.any_order ? of_product(product, 3, 5, 70) : of_product(product, 32, 32, 64));
    const LayerSizes narrow = of_product(product, 3, 33, 70);
    if (linear.matmul.any_order && !is_refused(linear, narrow))
        ask_all_alike(narrow);
    else
        ask_all_alike(of_product(product, 32, 32, side > 32 ? side : 64));
}

} // namespace mxcert::suites
