// SPDX-License-Identifier: Apache-2.0
#include "conformance/suites/linear/faults.hpp"

#include <stdexcept>

#include <fmt/format.h>

#include "reference/exact/exact.hpp"
#include "reference/exact/recipe/linear.hpp"

namespace mxcert::suites {
namespace {

using recipe::LayerOperand;
using recipe::LayerProduct;

/// An amax whose decode scale is 1: 448 x 6.
constexpr Code of_range = 0x45280000;

/// Left or right: which members are that operand's.
struct Side {
    const char* name;
    LayerOperand LayerProduct::*operand;
    recipe::CodeMatrix LinearCase::*values;
};
constexpr Side left_side{"left", &LayerProduct::left, &LinearCase::left};
constexpr Side right_side{"right", &LayerProduct::right, &LinearCase::right};

/// A fault as an edit of the layer and its tensors: false if it makes no difference.
using Edit = std::function<bool(LayerProduct&, LinearCase&)>;

LinearFault of_operands(std::string name, std::string_view bug_class, Edit edit) {
    return {std::move(name), bug_class,
            [edit = std::move(edit)](const Operation& operation,
                                     const LinearCase& linear_case) -> std::optional<LinearMade> {
                LinearMade quantized{as_linear(operation), linear_case};
                try {
                    if (!edit(quantized.linear.operands, quantized.one)) return std::nullopt;
                    quantized.linear.matmul = matmul_of(operation, quantized.linear.operands);
                } catch (const std::invalid_argument&) {
                    return std::nullopt; // there is no such operand
                }
                return quantized;
            }};
}

/// The same of the left operand, of the right one, and of both.
template <class OfSide>
void add_for_sides(std::vector<LinearFault>& faults, const char* what, std::string_view bug_class, OfSide of_side) {
    for (const Side& side : {left_side, right_side})
        faults.push_back(of_operands(fmt::format("{} {}", side.name, what), bug_class,
                                     [=](LayerProduct& product, LinearCase& linear_case) {
                                         return of_side(product.*side.operand, linear_case.*side.values);
                                     }));
    faults.push_back(
        of_operands(fmt::format("both {}", what), bug_class, [=](LayerProduct& product, LinearCase& linear_case) {
            const bool changed = of_side(product.left, linear_case.left);
            return of_side(product.right, linear_case.right) && changed;
        }));
}

bool across(LayerOperand& operand, recipe::CodeMatrix& /*values*/) {
    if (operand.block.rows == operand.block.columns) return false;
    operand = turned(operand);
    return true;
}

/// Quantized in rows first, and the columns made of what that gives.
bool of_quantized_rows(LayerOperand& operand, recipe::CodeMatrix& values) {
    if (operand.along != Axis::column || operand.block.rows == operand.block.columns) return false;
    const LayerOperand rows = turned(operand);
    values = exact::dequantize(rows, exact::quantize(rows, values), formats::fp32);
    operand.source = &formats::fp32;
    return true;
}

bool not_quantized(LayerOperand& operand, recipe::CodeMatrix& /*values*/) {
    operand.choices = recipe::NotQuantized{};
    operand.element = operand.source;
    operand.block = shapes::per_tensor;
    return true;
}

template <const Format& element> bool in_element(LayerOperand& operand, recipe::CodeMatrix& /*values*/) {
    if (operand.element == &element) return false;
    operand.element = &element;
    if (auto* choices = std::get_if<recipe::FloatBlock>(&operand.choices)) choices->scaling.element = &element;
    return true;
}

/// NVFP4 in tiles where blocks along the sum are wanted.
bool in_tiles(LayerOperand& operand, recipe::CodeMatrix& /*values*/) {
    if (!std::holds_alternative<recipe::Nvfp4>(operand.choices)) return false;
    if (operand.block.rows == operand.block.columns) return false;
    operand.block = {recipe::nvfp4_block, recipe::nvfp4_block};
    return true;
}

/// The reverse.
bool in_blocks(LayerOperand& operand, recipe::CodeMatrix& /*values*/) {
    if (!std::holds_alternative<recipe::Nvfp4>(operand.choices)) return false;
    if (operand.block.rows != operand.block.columns) return false;
    operand.block = shapes::rowwise(recipe::nvfp4_block);
    if (operand.along == Axis::column) std::swap(operand.block.rows, operand.block.columns);
    return true;
}

/// Elements that have random bits to nearest.
bool to_nearest(LayerOperand& operand) {
    const bool drawn = operand.random_bits != 0;
    operand.random_bits = 0;
    return drawn;
}

/// The right operand by the random words of the gradients, which are fewer or more.
bool right_at_random(LayerProduct& product) {
    if (product.left.random_bits == 0) return false;
    product.right.rounding = product.left.rounding;
    product.right.random_bits = product.left.random_bits;
    return true;
}

/// A fault of the random words, if there are some: `word` says which one a value of a line of gradients gets.
LinearFault of_words(std::string name, std::string_view bug_class, std::size_t (*word)(std::size_t at, std::size_t n)) {
    return of_operands(std::move(name), bug_class, [word](LayerProduct& product, LinearCase& linear_case) {
        const std::vector<Code> words = linear_case.random;
        const bool in_columns = product.left.along == Axis::column;
        const std::size_t lines = in_columns ? linear_case.left.columns : linear_case.left.rows;
        const std::size_t length = words.size() / lines;
        for (std::size_t i = 0; i < words.size(); ++i) {
            // By its place along the sum, from the first line on.
            const std::size_t from = word(i, length);
            const auto place = [&](std::size_t at) { return in_columns ? at % length * lines + at / length : at; };
            linear_case.random[place(i)] = words[place(from)];
        }
        return linear_case.random != words;
    });
}

/// D as if the tensors had other amaxes.
LinearFault of_amaxes(std::string name, std::string_view bug_class, void (*change)(Code& left, Code& right)) {
    return {std::move(name), bug_class,
            [change](const Operation& operation, const LinearCase& linear_case) -> std::optional<LinearMade> {
                LinearMade quantized{as_linear(operation), linear_case};
                if (quantized.linear.matmul.epilogue == nullptr) return std::nullopt;
                quantized.change_amaxes = change;
                return quantized;
            }};
}

/// Another rule for scales of E8M0.
bool by_rule(LayerOperand& operand, ScaleRule rule) {
    auto* choices = std::get_if<BlockChoices>(&operand.choices);
    if (choices == nullptr || choices->scale.rule == rule) return false;
    choices->scale = BlockChoices::with_rule(rule);
    return true;
}

LinearFault of_recipe(std::string_view recipe) {
    return {fmt::format("the recipe {}", recipe), "SCALING_RECIPE",
            [recipe](const Operation& operation, const LinearCase& linear_case) -> std::optional<LinearMade> {
                LinearMade quantized{as_linear(operation), linear_case};
                if (quantized.linear.recipe == recipe) return std::nullopt;
                const auto [product, left, right] = quantized.linear.operands;
                try {
                    quantized.linear.operands =
                        layer_product(recipe, product, *left.source, *left.element, *right.element, *left.scale);
                    quantized.linear.operands.left.rounding = left.rounding;
                    quantized.linear.operands.left.random_bits = left.random_bits;
                    quantized.linear.matmul = matmul_of(operation, quantized.linear.operands);
                } catch (const std::invalid_argument&) {
                    return std::nullopt; // it has no such elements or scales
                }
                return quantized;
            }};
}

LinearFault c_kept(const Format& kept) {
    return {fmt::format("c kept in {}", kept.name), "OUTPUT_QUANT_POLICY",
            [&kept](const Operation& operation, const LinearCase& linear_case) -> std::optional<LinearMade> {
                LinearMade quantized{as_linear(operation), linear_case};
                for (Code& code : quantized.one.c) code = kept_in(kept, *quantized.linear.matmul.format.c, code);
                if (quantized.one.c == linear_case.c) return std::nullopt;
                return quantized;
            }};
}

LinearFault d_kept(const Format& kept) {
    return {fmt::format("D kept in {}", kept.name), "OUTPUT_QUANT_POLICY",
            [&kept](const Operation& operation, const LinearCase& linear_case) -> std::optional<LinearMade> {
                return LinearMade{as_linear(operation), linear_case, &kept};
            }};
}

LinearFault of_product(const MatmulFault& fault) {
    return {std::string(fault.name), fault.bug_class,
            [&fault](const Operation& operation, const LinearCase& linear_case) -> std::optional<LinearMade> {
                return LinearMade{as_linear(operation), linear_case, nullptr, &fault};
            }};
}

/// A special value of either tensor taken for another.
template <class Taken> LinearFault of_values(std::string name, std::string_view bug_class, Taken taken) {
    return of_operands(std::move(name), bug_class, [taken](LayerProduct& product, LinearCase& this_linear_case) {
        const LinearCase linear_case = this_linear_case;
        for (Code& code : this_linear_case.left.codes) code = taken(*product.left.source, code);
        for (Code& code : this_linear_case.right.codes) code = taken(*product.right.source, code);
        return this_linear_case.left.codes != linear_case.left.codes ||
               this_linear_case.right.codes != linear_case.right.codes;
    });
}

std::vector<LinearFault> make_faults() {
    std::vector<LinearFault> faults;
    add_for_sides(faults, "in blocks across the sum", "WRONG_AXIS", across);
    faults.push_back(of_operands("columns made of quantized rows", "REQUANTIZED",
                                 [](LayerProduct& product, LinearCase& linear_case) {
                                     const bool of_left = of_quantized_rows(product.left, linear_case.left);
                                     return of_quantized_rows(product.right, linear_case.right) || of_left;
                                 }));
    add_for_sides(faults, "not quantized", "NOT_QUANTIZED", not_quantized);
    add_for_sides(faults, "in e4m3", "OTHER_ELEMENT", in_element<formats::e4m3>);
    add_for_sides(faults, "in e5m2", "OTHER_ELEMENT", in_element<formats::e5m2>);
    add_for_sides(faults, "in tiles of 16 x 16", "AMAX_LANES", in_tiles);
    // Weights, the right operand, are what has tiles.
    faults.push_back(
        of_operands("right in blocks of 16", "AMAX_LANES", [](LayerProduct& product, LinearCase& linear_case) {
            return in_blocks(product.right, linear_case.right);
        }));
    for (const Side& side : {left_side, right_side})
        faults.push_back(of_operands(fmt::format("{} not transformed", side.name), "HADAMARD",
                                     [=](LayerProduct& product, LinearCase&) {
                                         const bool transformed = (product.*side.operand).transform.has_value();
                                         (product.*side.operand).transform.reset();
                                         return transformed;
                                     }));
    faults.push_back(of_operands("transformed without signs", "HADAMARD", [](LayerProduct& product, LinearCase&) {
        if (!product.left.transform) return false;
        product.left.transform->signs = product.right.transform->signs = 0;
        return true;
    }));
    faults.push_back(of_operands("random bits ignored", "STOCHASTIC_NOT",
                                 [](LayerProduct& product, LinearCase&) { return to_nearest(product.left); }));
    faults.push_back(of_words("the first random word for all values", "STOCHASTIC_SHARED",
                              [](std::size_t /*at*/, std::size_t /*n*/) { return std::size_t{0}; }));
    faults.push_back(of_words("the first random word of each block for all its values", "STOCHASTIC_SHARED",
                              [](std::size_t at, std::size_t n) { return at - at % n % recipe::nvfp4_block; }));
    faults.push_back(of_words("the random words of the first line for all lines", "STOCHASTIC_SHARED",
                              [](std::size_t at, std::size_t n) { return at % n; }));
    faults.push_back(of_operands(
        "right rounded at random in the place of left", "STOCHASTIC_OPERAND",
        [](LayerProduct& product, LinearCase&) { return right_at_random(product) && to_nearest(product.left); }));
    faults.push_back(of_operands("both rounded at random", "STOCHASTIC_OPERAND",
                                 [](LayerProduct& product, LinearCase&) { return right_at_random(product); }));
    faults.push_back(of_amaxes("the amax of the left tensor left out", "MISSING_SCALE_DEFAULT",
                               [](Code& left, Code& /*right*/) { left = of_range; }));
    faults.push_back(of_amaxes("the amax of the right tensor left out", "MISSING_SCALE_DEFAULT",
                               [](Code& /*left*/, Code& right) { right = of_range; }));
    faults.push_back(of_amaxes("the amaxes of both tensors left out", "MISSING_SCALE_DEFAULT",
                               [](Code& left, Code& right) { left = right = of_range; }));
    faults.push_back(of_amaxes("the amax of the left tensor for both", "SCALE_A_B_SWAPPED",
                               [](Code& left, Code& right) { right = left; }));
    faults.push_back(of_amaxes("the amax of the right tensor for both", "SCALE_A_B_SWAPPED",
                               [](Code& left, Code& right) { left = right; }));
    for (const ScaleRule rule : {ScaleRule::ocp_floor, ScaleRule::ceil, ScaleRule::even})
        faults.push_back(of_operands(fmt::format("the scale rule {}", to_string(rule)), "SCALE_RULE_MISMATCH",
                                     [rule](LayerProduct& product, LinearCase&) {
                                         const bool of_left = by_rule(product.left, rule);
                                         return by_rule(product.right, rule) || of_left;
                                     }));
    for (const std::string_view name : recipe::layer_recipes())
        if (name != recipe::given_scales) faults.push_back(of_recipe(name));
    for (const Format* kept : {&formats::e4m3, &formats::e5m2, &formats::fp16, &formats::bf16}) {
        faults.push_back(c_kept(*kept));
        faults.push_back(d_kept(*kept));
    }
    faults.push_back(of_values("NaN taken for zero", "NAN_LOST",
                               [](const Format& source, Code code) { return source.is_nan(code) ? 0 : code; }));
    faults.push_back(of_values("Inf taken for the largest value", "INF_POLICY", [](const Format& source, Code code) {
        return source.is_inf(code) ? (code & source.sign_bit()) | source.max_code() : code;
    }));
    faults.push_back(of_operands("a scale taken for its inverse", "SCALING_RECIPE",
                                 [](LayerProduct& product, LinearCase& linear_case) {
                                     std::swap(linear_case.left_scales.scale, linear_case.left_scales.inverse);
                                     return product.left.given;
                                 }));
    for (const MatmulFault& fault : matmul_faults())
        if (!fault.not_in_layers) faults.push_back(of_product(fault));
    return faults;
}

} // namespace

MatmulCase product_of(const LinearMade& quantized) {
    MatmulCase product = product_of(quantized.linear, quantized.one);
    if (quantized.change_amaxes != nullptr) quantized.change_amaxes(product.tensor_a, product.tensor_b);
    if (quantized.of_product != nullptr)
        product = quantized.of_product->edited(quantized.linear.matmul, product).value_or(product);
    return product;
}

const std::vector<LinearFault>& linear_faults() {
    static const std::vector<LinearFault> faults = make_faults();
    return faults;
}

Code kept_in(const Format& kept, const Format& output, Code code) {
    if (&kept == &output) return code;
    Choices there;
    there.overflow = kept.width() == 8 ? Overflow::sat : Overflow::nosat;
    Choices back;
    back.overflow = Overflow::nosat;
    return exact::convert(kept, output, back, exact::convert(output, kept, there, code).code).code;
}

} // namespace mxcert::suites
