// SPDX-License-Identifier: Apache-2.0
#include "reference/recipe/tensor_scaling.hpp"

#include <array>
#include <stdexcept>

#include "reference/code_text.hpp"

namespace mxcert::recipe {
namespace {

using formats::fp32;

constexpr std::array<std::string_view, 3> admitted_names{"all", "not_zero", "finite"};
constexpr std::array<std::string_view, 2> start_names{"empty", "zeros"};
constexpr std::array<std::string_view, 3> sees_names{"own", "earlier", "own_at_first"};

} // namespace

void check(const TensorScaling& choices) {
    if (choices.length == 0) throw std::invalid_argument("a history holds at least one amax: current scaling has one");
    if (choices.interval == 0 || choices.remember_interval == 0)
        throw std::invalid_argument("an interval is at least one step");
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
