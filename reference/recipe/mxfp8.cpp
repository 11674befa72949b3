// SPDX-License-Identifier: Apache-2.0
#include "reference/recipe/mxfp8.hpp"

#include <stdexcept>
#include <string>

#include "reference/exact/block.hpp"

namespace mxcert::recipe {
namespace {

using formats::e4m3;
using formats::e5m2;

/// Blocks lie along the sum: over K it is the row of X and W, over N that of G and the column of W, over M the column
/// of G and X.
constexpr std::array<MxProduct, 3> products(const Format& forward, const Format& backward) {
    return {{{Product::fprop, {Tensor::activations, Axis::row, &forward}, {Tensor::weights, Axis::row, &forward}},
             {Product::dgrad, {Tensor::gradients, Axis::row, &backward}, {Tensor::weights, Axis::column, &forward}},
             {Product::wgrad,
              {Tensor::gradients, Axis::column, &backward},
              {Tensor::activations, Axis::column, &forward}}}};
}

constexpr BlockChoices choices(Arithmetic arithmetic) {
    BlockChoices result;
    result.scale = BlockChoices::with_rule(ScaleRule::rceil);
    result.scale.arithmetic = arithmetic;
    result.element.arithmetic = arithmetic;
    return result;
}

constexpr std::string_view te_source = "Transformer Engine 000b637, common/recipe/__init__.py, MXFP8BlockScaling; "
                                       "00768c7, pytorch/tensor/mxfp8_tensor.py, is_quantizable";
constexpr std::string_view nvidia_source = "arXiv 2506.08027, abstract and introduction";

constexpr std::array recipes{
    MxRecipe{"te_mxfp8", products(e4m3, e4m3), choices(Arithmetic::fp32_multiply), 32, "both_by_32", Grade::primary,
             te_source},
    MxRecipe{"te_mxfp8_hybrid", products(e4m3, e5m2), choices(Arithmetic::fp32_multiply), 32, "both_by_32",
             Grade::primary, te_source},
    MxRecipe{"nvidia_pretraining", products(e4m3, e4m3), choices(Arithmetic::exact), 32, "any", Grade::secondary,
             nvidia_source},
    MxRecipe{"nvidia_pretraining_e5m2_gradients", products(e4m3, e5m2), choices(Arithmetic::exact), 32, "any",
             Grade::secondary, nvidia_source},
};

constexpr std::array<std::string_view, 3> product_names{"fprop", "dgrad", "wgrad"};
constexpr std::array<std::string_view, 3> tensor_names{"activations", "weights", "gradients"};

} // namespace

std::span<const MxRecipe> mx_recipes() { return recipes; }

const MxRecipe& mx_recipe(std::string_view name) {
    std::string names;
    for (const MxRecipe& recipe : recipes) {
        if (recipe.name == name) return recipe;
        names.append(names.empty() ? "" : ", ").append(recipe.name);
    }
    throw std::invalid_argument("no recipe '" + std::string(name) + "': there are " + names);
}

void check_shape(const MxRecipe& recipe, std::size_t rows, std::size_t columns) {
    const Extent matrix{rows, columns};
    if (const auto why = refusal(find_size_policy(recipe.sizes), matrix, shapes::rowwise(recipe.block)))
        throw std::invalid_argument(std::string(recipe.name) + " refuses " + text(matrix) + ": " + *why);
}

MxQuantized quantize(const MxRecipe& recipe, const MxOperand& operand, const Format& value, const CodeMatrix& values) {
    check_shape(recipe, values.rows, values.columns);
    if (values.codes.size() != values.rows * values.columns)
        throw std::invalid_argument("the matrix has not rows x columns values");
    const BlockShape shape =
        operand.along == Axis::row ? shapes::rowwise(recipe.block) : shapes::columnwise(recipe.block);
    const Extent scales = scales_of(values.extent(), shape);
    MxQuantized result{values, {scales.rows, scales.columns, {}}};
    for_each_block(values.extent(), shape, [&](std::size_t, const std::vector<std::size_t>& places) {
        std::vector<Code> of_block;
        for (const std::size_t place : places) of_block.push_back(values.codes[place]);
        const QuantizedBlock block = exact::quantize({&value, operand.element}, recipe.choices, of_block);
        result.scales.codes.push_back(block.scale);
        for (std::size_t i = 0; i < places.size(); ++i) result.elements.codes[places[i]] = block.elements[i];
    });
    return result;
}

std::string_view to_string(Product value) { return product_names.at(static_cast<std::size_t>(value)); }
std::string_view to_string(Tensor value) { return tensor_names.at(static_cast<std::size_t>(value)); }

} // namespace mxcert::recipe
