// SPDX-License-Identifier: Apache-2.0
// Which recipes have a golden trace, and for which amaxes.
#include <stdexcept>

#include "reference/random.hpp"
#include "reference/recipe/preset.hpp"
#include "vectors/trace.hpp"

namespace mxcert {
namespace {

using namespace recipe;

constexpr Code largest = 0x7F7FFFFF;
constexpr Code inf = 0x7F800000;
constexpr Code nan = 0x7FC00000;

/// Amaxes for histories of up to eight. The comments say what each part tells apart.
std::vector<Code> amaxes_of_short_histories() {
    std::vector<Code> amaxes{
        0x40400000, 0x3FC00000, 0x41200000, 0x40E9999A, 0x41200000, // 3, 1.5, 10, 7.3, 10: a tie with the maximum
        0x3DCCCCCD, 0x40000000, 0x3FFFFFFF, 0x43E00000, 0x47600000, // 0.1, 2, the one below, 448, 57344
        0x40B00000, 0x40880000, 0x40533333, 0x400CCCCD, 0x3F8CCCCD, // falling: the maximum leaves the history
        0x3F333333, 0x3E99999A, 0x3E4CCCCD, 0x3DCCCCCD, 0x3D4CCCCD, 0, 0x3E99999A, 0, 0,
        0, // zeros, one alone and then more than are remembered
        0, 0, 0, 0, 0, 0x3F666666, 0x3F333333, nan, 0x3FA66666, 0x402CCCCD, // a NaN, then more than are remembered
        nan, nan, nan, nan, nan, nan, nan, nan, nan, 0x3F19999A, inf, 0x3FD9999A, 0x3E4CCCCD, 0x40A33333,
        0x40D33333, // an Inf, until it is
                    // forgotten
        0x40F66666, 0x40600000, 0x40200000, 0x3FE00000, 0x3F000000};
    const auto more = [&](std::initializer_list<Code> codes, int times) {
        for (int i = 0; i < times; ++i) amaxes.insert(amaxes.end(), codes);
    };
    // So small that an inverse scale leaves binary32: all of them, then those with a margin, of E4M3 and of E5M2.
    more({0x00000001, 0x00000003, 0x00400000}, 3);
    more({0x03A80000, 0x03B00000, 0x03DFFFFF, 0x03E00000, 0x03E00001}, 2);
    more({0x07400000, 0x07600000, 0x07600001}, 3);
    more({0x2B0CBCCC, 0x2B8CBCCB, 0x2B8CBCCC}, 3); // around 1e-12
    more({largest, 0x3F800000, 0x7F000000}, 3);    // with a factor beyond binary32
    SplitMix64 random(1);
    for (int i = 0; i < 32; ++i)
        amaxes.push_back(i == 16 ? inf : (119 + random.below(16)) << 23U | (random() & 0x7FFFFF));
    return amaxes;
}

/// Amaxes for a history of 1024: a maximum that is forgotten, then a second one.
std::vector<Code> amaxes_of_a_long_history() {
    SplitMix64 random(2);
    std::vector<Code> amaxes;
    for (int i = 0; i < 1060; ++i) amaxes.push_back(Code{127} << 23U | (random() & 0x7FFFFF));
    amaxes[3] = 0x44610000;  // 900
    amaxes[10] = 0x43960000; // 300
    amaxes[20] = 0;
    amaxes[30] = nan;
    return amaxes;
}

TensorScaling of_length(std::string_view preset, std::size_t length) {
    TensorScaling choices = tensor_preset(preset).forward;
    choices.length = length;
    return choices;
}

template <class Edit> TensorScaling edited(TensorScaling choices, Edit edit) {
    edit(choices);
    return choices;
}

std::vector<TraceCase> make_cases() {
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
    const std::vector<std::pair<std::string, TensorScaling>> rows{
        {"te_delayed_4", te},
        {"te_delayed_4_backward", edited(tensor_preset("te_delayed").backward, [](TensorScaling& c) { c.length = 4; })},
        {"te_delayed_4_margin_1", te_margin},
        {"te_delayed_4_margin_1_of_quotient",
         edited(te_margin, [](TensorScaling& c) { c.scaling.power = Power::of_quotient; })},
        {"te_delayed_4_margin_2", edited(te, [](TensorScaling& c) { c.scaling.exponent = 2; })},
        {"te_delayed_most_recent_4", of_length("te_delayed_most_recent", 4)},
        {"te_current", tensor_preset("te_current").forward},
        {"te_current_power_of_two", tensor_preset("te_current_power_of_two").forward},
        {"torchao_dynamic", tensor_preset("torchao_dynamic").forward},
        {"torchao_delayed", tensor_preset("torchao_delayed").forward},
        {"factor_current", tensor_preset("factor_current").forward},
        {"factor_maximum_4", factor},
        {"factor_maximum_4_backward",
         edited(tensor_preset("factor_maximum").backward, [](TensorScaling& c) { c.length = 4; })},
        {"factor_maximum_4_factor_3", edited(factor, [](TensorScaling& c) { c.scaling.factor = 0x40400000; })},
        {"factor_maximum_4_earlier", edited(factor, [](TensorScaling& c) { c.sees = Sees::earlier; })},
        {"factor_maximum_4_interval_3", edited(factor, [](TensorScaling& c) { c.interval = 3; })},
        {"factor_maximum_4_finite", edited(factor, [](TensorScaling& c) { c.admitted = Admitted::finite; })},
        {"factor_maximum_4_one", unusable(Unusable::one)},
        {"factor_maximum_4_computed", unusable(Unusable::computed)},
        {"factor_maximum_4_scale_first", edited(factor, [](TensorScaling& c) { c.scaling.first = First::scale; })},
        {"factor_maximum_4_reciprocal",
         edited(factor, [](TensorScaling& c) { c.scaling.quotient = Quotient::reciprocal; })},
        {"factor_moving_average_4", reads(Statistic::moving_average, 4, most)},
        {"factor_running_average", reads(Statistic::running_average, 1, most)},
        {"factor_running_average_finite",
         edited(reads(Statistic::running_average, 1, most), [](TensorScaling& c) { c.admitted = Admitted::finite; })},
        {"factor_nearest_rank_8", reads(Statistic::nearest_rank, 8, {3, 4})},
        {"factor_linear_rank_8", linear},
        {"factor_linear_rank_8_zeros", edited(linear, [](TensorScaling& c) { c.start = Start::zeros; })},
        {"factor_linear_rank_8_three_quarters", reads(Statistic::linear_rank, 8, {3, 4})},
    };
    std::vector<TraceCase> cases{{"te_delayed", tensor_preset("te_delayed").forward, amaxes_of_a_long_history()}};
    for (const auto& [name, choices] : rows) cases.push_back({name, choices, amaxes_of_short_histories()});
    return cases;
}

} // namespace

std::span<const TraceCase> trace_cases() {
    static const std::vector<TraceCase> cases = make_cases();
    return cases;
}

const TraceCase& trace_case(std::string_view name) {
    std::string names;
    for (const TraceCase& one : trace_cases()) {
        if (one.name == name) return one;
        names.append(names.empty() ? "" : ", ").append(one.name);
    }
    throw std::invalid_argument("no trace '" + std::string(name) + "': there are " + names);
}

} // namespace mxcert
