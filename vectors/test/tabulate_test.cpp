// SPDX-License-Identifier: Apache-2.0
#include "vectors/tables/tabulate.hpp"

#include <algorithm>
#include <numeric>

#include "catch.hpp"
#include "reference/exact/exact.hpp"
#include "vectors/tables/compare.hpp"

using namespace mxcert;

namespace {

/// The table without bisection: every input evaluated.
StepTable every_input(const Format& from, const Format& to, const Choices& choices) {
    StepTable table{&from, &to, {}};
    for (Code input = 0; input <= from.last_code(); ++input) {
        const Code code = exact::convert(from, to, choices, input).code;
        if (!table.steps.empty() && table.steps.back().code == code)
            table.steps.back().last = input;
        else
            table.steps.push_back({input, input, code});
    }
    return table;
}

} // namespace

namespace {

void check_bisection(const Format& from, const Format& to) {
    for (const ChoiceInfo& choice : all_choices())
        for (unsigned value = 0; value < choice.values.size(); ++value) {
            Choices choices;
            choices.overflow = Overflow::nosat;
            if (to.element != nullptr) choices.rule = ScaleRule::rfloor;
            set(choices, choice.choice, value);
            if (is_stochastic(choices.rounding) || (value == 0 && choice.choice != Choice::rounding)) continue;
            if ((choices.rule != ScaleRule::none) != (to.element != nullptr)) continue;
            CAPTURE(from.name, to.name, choice.name, choice.values[value]);
            const StepTable table = tabulate(from, to, choices);
            REQUIRE(broken(table).empty());
            REQUIRE(table.steps == every_input(from, to, choices).steps);
        }
}

} // namespace

TEST_CASE("bisection finds what evaluating every input finds, for each value of each choice", "[values]") {
    check_bisection(formats::fp16, formats::e4m3);
    check_bisection(formats::e5m2, formats::e8m0);
}

TEST_CASE("bisection finds what evaluating every input finds, the other 16-bit pairs", "[.][exhaustive]") {
    check_bisection(formats::bf16, formats::e8m0);
    check_bisection(formats::amax_bf16, formats::e8m0_for_e4m3);
    check_bisection(formats::fp16, formats::e5m2);
    check_bisection(formats::fp16, formats::e8m0);
    check_bisection(formats::bf16, formats::e4m3);
    check_bisection(formats::bf16, formats::e5m2);
    check_bisection(formats::amax_bf16, formats::e8m0_for_e5m2);
    check_bisection(formats::amax_fp16, formats::e8m0_for_e4m3);
    check_bisection(formats::amax_fp16, formats::e8m0_for_e5m2);
}

TEST_CASE("FP32's reciprocal and its division give rceil another scale at one amax a format", "[values]") {
    const auto differing = [](const Format& amax, const Format& scale, Arithmetic arithmetic) {
        Choices choices;
        choices.rule = ScaleRule::rceil;
        const StepTable exact = tabulate(amax, scale, choices);
        choices.arithmetic = arithmetic;
        const std::vector<Difference> all = compare(exact, tabulate(amax, scale, choices));
        REQUIRE(all.size() == 1);
        CHECK(all.front().first == all.front().last);
        CHECK(all.front().got == 1);
        CHECK(all.front().expected == permit_code(0));
        return all.front().first;
    };
    for (const Arithmetic arithmetic : {Arithmetic::fp32_multiply, Arithmetic::fp32_divide}) {
        CHECK(differing(formats::amax_fp32, formats::e8m0_for_e4m3, arithmetic) == 0x04600001);
        CHECK(differing(formats::amax_fp32, formats::e8m0_for_e5m2, arithmetic) == 0x07E00001);
    }
    CHECK(differing(formats::amax_bf16, formats::e8m0_for_e4m3, Arithmetic::bf16_divide) == 0x0461);
    CHECK(differing(formats::amax_bf16, formats::e8m0_for_e5m2, Arithmetic::bf16_divide) == 0x07E1);
}

