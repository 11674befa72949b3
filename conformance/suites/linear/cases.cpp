// SPDX-License-Identifier: Apache-2.0
#include "conformance/suites/linear/cases.hpp"

#include <algorithm>
#include <optional>
#include <span>

#include <fmt/format.h>

#include "conformance/suites/linear/alike_cases.hpp"
#include "conformance/suites/linear/layer_maker.hpp"
#include "conformance/suites/maker.hpp"

namespace mxcert::suites {
namespace {

using recipe::CodeMatrix;
using recipe::LayerOperand;
using recipe::LayerSizes;
using recipe::Product;

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

} // namespace

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
    if (more) for_each_alike_case(linear, seed, take);
}

void for_each_large_case(const Linear& linear, Level level, std::uint64_t seed, const TakeLinearCase& take) {
    const LayerSizes sizes = of_product(linear.operands.product, 256, 384, 512);
    if (level < Level::standard || linear.matmul.any_order || is_refused(linear, sizes)) return;
    const LinearMaker maker(linear);
    if (!take(maker.make(layer_patterns[of_zeros], sizes, seed))) return;
    for (const std::string_view wanted : {"NaN", "Inf", "the largest value"}) {
        LinearCase linear_case = maker.make(layer_patterns[of_zeros], sizes, seed + 1);
        linear_case.name = fmt::format("{} in some lines, {}", wanted, recipe::text(sizes));
        for (CodeMatrix* values : {&linear_case.left, &linear_case.right}) {
            const LayerOperand& operand = values == &linear_case.left ? linear.operands.left : linear.operands.right;
            for (const Special& special : specials_of(*operand.source)) {
                if (special.name != wanted) continue;
                for (std::size_t row = 70; row < values->rows; row += 97)
                    values->codes[row * values->columns + row * 5 % values->columns] = special.code;
            }
        }
        if (!has_open_elements(linear, linear_case) && !take(linear_case)) return;
    }
}

} // namespace mxcert::suites
