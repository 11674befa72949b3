// SPDX-License-Identifier: Apache-2.0
#include "reference/recipe/preset.hpp"

#include <array>
#include <stdexcept>
#include <string>

namespace mxcert::recipe {
namespace {

using formats::e5m2;
using formats::fp32;

constexpr Code two = 0x40000000;
constexpr Code four = 0x40800000;
constexpr Code fp64_1e_12 = 0x3D719799812DEA11;

/// E4M3 forward, E5M2 backward: Transformer Engine's HYBRID, torchao's default.
constexpr TensorScaling backward_of(TensorScaling choices) {
    choices.scaling.element = &e5m2;
    return choices;
}

/// What Transformer Engine's kernels have in common.
constexpr FloatScale te(Unusable unusable) {
    FloatScale scaling;
    scaling.limit = &fp32;
    scaling.on_nan = scaling.on_inf = scaling.on_zero = unusable;
    return scaling;
}

constexpr TensorScaling te_delayed(Statistic statistic) {
    TensorScaling choices;
    choices.scaling = te(Unusable::keep);
    choices.length = 1024;
    choices.reading.statistic = statistic;
    // fmaxf leaves a NaN out; the most recent amax is taken as it is.
    if (statistic == Statistic::most_recent) choices.reading.nan_entries = NanEntries::propagated;
    choices.admitted = Admitted::not_zero;
    choices.start = Start::zeros;
    choices.sees = Sees::earlier;
    return choices;
}

constexpr TensorScaling te_current(bool power_of_two) {
    TensorScaling choices;
    choices.scaling = te(Unusable::one);
    choices.scaling.power_of_two = power_of_two;
    choices.reading.nan_entries = NanEntries::propagated;
    return choices;
}

constexpr TensorScaling torchao(std::size_t length, Sees sees) {
    TensorScaling choices;
    choices.scaling.least_amax = fp64_1e_12;
    choices.length = length;
    choices.reading.nan_entries = NanEntries::propagated;
    choices.start = Start::zeros;
    choices.sees = sees;
    return choices;
}

/// The margin as a factor of the amax, and the scale made before it is used.
constexpr TensorScaling factor(std::size_t length, Statistic statistic, Code margin) {
    TensorScaling choices;
    choices.scaling.factor = margin;
    choices.scaling.on_nan = choices.scaling.on_inf = choices.scaling.on_zero = Unusable::keep;
    choices.length = length;
    choices.reading.statistic = statistic;
    return choices;
}

constexpr TensorPreset both(std::string_view name, const TensorScaling& choices, Grade grade, std::string_view source) {
    return {name, choices, backward_of(choices), grade, source};
}

constexpr TensorPreset factor_preset(std::string_view name, std::size_t length, Statistic statistic) {
    return {name, factor(length, statistic, two), backward_of(factor(length, statistic, four)), Grade::secondary,
            "a description of FP8 training; what NaN, Inf and zero give is our choice"};
}

constexpr std::string_view delayed_source = "Transformer Engine 6b71a0a, common/recipe/delayed_scaling.cu, kernel_bulk";
constexpr std::string_view current_source =
    "Transformer Engine 01c24fe, common/recipe/recipe_common.cuh, compute_scale_from_amax; current_scaling.cu";

constexpr std::array presets{
    both("te_delayed", te_delayed(Statistic::maximum), Grade::primary, delayed_source),
    both("te_delayed_most_recent", te_delayed(Statistic::most_recent), Grade::primary, delayed_source),
    both("te_current", te_current(false), Grade::primary, current_source),
    both("te_current_power_of_two", te_current(true), Grade::primary, current_source),
    both("torchao_dynamic", torchao(1, Sees::own), Grade::primary,
         "torchao 00141f4, float8/float8_utils.py, amax_to_scale"),
    both(
        "torchao_delayed", torchao(16, Sees::own_at_first), Grade::primary,
        "torchao 09821f0, float8/stateful_float8_linear.py; float8_scaling_utils.py; amax_to_scale as torchao_dynamic"),
    factor_preset("factor_current", 1, Statistic::most_recent),
    factor_preset("factor_maximum", 1024, Statistic::maximum),
    factor_preset("factor_most_recent", 1024, Statistic::most_recent),
    factor_preset("factor_average", 1024, Statistic::running_average),
    factor_preset("factor_percentile", 1024, Statistic::linear_rank),
};

} // namespace

std::span<const TensorPreset> tensor_presets() { return presets; }

const TensorPreset& tensor_preset(std::string_view name) {
    std::string names;
    for (const TensorPreset& preset : presets) {
        if (preset.name == name) return preset;
        names.append(names.empty() ? "" : ", ").append(preset.name);
    }
    throw std::invalid_argument("no recipe '" + std::string(name) + "': there are " + names);
}

} // namespace mxcert::recipe
