// SPDX-License-Identifier: Apache-2.0
#include "reference/recipe/catalogue.hpp"

#include <algorithm>
#include <array>

#include "reference/base/near_names.hpp"
#include "reference/base/word_list.hpp"
#include "reference/code_text.hpp"
#include "reference/recipe/float_block.hpp"
#include "reference/recipe/mxfp8.hpp"
#include "reference/recipe/nvfp4.hpp"
#include "reference/recipe/percentile.hpp"
#include "reference/recipe/preset.hpp"
#include "reference/recipe/tensor_recipe.hpp"

namespace mxcert::recipe {
namespace {

constexpr std::string_view of_tensor = "tensor";
constexpr std::string_view of_elements = "percentile";
constexpr std::string_view of_blocks = "float_block";
constexpr std::string_view of_mx = "mxfp8";
constexpr std::string_view of_nvfp4 = "nvfp4";

constexpr std::array kinds{
    CatalogueKind{of_tensor, "a float scale a tensor, from the amaxes of this and of earlier steps"},
    CatalogueKind{of_elements, "a float scale a tensor, from a percentile of its elements"},
    CatalogueKind{of_blocks, "a float scale a block, tile, channel or tensor"},
    CatalogueKind{of_mx, "the MXFP8 operands of the three products of a linear layer"},
    CatalogueKind{of_nvfp4, "NVFP4: the scales of a tensor and of its blocks, and the elements"},
};

// In the order of AmaxNan, AmaxInf and Axis.
constexpr std::array<std::string_view, 3> amax_nan_words{"ignored", "if_alone", "propagated"};
constexpr std::array<std::string_view, 2> amax_inf_words{"counted", "left_out"};
constexpr std::array<std::string_view, 2> axis_words{"row", "column"};

template <class Words, class Value> std::string word(const Words& words, Value value) {
    return std::string(words.at(static_cast<std::size_t>(value)));
}

/// "a=b c=d" as parameters.
ParameterGroup group(std::string name, std::string_view description) {
    ParameterGroup result{std::move(name), {}};
    for (const std::string_view term : list_of(description)) {
        const std::size_t equals = term.find('=');
        result.values.emplace_back(term.substr(0, equals), term.substr(equals + 1));
    }
    return result;
}

ParameterGroup group(std::string name, const Choices& choices) {
    ParameterGroup result{std::move(name), {}};
    for (const ChoiceInfo& choice : all_choices())
        result.values.emplace_back(choice.name, value_name(choices, choice.choice));
    return result;
}

const TensorPreset* preset_named(std::string_view name) {
    const auto presets = tensor_presets();
    const auto at = std::find_if(presets.begin(), presets.end(), [&](const TensorPreset& p) { return p.name == name; });
    return at == presets.end() ? nullptr : &*at;
}

void add_tensors(std::vector<CatalogueEntry>& all) {
    const auto recipes = tensor_recipes();
    for (const TensorPreset& preset : tensor_presets()) {
        const bool offered = std::any_of(recipes.begin(), recipes.end(),
                                         [&](const TensorRecipe& recipe) { return recipe.name == preset.name; });
        all.push_back({std::string(preset.name),
                       of_tensor,
                       offered ? "scaling" : "",
                       "",
                       preset.grade,
                       preset.source,
                       {group("forward", describe(preset.forward)), group("backward", describe(preset.backward))}});
    }
    for (const TensorRecipe& recipe : recipes) {
        if (preset_named(recipe.name) != nullptr) continue;
        const TensorPreset& preset = tensor_preset(recipe.preset);
        all.push_back({recipe.name,
                       of_tensor,
                       "scaling",
                       preset.name,
                       preset.grade,
                       preset.source,
                       {group("", describe(recipe.choices))}});
    }
}

void add_elements(std::vector<CatalogueEntry>& all) {
    for (const ElementRecipe& recipe : element_recipes())
        all.push_back({std::string(recipe.name),
                       of_elements,
                       "",
                       "",
                       recipe.grade,
                       recipe.source,
                       {group("", describe(recipe))}});
}

void add_blocks(std::vector<CatalogueEntry>& all) {
    for (const FloatBlockPreset& preset : float_block_presets()) {
        ParameterGroup parameters = group("", describe(preset.choices.scaling));
        parameters.values.emplace_back("apply", to_string(preset.choices.apply));
        parameters.values.emplace_back("amax_nan", word(amax_nan_words, preset.choices.amax_nan));
        Choices element;
        element.overflow = preset.choices.overflow;
        parameters.values.emplace_back("overflow", value_name(element, Choice::overflow));
        parameters.values.emplace_back("block_of_activations", text(preset.activations));
        parameters.values.emplace_back("block_of_weights", text(preset.weights));
        all.push_back({std::string(preset.name),
                       of_blocks,
                       "quantize_float",
                       "",
                       preset.grade,
                       preset.source,
                       {std::move(parameters)}});
    }
}

void add_mx(std::vector<CatalogueEntry>& all) {
    for (const MxRecipe& recipe : mx_recipes()) {
        CatalogueEntry entry{std::string(recipe.name), of_mx, "linear", "", recipe.grade, recipe.source, {}};
        entry.parameters.push_back({"",
                                    {{"block", std::to_string(recipe.block)},
                                     {"sizes", std::string(recipe.sizes)},
                                     {"amax_nan", word(amax_nan_words, recipe.choices.amax_nan)},
                                     {"amax_inf", word(amax_inf_words, recipe.choices.amax_inf)}}});
        for (const MxProduct& product : recipe.products) {
            ParameterGroup parameters{std::string(to_string(product.product)), {}};
            for (const auto& [side, operand] : {std::pair{"left", &product.left}, {"right", &product.right}}) {
                parameters.values.emplace_back(side, to_string(operand->tensor));
                parameters.values.emplace_back(std::string(side) + "_blocks_along", word(axis_words, operand->along));
                parameters.values.emplace_back(std::string(side) + "_element", operand->element->name);
            }
            entry.parameters.push_back(std::move(parameters));
        }
        entry.parameters.push_back(group("scale", recipe.choices.scale));
        entry.parameters.push_back(group("element", recipe.choices.element));
        all.push_back(std::move(entry));
    }
}

std::string yes_or_no(bool value) { return value ? "yes" : "no"; }

void add_nvfp4(std::vector<CatalogueEntry>& all) {
    const auto fp32 = [](Code code) { return code_text(formats::fp32, code); };
    const auto e2m1 = [](Code code) { return code_text(formats::e2m1, code); };
    for (const Nvfp4Preset& preset : nvfp4_presets()) {
        const Nvfp4& choices = preset.choices;
        Choices named;
        named.zero_sign = choices.zero_sign;
        named.rounding = choices.rounding;
        Choices of_scale;
        of_scale.rounding = choices.scale_rounding;
        of_scale.overflow = choices.scale_overflow;
        ParameterGroup parameters{"",
                                  {{"tensor", std::string(to_string(choices.tensor))},
                                   {"range", fp32(choices.range)},
                                   {"reciprocal", yes_or_no(choices.reciprocal)},
                                   {"scales_in", std::string(choices.scales_in->name)},
                                   {"least_tensor_amax", fp32(choices.least_tensor_amax)},
                                   {"unusable_is_one", yes_or_no(choices.unusable_is_one)},
                                   {"special_is_one", yes_or_no(choices.special_is_one)},
                                   {"limited", yes_or_no(choices.limited)},
                                   {"quotient", std::string(to_string(choices.quotient))},
                                   {"zero_is_one", yes_or_no(choices.zero_is_one)},
                                   {"least_quotient", fp32(choices.least_quotient)},
                                   {"scale_rounding", std::string(value_name(of_scale, Choice::rounding))},
                                   {"scale_overflow", std::string(value_name(of_scale, Choice::overflow))},
                                   {"zero_scale", code_text(formats::e4m3, choices.zero_scale)},
                                   {"element", std::string(to_string(choices.element))},
                                   {"rounding", std::string(value_name(named, Choice::rounding))},
                                   {"amax_nan", word(amax_nan_words, choices.amax_nan)},
                                   {"nan", e2m1(choices.nan)},
                                   {"nan_open", e2m1(choices.nan_open)},
                                   {"zero_sign", std::string(value_name(named, Choice::zero_sign))},
                                   {"four_over_six", std::string(to_string(choices.four_over_six))},
                                   {"factor", std::string(to_string(choices.factor))},
                                   {"minus_zero_is_zero", yes_or_no(choices.minus_zero_is_zero)}}};
        all.push_back({std::string(preset.name),
                       of_nvfp4,
                       "quantize_nvfp4",
                       "",
                       preset.grade,
                       preset.source,
                       {std::move(parameters)}});
    }
}

} // namespace

std::span<const CatalogueKind> catalogue_kinds() { return kinds; }

std::span<const CatalogueEntry> catalogue() {
    static const std::vector<CatalogueEntry> entries = [] {
        std::vector<CatalogueEntry> all;
        add_tensors(all);
        add_elements(all);
        add_blocks(all);
        add_mx(all);
        add_nvfp4(all);
        return all;
    }();
    return entries;
}

const CatalogueEntry& catalogue_entry(std::string_view name) { return find_named("recipe", name, catalogue()); }

} // namespace mxcert::recipe
