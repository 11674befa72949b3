// SPDX-License-Identifier: Apache-2.0
#include "reference/recipe/tensor.hpp"

#include <array>
#include <stdexcept>

#include "reference/exact/number.hpp"

namespace mxcert::recipe {
namespace {

using formats::fp32;

bool admits(Admitted admitted, Code amax) {
    switch (admitted) {
    case Admitted::all: return true;
    case Admitted::not_zero: return amax != 0;
    case Admitted::finite: return fp32.is_finite(amax);
    }
    throw std::logic_error("no such choice");
}

void record(const TensorScaling& choices, State& state, Code amax) {
    if (state.steps % choices.remember_interval != 0 || !admits(choices.admitted, amax)) return;
    state.history.push_back(amax);
    while (state.history.size() > choices.length) state.history.erase(state.history.begin());
    if (choices.reading.statistic != Statistic::running_average) return;
    if (fp32.is_nan(amax) && choices.reading.nan_entries == NanEntries::left_out) return;
    state.average = state.averaged ? mixed(choices.reading.weight, state.average, amax) : amax;
    state.averaged = true;
}

void update(const TensorScaling& choices, State& state) {
    const bool running = choices.reading.statistic == Statistic::running_average;
    const Code amax = running ? state.average : statistic_of(choices.reading, state.history);
    if (const auto scales = scales_of(choices.scaling, amax)) state.scales = *scales;
}

constexpr std::array<std::string_view, 3> admitted_names{"all", "not_zero", "finite"};
constexpr std::array<std::string_view, 2> start_names{"empty", "zeros"};
constexpr std::array<std::string_view, 3> sees_names{"own", "earlier", "own_at_first"};

} // namespace

State start(const TensorScaling& choices) {
    if (choices.length == 0) throw std::invalid_argument("a history holds at least one amax: current scaling has one");
    if (choices.interval == 0 || choices.remember_interval == 0)
        throw std::invalid_argument("an interval is at least one step");
    State state;
    if (choices.start == Start::zeros) {
        state.history.assign(choices.length, 0);
        state.averaged = true;
    }
    return state;
}

Scales step(const TensorScaling& choices, State& state, Code amax) {
    const Scales before = state.scales;
    const bool own = choices.sees == Sees::own || (choices.sees == Sees::own_at_first && state.steps == 0);
    record(choices, state, amax);
    if (state.steps % choices.interval == 0) update(choices, state);
    ++state.steps;
    return own ? state.scales : before;
}

std::string_view to_string(Admitted value) { return admitted_names.at(static_cast<std::size_t>(value)); }
std::string_view to_string(Start value) { return start_names.at(static_cast<std::size_t>(value)); }
std::string_view to_string(Sees value) { return sees_names.at(static_cast<std::size_t>(value)); }

std::string describe(const TensorScaling& c) {
    std::string text = describe(c.scaling);
    const auto say = [&](std::string_view name, std::string_view value) {
        text.append(" ").append(name).append("=").append(value);
    };
    say("length", std::to_string(c.length));
    say("statistic", to_string(c.reading.statistic));
    say("nan_entries", to_string(c.reading.nan_entries));
    say("weight", code_text(fp32, c.reading.weight));
    say("rank", std::to_string(c.reading.rank.numerator) + "/" + std::to_string(c.reading.rank.denominator));
    say("admitted", to_string(c.admitted));
    say("start", to_string(c.start));
    say("sees", to_string(c.sees));
    say("interval", std::to_string(c.interval));
    say("remember_interval", std::to_string(c.remember_interval));
    return text;
}

} // namespace mxcert::recipe
