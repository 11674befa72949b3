// SPDX-License-Identifier: Apache-2.0
#include "reference/recipe/linear.hpp"

#include <stdexcept>

#include "reference/base/near_names.hpp"
#include "reference/recipe/preset.hpp"

namespace mxcert::recipe {
namespace {

/// Scaling of a tensor by its own amax, and what a NaN does to that: Transformer Engine's kernel drops it in fmaxf
/// (current_scaling.cu), torch.max keeps it.
struct Current {
    std::string_view name; ///< of a TensorPreset
    AmaxNan amax_nan;
};
constexpr Current current[] = {{"te_current", AmaxNan::ignored},
                               {"te_current_power_of_two", AmaxNan::ignored},
                               {"torchao_dynamic", AmaxNan::propagated}};

FloatBlock block_of(const Current& recipe) {
    FloatBlock choices;
    choices.scaling = tensor_preset(recipe.name).forward.scaling;
    choices.amax_nan = recipe.amax_nan;
    return choices;
}

/// Float scales, the blocks of weights and of the other tensors as rows have them; nothing for a recipe of E8M0 scales.
std::optional<FloatBlockPreset> float_recipe(std::string_view name) {
    if (name == given_scales) return FloatBlockPreset{name, {}, shapes::per_tensor, shapes::per_tensor, {}, {}};
    for (const FloatBlockPreset& preset : float_block_presets())
        if (preset.name == name) return preset;
    for (const Current& this_current : current)
        if (this_current.name == name)
            return FloatBlockPreset{name, block_of(this_current), shapes::per_tensor, shapes::per_tensor, {}, {}};
    return std::nullopt;
}

const MxRecipe* mx_recipe_or_none(std::string_view name) {
    for (const MxRecipe& recipe : mx_recipes())
        if (recipe.name == name) return &recipe;
    return nullptr;
}

/// The tensors and axes of a product: the same under every recipe.
const MxProduct& operands_of(Product product) {
    return mx_recipes().front().products.at(static_cast<std::size_t>(product));
}

BlockShape turned(const BlockShape& block) { return {block.columns, block.rows}; }

void must_be(std::string_view what, const Format& format, const Format& wanted, std::string_view recipe) {
    if (&format != &wanted)
        throw std::invalid_argument(std::string(what) + " '" + std::string(format.name) + "': the recipe " +
                                    std::string(recipe) + " has " + std::string(wanted.name));
}

} // namespace

Extent LayerSizes::of(Tensor tensor) const {
    switch (tensor) {
    case Tensor::activations: return {tokens, inputs};
    case Tensor::weights: return {outputs, inputs};
    default: return {tokens, outputs};
    }
}

std::string text(const LayerSizes& sizes) {
    return std::to_string(sizes.tokens) + "x" + std::to_string(sizes.inputs) + "x" + std::to_string(sizes.outputs);
}

std::vector<std::string_view> layer_recipes() {
    std::vector<std::string_view> names;
    for (const MxRecipe& recipe : mx_recipes()) names.push_back(recipe.name);
    for (const FloatBlockPreset& preset : float_block_presets()) names.push_back(preset.name);
    for (const Current& this_current : current) names.push_back(this_current.name);
    names.push_back(given_scales);
    return names;
}

LayerProduct layer_product(std::string_view recipe, Product product, const Format& source, const Format& left,
                           const Format& right, const Format& scale) {
    const MxRecipe* const mx = mx_recipe_or_none(recipe);
    const std::optional<FloatBlockPreset> floats = float_recipe(recipe);
    if (mx == nullptr && !floats) throw std::invalid_argument(unknown_name("recipe", recipe, layer_recipes()));
    const auto operand = [&](const MxOperand& from, const Format& element) {
        LayerOperand layer_operand{from.tensor, from.along, &source, &element, &scale, {}, {}, recipe == given_scales};
        if (mx != nullptr) {
            layer_operand.choices = mx->choices;
            layer_operand.block = shapes::rowwise(mx->block);
        } else {
            FloatBlock choices = floats->choices;
            choices.scaling.element = &element;
            if (&scale != &formats::e8m0)
                choices.scaling.kept = &scale;
            else if (!choices.scaling.power_of_two)
                throw std::invalid_argument("scale 'e8m0': the scales of the recipe " + std::string(recipe) +
                                            " are no powers of two");
            layer_operand.choices = choices;
            layer_operand.block = from.tensor == Tensor::weights ? floats->weights : floats->activations;
        }
        if (from.along == Axis::column) layer_operand.block = turned(layer_operand.block);
        return layer_operand;
    };
    const MxProduct& of = operands_of(product);
    if (mx != nullptr) {
        const MxProduct& own = mx->products.at(static_cast<std::size_t>(product));
        must_be("left", left, *own.left.element, recipe);
        must_be("right", right, *own.right.element, recipe);
        must_be("scale", scale, formats::e8m0, recipe);
    }
    if (recipe == given_scales) must_be("scale", scale, formats::fp32, recipe);
    return {product, operand(of.left, left), operand(of.right, right)};
}

std::optional<std::string> refused_by(std::string_view recipe, const Extent& tensor) {
    const MxRecipe* const mx = mx_recipe_or_none(recipe);
    if (mx == nullptr) return std::nullopt;
    return refusal(find_size_policy(mx->sizes), tensor, shapes::rowwise(mx->block));
}

LayerOperand turned(LayerOperand operand) {
    operand.along = operand.along == Axis::row ? Axis::column : Axis::row;
    operand.block = turned(operand.block);
    return operand;
}

} // namespace mxcert::recipe
