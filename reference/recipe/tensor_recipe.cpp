// SPDX-License-Identifier: Apache-2.0
#include "reference/recipe/tensor_recipe.hpp"

#include <stdexcept>
#include <vector>

#include "reference/base/near_names.hpp"
#include "reference/recipe/preset.hpp"

namespace mxcert::recipe {
namespace {

TensorScaling of_length(std::string_view preset, std::size_t length) {
    TensorScaling choices = tensor_preset(preset).forward;
    choices.length = length;
    return choices;
}

template <class Edit> TensorScaling edited(TensorScaling choices, Edit edit) {
    edit(choices);
    return choices;
}

std::vector<TensorRecipe> make_recipes() {
    const TensorScaling te = of_length("te_delayed", 4);
    const TensorScaling te_margin = edited(te, [](TensorScaling& c) { c.scaling.exponent = 1; });
    const TensorScaling factor = of_length("factor_maximum", 4);
    const auto reads = [&](Statistic statistic, std::size_t length, Rank rank) {
        return edited(factor, [&](TensorScaling& c) {
            c.reading.statistic = statistic;
            c.reading.rank = rank;
            c.length = length;
        });
    };
    const auto unusable = [&](Unusable what) {
        return edited(factor, [&](TensorScaling& c) {
            c.scaling.on_nan = c.scaling.on_inf = c.scaling.on_zero = what;
            c.reading.nan_entries = NanEntries::propagated;
        });
    };
    const Rank most{9999, 10000};
    const TensorScaling linear = reads(Statistic::linear_rank, 8, most);
    return {
        {"te_delayed", "te_delayed", tensor_preset("te_delayed").forward},
        {"te_delayed_4", "te_delayed", te},
        {"te_delayed_4_backward", "te_delayed",
         edited(tensor_preset("te_delayed").backward, [](TensorScaling& c) { c.length = 4; })},
        {"te_delayed_4_margin_1", "te_delayed", te_margin},
        {"te_delayed_4_margin_1_of_quotient", "te_delayed",
         edited(te_margin, [](TensorScaling& c) { c.scaling.power = Power::of_quotient; })},
        {"te_delayed_4_margin_2", "te_delayed", edited(te, [](TensorScaling& c) { c.scaling.exponent = 2; })},
        {"te_delayed_most_recent_4", "te_delayed_most_recent", of_length("te_delayed_most_recent", 4)},
        {"te_current", "te_current", tensor_preset("te_current").forward},
        {"te_current_power_of_two", "te_current_power_of_two", tensor_preset("te_current_power_of_two").forward},
        {"torchao_dynamic", "torchao_dynamic", tensor_preset("torchao_dynamic").forward},
        {"torchao_delayed", "torchao_delayed", tensor_preset("torchao_delayed").forward},
        {"factor_current", "factor_current", tensor_preset("factor_current").forward},
        {"factor_maximum_4", "factor_maximum", factor},
        {"factor_maximum_4_backward", "factor_maximum",
         edited(tensor_preset("factor_maximum").backward, [](TensorScaling& c) { c.length = 4; })},
        {"factor_maximum_4_factor_3", "factor_maximum",
         edited(factor, [](TensorScaling& c) { c.scaling.factor = 0x40400000; })},
        {"factor_maximum_4_earlier", "factor_maximum",
         edited(factor, [](TensorScaling& c) { c.sees = Sees::earlier; })},
        {"factor_maximum_4_interval_3", "factor_maximum", edited(factor, [](TensorScaling& c) { c.interval = 3; })},
        {"factor_maximum_4_remember_3", "factor_maximum",
         edited(factor, [](TensorScaling& c) { c.remember_interval = 3; })},
        {"factor_maximum_4_interval_2_remember_3", "factor_maximum",
         edited(factor,
                [](TensorScaling& c) {
                    c.interval = 2;
                    c.remember_interval = 3;
                })},
        {"factor_running_average_remember_2", "factor_average",
         edited(reads(Statistic::running_average, 1, most), [](TensorScaling& c) { c.remember_interval = 2; })},
        {"factor_maximum_4_finite", "factor_maximum",
         edited(factor, [](TensorScaling& c) { c.admitted = Admitted::finite; })},
        {"factor_maximum_4_one", "factor_maximum", unusable(Unusable::one)},
        {"factor_maximum_4_computed", "factor_maximum", unusable(Unusable::computed)},
        {"factor_maximum_4_scale_first", "factor_maximum",
         edited(factor, [](TensorScaling& c) { c.scaling.first = First::scale; })},
        {"factor_maximum_4_reciprocal", "factor_maximum",
         edited(factor, [](TensorScaling& c) { c.scaling.quotient = Quotient::reciprocal; })},
        {"factor_moving_average_4", "factor_average", reads(Statistic::moving_average, 4, most)},
        {"factor_running_average", "factor_average", reads(Statistic::running_average, 1, most)},
        {"factor_running_average_finite", "factor_average",
         edited(reads(Statistic::running_average, 1, most), [](TensorScaling& c) { c.admitted = Admitted::finite; })},
        {"factor_nearest_rank_8", "factor_percentile", reads(Statistic::nearest_rank, 8, {3, 4})},
        {"factor_linear_rank_8", "factor_percentile", linear},
        {"factor_linear_rank_8_zeros", "factor_percentile",
         edited(linear, [](TensorScaling& c) { c.start = Start::zeros; })},
        {"factor_linear_rank_8_three_quarters", "factor_percentile", reads(Statistic::linear_rank, 8, {3, 4})},
    };
}

} // namespace

std::span<const TensorRecipe> tensor_recipes() {
    static const std::vector<TensorRecipe> recipes = make_recipes();
    return recipes;
}

const TensorRecipe& tensor_recipe(std::string_view name) { return find_named("recipe", name, tensor_recipes()); }

} // namespace mxcert::recipe
