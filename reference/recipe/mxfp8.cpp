// SPDX-License-Identifier: Apache-2.0
#include "reference/recipe/mxfp8.hpp"

#include <stdexcept>
#include <string>

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

/// An element is the same in FP32 as in exact arithmetic: a value times a power of two is an FP32, unless it is far
/// below the smallest element.
constexpr BlockChoices choices(Arithmetic arithmetic, ScaleRule rule = ScaleRule::rceil) {
    BlockChoices result;
    result.scale = BlockChoices::with_rule(rule);
    result.scale.arithmetic = arithmetic;
    return result;
}

constexpr std::string_view te_source = "Transformer Engine 000b637, common/recipe/__init__.py, MXFP8BlockScaling; "
                                       "00768c7, pytorch/tensor/mxfp8_tensor.py, is_quantizable";
constexpr std::string_view nvidia_source = "arXiv 2506.08027, abstract and introduction";

constexpr std::string_view ocp_source = "MX v1.0 6.3, for blocks; which tensor is quantized along what is the sum's";

constexpr std::array recipes{
    MxRecipe{"te_mxfp8", products(e4m3, e4m3), choices(Arithmetic::fp32_multiply), 32, "both_by_32", Grade::primary,
             te_source},
    MxRecipe{"te_mxfp8_hybrid", products(e4m3, e5m2), choices(Arithmetic::fp32_multiply), 32, "both_by_32",
             Grade::primary, te_source},
    MxRecipe{"nvidia_pretraining", products(e4m3, e4m3), choices(Arithmetic::exact), 32, "any", Grade::secondary,
             nvidia_source},
    MxRecipe{"nvidia_pretraining_e5m2_gradients", products(e4m3, e5m2), choices(Arithmetic::exact), 32, "any",
             Grade::secondary, nvidia_source},
    MxRecipe{"ocp_mxfp8", products(e4m3, e4m3), choices(Arithmetic::exact, ScaleRule::ocp_floor), 32, "any",
             Grade::secondary, ocp_source},
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

std::string_view to_string(Product value) { return product_names.at(static_cast<std::size_t>(value)); }
std::string_view to_string(Tensor value) { return tensor_names.at(static_cast<std::size_t>(value)); }

} // namespace mxcert::recipe
