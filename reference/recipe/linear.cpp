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

/// A recipe of NVFP4 for the tensors of a layer: activations and gradients are in blocks along the sum.
struct Nvfp4Layer {
    std::string_view name;
    std::string_view quantizer; ///< of an Nvfp4Preset
    bool tiles_of_weights = false;
    std::string_view sizes = "any";
    std::string_view epilogue{};   ///< of the sums; "": operands are dequantized
    bool transforms_wgrad = false; ///< both operands of wgrad, by te_signs
};

/// Transformer Engine's are those without stochastic rounding (disable_stochastic_rounding), two of them without the
/// Hadamard transform too (disable_rht). recipe/__init__.py of d0067d0, NVFP4BlockScaling.
constexpr Nvfp4Layer nvfp4_layers[] = {
    {"te_nvfp4", "te_nvfp4", true, "both_by_16", "te_nvfp4"},
    {"te_nvfp4_1d_weights", "te_nvfp4", false, "both_by_16", "te_nvfp4"},
    {"te_nvfp4_hadamard", "te_nvfp4", true, "both_by_16", "te_nvfp4", true},
    {"torchao_nvfp4", "torchao_nvfp4"},
    {"torchao_nvfp4_one_level", "torchao_nvfp4_one_level"},
    {"modelopt_nvfp4", "modelopt_nvfp4"},
    {"compressed_tensors_nvfp4", "compressed_tensors_nvfp4"},
    {"compressed_tensors_nvfp4_bf16", "compressed_tensors_nvfp4_bf16"},
};

const Nvfp4Layer* nvfp4_layer_or_none(std::string_view name) {
    for (const Nvfp4Layer& layer : nvfp4_layers)
        if (layer.name == name) return &layer;
    return nullptr;
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
    for (const Nvfp4Layer& layer : nvfp4_layers) names.push_back(layer.name);
    names.push_back(given_scales);
    return names;
}

LayerFormats usual_formats(std::string_view recipe, Product product) {
    if (const MxRecipe* const mx = mx_recipe_or_none(recipe)) {
        const MxProduct& own = mx->products.at(static_cast<std::size_t>(product));
        return {own.left.element, own.right.element, &formats::e8m0};
    }
    if (nvfp4_layer_or_none(recipe) != nullptr) return {&formats::e2m1, &formats::e2m1, &formats::ue4m3};
    if (!float_recipe(recipe)) throw std::invalid_argument(unknown_name("recipe", recipe, layer_recipes()));
    return {&formats::e4m3, &formats::e4m3, &formats::fp32};
}

LayerProduct layer_product(std::string_view recipe, Product product, const Format& source, const Format& left,
                           const Format& right, const Format& scale) {
    const MxRecipe* const mx = mx_recipe_or_none(recipe);
    const std::optional<FloatBlockPreset> floats = float_recipe(recipe);
    const Nvfp4Layer* const nvfp4 = nvfp4_layer_or_none(recipe);
    if (mx == nullptr && !floats && nvfp4 == nullptr)
        throw std::invalid_argument(unknown_name("recipe", recipe, layer_recipes()));
    const auto operand = [&](const MxOperand& from, const Format& element) {
        LayerOperand layer_operand{from.tensor, from.along, &source, &element, &scale, {}, {}, recipe == given_scales};
        if (mx != nullptr) {
            layer_operand.choices = mx->choices;
            layer_operand.block = shapes::rowwise(mx->block);
        } else if (nvfp4 != nullptr) {
            layer_operand.choices = nvfp4_preset(nvfp4->quantizer).choices;
            if (nvfp4->transforms_wgrad && product == Product::wgrad) layer_operand.transform = Hadamard{te_signs};
            layer_operand.block = nvfp4->tiles_of_weights && from.tensor == Tensor::weights
                                      ? BlockShape{nvfp4_block, nvfp4_block}
                                      : shapes::rowwise(nvfp4_block);
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
    if (mx != nullptr || nvfp4 != nullptr) {
        const LayerFormats own = usual_formats(recipe, product);
        must_be("left", left, *own.left, recipe);
        must_be("right", right, *own.right, recipe);
        must_be("scale", scale, *own.scale, recipe);
        if (nvfp4 != nullptr && nvfp4->transforms_wgrad) must_be("source", source, formats::bf16, recipe);
    } else {
        for (const Format* element : {&left, &right})
            if (element == &formats::e2m1)
                throw std::invalid_argument("e2m1: the recipe " + std::string(recipe) + " has no such elements");
        if (&scale == &formats::ue4m3)
            throw std::invalid_argument("ue4m3: the recipe " + std::string(recipe) + " has no such scales");
    }
    if (recipe == given_scales) must_be("scale", scale, formats::fp32, recipe);
    return {product, operand(of.left, left), operand(of.right, right)};
}

std::optional<std::string> refused_by(std::string_view recipe, const Extent& tensor) {
    if (const MxRecipe* const mx = mx_recipe_or_none(recipe))
        return refusal(find_size_policy(mx->sizes), tensor, shapes::rowwise(mx->block));
    if (const Nvfp4Layer* const nvfp4 = nvfp4_layer_or_none(recipe))
        return refusal(find_size_policy(nvfp4->sizes), tensor, shapes::rowwise(nvfp4_block));
    return std::nullopt;
}

std::string_view epilogue_of(std::string_view recipe) {
    const Nvfp4Layer* const nvfp4 = nvfp4_layer_or_none(recipe);
    return nvfp4 == nullptr ? "" : nvfp4->epilogue;
}

std::uint32_t random_at(std::span<const Code> words, std::size_t place) {
    if (words.empty()) throw std::invalid_argument("elements that are rounded at random have no random bits");
    return static_cast<std::uint32_t>(words[place % words.size()]);
}

LayerOperand after_transform(LayerOperand operand) {
    operand.source = &formats::bf16;
    operand.transform.reset();
    return operand;
}

LayerOperand turned(LayerOperand operand) {
    operand.along = operand.along == Axis::row ? Axis::column : Axis::row;
    operand.block = turned(operand.block);
    return operand;
}

} // namespace mxcert::recipe
