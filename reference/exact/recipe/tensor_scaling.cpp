// SPDX-License-Identifier: Apache-2.0
#include "reference/exact/recipe/tensor_scaling.hpp"

#include <stdexcept>

#include "reference/exact/recipe/float_scale.hpp"
#include "reference/exact/recipe/history.hpp"

namespace mxcert::exact {
namespace {

using formats::fp32;
using recipe::Admitted;
using recipe::State;
using recipe::Statistic;
using recipe::TensorScaling;

bool admits(Admitted admitted, Code amax) {
    switch (admitted) {
    case Admitted::all: return true;
    case Admitted::not_zero: return amax != 0;
    case Admitted::finite: return fp32.is_finite(amax);
    }
    throw std::logic_error("no such choice");
}

void remember(const TensorScaling& choices, State& state, Code amax) {
    if (state.steps % choices.remember_interval != 0 || !admits(choices.admitted, amax)) return;
    state.history.push_back(amax);
    while (state.history.size() > choices.length) state.history.erase(state.history.begin());
    if (choices.reading.statistic != Statistic::running_average) return;
    if (fp32.is_nan(amax) && choices.reading.nan_entries == recipe::NanEntries::left_out) return;
    state.average = state.averaged ? mixed(choices.reading.weight, state.average, amax) : amax;
    state.averaged = true;
}

void update_scales(const TensorScaling& choices, State& state) {
    const bool running = choices.reading.statistic == Statistic::running_average;
    const Code amax = running ? state.average : statistic_of(choices.reading, state.history);
    if (const auto scales = scales_of(choices.scaling, amax)) state.scales = *scales;
}

} // namespace

State start(const TensorScaling& choices) {
    check(choices);
    State state;
    if (choices.start == recipe::Start::zeros) {
        state.history.assign(choices.length, 0);
        state.averaged = true;
    }
    return state;
}

recipe::Scales step(const TensorScaling& choices, State& state, Code amax) {
    const recipe::Scales before = state.scales;
    const bool own =
        choices.sees == recipe::Sees::own || (choices.sees == recipe::Sees::own_at_first && state.steps == 0);
    remember(choices, state, amax);
    if (state.steps % choices.interval == 0) update_scales(choices, state);
    ++state.steps;
    return own ? state.scales : before;
}

} // namespace mxcert::exact