TEST_CASE("the overflow point keeps the order for every rounding", "[values]") {
    // Once the tie alone overflowed: under a rounding toward zero 464 gave NaN and its neighbours 448, and bisection
    // missed it.
    for (const char* rounding :
         {"nearest_away", "toward_zero", "up", "down", "away_from_zero", "to_odd", "nearest_log2"})
        for (const char* test : {"before_rounding", "tie_overflows"}) {
            Choices choices;
            choices.overflow = Overflow::nosat;
            set(choices, "rounding", rounding);
            set(choices, "overflow_test", test);
            CAPTURE(rounding, test);
            REQUIRE(tabulate(formats::bf16, formats::e4m3, choices).steps ==
                    every_input(formats::bf16, formats::e4m3, choices).steps);
        }
}

TEST_CASE("FP32 and FP64 tables hold at every boundary and inside every step", "[values]") {
    for (const char* from : {"fp32", "fp64"})
        for (const char* rounding : {"nearest_even", "up", "to_odd"}) {
            Choices choices;
            set(choices, "rounding", rounding);
            const Format& source = format(from);
            const StepTable table = tabulate(source, formats::e4m3, choices);
            REQUIRE(broken(table).empty());
            CHECK(table.steps.size() > 200);
            for (const Step& step : table.steps)
                for (const Code input : {step.first, step.first + (step.last - step.first) / 3,
                                         step.first + (step.last - step.first) / 2, step.last})
                    if (exact::convert(source, formats::e4m3, choices, input).code != step.code)
                        FAIL(from << ' ' << rounding << ' ' << hex(input, source));
        }
}

TEST_CASE("a table that was asked for before is that of its formats, choices and ranges") {
    const auto again = [](const Format& from, const Format& to, const Choices& choices) {
        for (int time = 0; time < 2; ++time)
            CHECK(tabulate(from, to, choices).steps == every_input(from, to, choices).steps);
    };
    Choices choices;
    again(formats::fp16, formats::e4m3, choices);
    choices.rounding = Rounding::toward_zero;
    again(formats::fp16, formats::e4m3, choices);
    again(formats::fp16, formats::e5m2, choices);
    CHECK(trace_steps(formats::fp16, formats::e4m3, choices, {{0x3C00, 0x3C01}}).back().last == 0x3C01);
    CHECK(trace_steps(formats::fp16, formats::e4m3, choices, {{0x3C00, 0x3C02}}).back().last == 0x3C02);
    // One object that is two formats, one after the other.
    Format format = formats::e4m3;
    again(formats::fp16, format, choices);
    format.bias += 1;
    again(formats::fp16, format, choices);
}

TEST_CASE("a table of too many steps to be kept is made again, and others stay as they are") {
    const std::vector<InputRange> few{{0x3F800000, 0x3F900000}};
    const std::vector<InputRange> many((std::size_t{1} << 18) + 1, {0x3F800000, 0x3F800000}); // a step each
    const auto trace = [](const std::vector<InputRange>& ranges) {
        return trace_steps(formats::fp32, formats::e4m3, {}, ranges);
    };
    for (int time = 0; time < 2; ++time) {
        CHECK(trace(few).size() == 2);
        CHECK(trace(few).back().code == 0x39);
        const std::vector<TracedStep> steps = trace(many);
        CHECK(steps.size() == many.size());
        CHECK(std::all_of(steps.begin(), steps.end(), [](const TracedStep& step) {
            return step.first == 0x3F800000 && step.last == 0x3F800000 && step.code == 0x38;
        }));
    }
}

TEST_CASE("a source whose NaNs have no two bits to be cut by has a table") {
    Format format = formats::bf16;
    format.fraction_bits = 1;
    CHECK(tabulate(format, formats::e4m3, {}).steps == every_input(format, formats::e4m3, {}).steps);
}

