// SPDX-License-Identifier: Apache-2.0
// Tables of flags: the same from every input, by bisection and by the fast model.
#include <array>
#include <string>
#include <vector>

#include "catch.hpp"
#include "reference/exact/exact.hpp"
#include "reference/fast/convert.hpp"
#include "reference/flags.hpp"
#include "vectors/tables/compare.hpp"
#include "vectors/tables/tabulate.hpp"

using namespace mxcert;
using namespace mxcert::formats;

namespace {

Choices with(std::initializer_list<std::pair<const char*, const char*>> values) {
    Choices choices;
    for (const auto& [choice, value] : values) set(choices, choice, value);
    return choices;
}

/// The first input whose flags by the exact model are not those of the table, or none.
std::string first_difference(const Format& from, const Format& to, const Choices& choices) {
    const StepTable table = tabulate(from, to, choices);
    if (const std::string how = broken(table); !how.empty()) return how;
    for (const Step& step : table.steps)
        for (Code input = step.first; input <= step.last; ++input)
            if (exact::convert(from, to, choices, input).code != step.code) return std::to_string(input);
    return {};
}

/// The first of all inputs whose flags by the fast model are not those of the table, or none.
std::string first_difference_of_fast(const Format& from, const Format& to, const Choices& choices) {
    constexpr Code chunk = 1U << 16U;
    std::vector<std::uint32_t> inputs(chunk);
    std::vector<std::uint8_t> flags(chunk);
    const StepTable table = tabulate(from, to, choices);
    std::size_t step = 0;
    for (Code first = 0; first <= from.last_code(); first += chunk) {
        for (Code i = 0; i < chunk; ++i) inputs[i] = static_cast<std::uint32_t>(first + i);
        fast::convert_span(from, to, choices, inputs.data(), nullptr, flags.data(), chunk);
        for (Code i = 0; i < chunk; ++i) {
            if (table.steps[step].last < first + i) ++step;
            if (flags[i] != table.steps[step].code) return std::to_string(first + i);
        }
    }
    return {};
}

} // namespace

TEST_CASE("a table of flags has a step for each value of the target and for each gap", "[flags]") {
    const StepTable table = tabulate(fp32, flags_of_e4m3, with({{"overflow", "nosat"}}));
    const auto at = [&](Code input) { return flags_text(table.steps[find_step(table, input)].code); };
    CHECK(at(0x00000000) == "none");
    CHECK(at(0x3AFFFFFF) == "underflow inexact");
    CHECK(at(0x3B000000) == "none");
    CHECK(at(0x3C77FFFF) == "underflow inexact");
    CHECK(at(0x3C780000) == "inexact");
    CHECK(at(0x43E80000) == "inexact");
    CHECK(at(0x43E80001) == "overflow inexact");
    CHECK(at(0x7F800000) == "none");
    CHECK(at(0xFFBFFFFF) == "invalid");
    // Of each sign: zero, 126 values with a gap below each, which tininess cuts once; from 448 on inexact, overflow,
    // Inf with the quiet NaNs, between them signalling ones. Quiet NaNs and the zero of the other sign are one step.
    CHECK(table.steps.size() == 2 * (1 + 126 * 2 + 1 + 2 + 3) - 1);
}

TEST_CASE("bisection finds the flags of every input of 16 bits", "[flags][values]") {
    CHECK(first_difference(bf16, flags_of_e4m3, with({{"overflow", "nosat"}})).empty());
    CHECK(first_difference(fp16, flags_of_e5m2, with({{"rounding", "up"}, {"tininess", "before_rounding"}})).empty());
}

TEST_CASE("bisection finds the flags of every input of 16 bits, for each value of each choice", "[.][exhaustive]") {
    std::size_t count = 0;
    for (const Format* from : {&bf16, &fp16})
        for (const Format* to : {&flags_of_e4m3, &flags_of_e5m2})
            for (const ChoiceInfo& choice : all_choices())
                for (unsigned value = 0; value < choice.values.size(); ++value) {
                    Choices choices = with({{"overflow", "nosat"}});
                    set(choices, choice.choice, value);
                    if (is_stochastic(choices.rounding) || choices.rule != ScaleRule::none) continue;
                    CAPTURE(from->name, to->name, choice.name, choice.values[value]);
                    REQUIRE(first_difference(*from, *to, choices).empty());
                    ++count;
                }
    CHECK(count > 100);
}

TEST_CASE("the fast model raises the flags of the table on all 2^32 FP32 inputs", "[.][exhaustive]") {
    for (const Format* to : {&flags_of_e4m3, &flags_of_e5m2})
        for (const char* rounding : {"nearest_even", "toward_zero", "down", "up", "nearest_away"}) {
            CAPTURE(to->name, rounding);
            CHECK(first_difference_of_fast(fp32, *to, with({{"overflow", "nosat"}, {"rounding", rounding}})).empty());
        }
}
