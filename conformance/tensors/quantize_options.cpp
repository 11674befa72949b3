// SPDX-License-Identifier: Apache-2.0
#include "conformance/tensors/quantize_options.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "reference/base/near_names.hpp"
#include "reference/exact/number.hpp"
#include "reference/fast/recipe/nvfp4.hpp"

namespace mxcert::tensors {
namespace {

constexpr std::string_view axis_names[] = {"row", "column"}; // in the order of Axis

/// The place of a name among those of an enumeration.
template <class Enum, std::size_t n>
void set_by_name(Enum& value, const std::string& name, const char* option, const std::string_view (&names)[n]) {
    if (name.empty()) return;
    const auto* const found = std::find(std::begin(names), std::end(names), name);
    if (found == std::end(names)) throw std::invalid_argument(unknown_name(option, name, names));
    value = static_cast<Enum>(found - std::begin(names));
}

/// NVFP4 is what a recipe says.
void take_recipe(const QuantizeOptions& options, Quantization& how) {
    for (const std::string* option :
         {&options.profile, &options.rule, &options.rounding, &options.overflow, &options.amax_nan, &options.amax_inf})
        if (!option->empty()) throw std::invalid_argument("nvfp4 has a --recipe, and no profile, rule or choices");
    if (!options.scale_choices.empty() || !options.element_choices.empty())
        throw std::invalid_argument("nvfp4 has a --recipe, and no profile, rule or choices");
    if (options.recipe.empty()) {
        std::string names;
        for (const recipe::Nvfp4Preset& preset : recipe::nvfp4_presets())
            names.append(names.empty() ? "" : ", ").append(preset.name);
        throw std::invalid_argument("nvfp4 needs a --recipe, whose quantizer: " + names);
    }
    how.recipe = &recipe::nvfp4_preset(options.recipe);
    if (options.tensor_amax.empty()) return;
    const Code amax = parse_number(options.tensor_amax, formats::fp32).code;
    if ((amax & formats::fp32.sign_bit()) != 0)
        throw std::invalid_argument("--tensor-amax '" + options.tensor_amax + "': an amax has no sign");
    how.tensor = fast::tensor_scales_of(how.recipe->choices, amax);
}

/// The choices of a profile for the rounding and overflow that are given, or else the first that it judges.
Choices choices_by_profile(const ConvertOptions& options, const Format& from, const Format& to) {
    const Profile& profile = find_profile(options.profile);
    std::string overflow = options.overflow;
    if (overflow.empty()) {
        const std::string_view modes = judged_overflow(profile, to);
        overflow = std::string(modes.substr(0, modes.find(' ')));
    }
    const std::string rounding = options.rounding.empty() ? "nearest_even" : options.rounding;
    return choices_of(profile, make_conversion(from.name, to.name, rounding, overflow, 0));
}

} // namespace

Choices choices_of(const ConvertOptions& options, const Format& from, const Format& to) {
    Choices choices;
    if (!options.profile.empty()) choices = choices_by_profile(options, from, to);
    if (!options.rounding.empty()) set(choices, "rounding", options.rounding);
    if (!options.overflow.empty()) set(choices, "overflow", options.overflow);
    for (const std::string& choice : options.choices) set_by_text(choices, choice);
    return choices;
}

Quantization quantization_of(const QuantizeOptions& options, const Format& source, std::vector<std::uint64_t> shape) {
    Quantization how;
    how.format = &scaled_format(options.format);
    how.source = &source;
    how.shape = std::move(shape);
    how.block = options.block == 0 ? how.format->block : options.block;
    set_by_name(how.axis, options.axis, "--axis", axis_names);
    how.packing = &find_packing(options.packing);
    if (options.layout != "rows") how.layout = &find_layout(options.layout);
    if (how.format->tensor_scale != nullptr) {
        take_recipe(options, how);
        check(how);
        return how;
    }
    if (!options.recipe.empty() || !options.tensor_amax.empty())
        throw std::invalid_argument("--recipe and --tensor-amax are of nvfp4");
    if (!options.profile.empty()) how.choices = choices_of(find_profile(options.profile), how.block_format());
    if (!options.rule.empty()) set(how.choices.scale, "rule", options.rule);
    if (!options.rounding.empty()) set(how.choices.element, "rounding", options.rounding);
    if (!options.overflow.empty())
        for (Choices* choices : {&how.choices.scale, &how.choices.element}) set(*choices, "overflow", options.overflow);
    for (const std::string& choice : options.scale_choices) set_by_text(how.choices.scale, choice, "--scale-choice");
    for (const std::string& choice : options.element_choices)
        set_by_text(how.choices.element, choice, "--element-choice");
    set_by_name(how.choices.amax_nan, options.amax_nan, "--amax-nan", amax_nan_names);
    set_by_name(how.choices.amax_inf, options.amax_inf, "--amax-inf", amax_inf_names);
    if (is_stochastic(how.choices.element.rounding))
        throw std::invalid_argument("a stochastic rounding needs random bits, and a quantizer of tensors takes none");
    check(how);
    return how;
}

} // namespace mxcert::tensors