TEST_CASE("a part of a table is that part") {
    const auto whole = trace_steps(formats::fp32, formats::e4m3, {}, {{0, formats::fp32.last_code()}});
    const auto part = trace_steps(formats::fp32, formats::e4m3, {}, {{0x3F800000, 0x3F900000}});
    REQUIRE(part.size() == 2); // 0x38 up to the tie 1.0625, 0x39 above it
    CHECK(part.front().first == 0x3F800000);
    CHECK(part.back().last == 0x3F900000);
    CHECK(part[1].code == 0x39);
    CHECK_THROWS_AS(trace_steps(formats::fp16, formats::e4m3, {}, {{0, 0x10000}}), std::invalid_argument);
    CHECK_THROWS_AS(trace_steps(formats::fp16, formats::e4m3, {}, {{2, 1}}), std::invalid_argument);
    CHECK(whole.size() > part.size());
}

TEST_CASE("the step around an input is that of the table", "[values]") {
    for (const auto& [from, to] : std::initializer_list<std::pair<const char*, const char*>>{{"fp32", "e4m3"},
                                                                                             {"fp64", "e8m0"},
                                                                                             {"fp16", "e5m2"},
                                                                                             {"bf16", "e8m0"},
                                                                                             {"e4m3", "e5m2"},
                                                                                             {"e8m0", "fp16"},
                                                                                             {"e2m1", "e4m3"}})
        for (const Overflow overflow : {Overflow::sat, Overflow::nosat}) {
            Choices choices;
            choices.overflow = overflow;
            choices.nan = NanRule::payload_sign; // the payload cuts the NaNs
            const StepTable table = tabulate(format(from), format(to), choices);
            for (const Step& step : table.steps)
                for (const Code input : {step.first, step.last, std::midpoint(step.first, step.last)})
                    if (step_around(format(from), format(to), choices, input) != step)
                        FAIL(from << ' ' << to << ' ' << hex(input, format(from)));
        }
    // A target as wide as the source: no table is made.
    CHECK(step_around(formats::fp64, formats::fp32, {}, 0x3FF0000000000000).last == 0x3FF0000010000000);
    CHECK_THROWS_AS(step_around(formats::fp16, formats::e4m3, {}, 0x10000), std::invalid_argument);
}

TEST_CASE("a step ends where its code does, though what overflows has that code again") {
    Choices choices;
    choices.overflow = Overflow::nosat;
    choices.zero = Zero::nan;
    CHECK(step_around(formats::fp64, formats::e8m0, choices, 0) == Step{0, 0, 0xFF});
    CHECK(step_around(formats::fp64, formats::e8m0, choices, 1).code == 0x00);
    CHECK(step_around(formats::fp64, formats::e8m0, choices, formats::fp64.max_code()).code == 0xFF);
}

TEST_CASE("a stochastic rounding has no table") {
    Choices choices;
    choices.rounding = Rounding::stochastic_b;
    CHECK_THROWS_AS(tabulate(formats::fp16, formats::e4m3, choices), std::invalid_argument);
}

TEST_CASE("tables that there are not are refused, and flags are those of each input", "[flags]") {
    using namespace formats;
    CHECK_THROWS_WITH(tabulate(fp16_by_e8m0, flags_of_e4m3, {}), Catch::Matchers::Contains("have no table"));
    Choices stochastic;
    stochastic.rounding = Rounding::stochastic_a;
    CHECK_THROWS_WITH(step_around(fp16, e4m3, stochastic, 0), "step_around: a stochastic rounding has no steps");
    // Half of the values of BF16 are none of FP16.
    const StepTable table = tabulate(fp16, flags_of_bf16, {});
    CHECK(broken(table).empty());
    for (Code input = 0; input <= fp16.last_code(); input += 7)
        if (table.steps[find_step(table, input)].code != exact::convert(fp16, flags_of_bf16, {}, input).code)
            FAIL("input " << input);
}
