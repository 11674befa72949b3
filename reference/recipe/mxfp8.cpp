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
    return {{{Product::fprop, {Tensor::activations, Along::row, &forward}, {Tensor::weights, Along::row, &forward}},
             {Product::dgrad, {Tensor::gradients, Along::row, &backward}, {Tensor::weights, Along::column, &forward}},
             {Product::wgrad,
              {Tensor::gradients, Along::column, &backward},
              {Tensor::activations, Along::column, &forward}}}};
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
    MxRecipe{"te_mxfp8", products(e4m3, e4m3), choices(Arithmetic::fp32_multiply), 32, true, Grade::primary, te_source},
    MxRecipe{"te_mxfp8_hybrid", products(e4m3, e5m2), choices(Arithmetic::fp32_multiply), 32, true, Grade::primary,
             te_source},
    MxRecipe{"nvidia_pretraining", products(e4m3, e4m3), choices(Arithmetic::exact), 32, false, Grade::secondary,
             nvidia_source},
    MxRecipe{"nvidia_pretraining_e5m2_gradients", products(e4m3, e5m2), choices(Arithmetic::exact), 32, false,
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
    if (recipe.whole_blocks && (rows % recipe.block != 0 || columns % recipe.block != 0))
        throw std::invalid_argument(std::string(recipe.name) + " refuses " + std::to_string(rows) + " x " +
                                    std::to_string(columns) + ": both must be multiples of " +
                                    std::to_string(recipe.block));
}

MxQuantized quantize(const MxRecipe& recipe, const MxOperand& operand, const Format& value, const CodeMatrix& values) {
    check_shape(recipe, values.rows, values.columns);
    if (values.codes.size() != values.rows * values.columns)
        throw std::invalid_argument("the matrix has not rows x columns values");
    const bool by_row = operand.along == Along::row;
    const Tile tile = by_row ? Tile{1, recipe.block} : Tile{recipe.block, 1};
    MxQuantized result{values, {}};
    result.scales.rows = by_row ? values.rows : tiles({recipe.block, 1}, values.rows, 1);
    result.scales.columns = by_row ? tiles({recipe.block, 1}, values.columns, 1) : values.columns;
    for_each_tile(tile, values.rows, values.columns, [&](std::size_t, const std::vector<std::size_t>& places) {
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
std::string_view to_string(Along value) { return value == Along::row ? "row" : "column"; }

} // namespace mxcert::recipe
