// SPDX-License-Identifier: Apache-2.0
// Statistics of a history and the state machine of scaling per tensor, by hand.
#include "reference/exact/recipe/tensor_scaling.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "catch.hpp"
#include "reference/exact/recipe/history.hpp"
#include "reference/recipe/preset.hpp"

using namespace mxcert;
using namespace mxcert::recipe;

namespace {

constexpr Code quiet = 0x7FC00000;
constexpr Code inf = 0x7F800000;
constexpr Code two = 0x40000000;
constexpr Code three = 0x40400000;
constexpr Code four = 0x40800000;

Reading reading(Statistic statistic, Rank rank = {}) {
    Reading result;
    result.statistic = statistic;
    result.rank = rank;
    return result;
}

Code statistic(const Reading& how, const std::vector<Code>& history) { return exact::statistic_of(how, history); }

/// The inverse scales of some steps, with 1 / amax.
std::vector<Code> inverses(TensorScaling choices, const std::vector<Code>& amaxes) {
    State state = exact::start(choices);
    std::vector<Code> result;
    for (const Code amax : amaxes) result.push_back(exact::step(choices, state, amax).inverse);
    return result;
}

/// 448 / amax of a history of two.
TensorScaling of_two() {
    TensorScaling choices;
    choices.length = 2;
    choices.scaling.on_nan = choices.scaling.on_inf = choices.scaling.on_zero = Unusable::keep;
    return choices;
}

constexpr Code over_2 = 0x43600000; // 448 / 2
constexpr Code over_4 = 0x42E00000; // 448 / 4
constexpr Code over_1 = 0x43E00000; // 448
constexpr Code over_3 = 0x43155555; // 448 / 3

} // namespace

TEST_CASE("statistics of a history", "[recipe]") {
    CHECK(statistic(reading(Statistic::maximum), {two, four, three}) == four);
    CHECK(statistic(reading(Statistic::most_recent), {two, four, three}) == three);
    CHECK(statistic(reading(Statistic::maximum), {}) == 0);
    CHECK(statistic(reading(Statistic::linear_rank), {}) == 0);
    CHECK_THROWS_AS(statistic(reading(Statistic::running_average), {two}), std::invalid_argument);
}

TEST_CASE("an average mixes later amaxes in, each operation rounded", "[recipe]") {
    CHECK(statistic(reading(Statistic::moving_average), {two}) == two);
    // 0.9 x 2 + 0.1 x 4: 0x3F666666 x 2 + 0x3DCCCCD0 x 4.
    CHECK(statistic(reading(Statistic::moving_average), {two, four}) == 0x400CCCCD);
    Reading half = reading(Statistic::moving_average);
    half.weight = 0x3F000000;
    CHECK(statistic(half, {two, four}) == three);
    CHECK(statistic(half, {two, four, three}) == three);
    CHECK(statistic(half, {two, inf, three}) == inf);
    half.weight = 0x3F800001;
    CHECK_THROWS_AS(statistic(half, {two, four}), std::invalid_argument);
}

TEST_CASE("percentiles: the nearest rank, and between two", "[recipe]") {
    const std::vector<Code> history{four, unity, three, two};
    CHECK(statistic(reading(Statistic::nearest_rank, {0, 1}), history) == unity);
    CHECK(statistic(reading(Statistic::nearest_rank, {1, 4}), history) == unity);
    CHECK(statistic(reading(Statistic::nearest_rank, {26, 100}), history) == two);
    CHECK(statistic(reading(Statistic::nearest_rank, {3, 4}), history) == three);
    CHECK(statistic(reading(Statistic::nearest_rank, {9999, 10000}), history) == four);
    CHECK(statistic(reading(Statistic::linear_rank, {1, 2}), history) == 0x40200000); // 2.5
    CHECK(statistic(reading(Statistic::linear_rank, {2, 3}), history) == three);
    CHECK(statistic(reading(Statistic::linear_rank, {1, 1}), history) == four);
    CHECK(statistic(reading(Statistic::linear_rank, {9999, 10000}), history) == 0x407FFB16); // 3 + 0.9997
    CHECK(statistic(reading(Statistic::linear_rank, {2, 3}), {unity, unity, unity, inf}) == unity);
    CHECK(statistic(reading(Statistic::linear_rank, {5, 6}), {unity, inf, inf, inf}) == quiet); // Inf - Inf
    CHECK_THROWS_AS(statistic(reading(Statistic::nearest_rank, {2, 1}), history), std::invalid_argument);
}

TEST_CASE("a NaN in the history is left out or takes over", "[recipe]") {
    Reading how = reading(Statistic::maximum);
    CHECK(statistic(how, {two, quiet, unity}) == two);
    CHECK(statistic(how, {quiet}) == 0);
    how.nan_entries = NanEntries::propagated;
    CHECK(statistic(how, {two, 0xFFC00001, unity}) == quiet);
    how.statistic = Statistic::most_recent;
    CHECK(statistic(how, {quiet, two}) == two);
}

TEST_CASE("a maximum is forgotten after as many steps as the history is long", "[recipe]") {
    CHECK(inverses(of_two(), {four, two, unity, unity}) == std::vector<Code>{over_4, over_4, over_2, over_1});
}

TEST_CASE("a step sees its own amax, an earlier one, or its own at first", "[recipe]") {
    TensorScaling choices = of_two();
    choices.length = 1;
    const std::vector<Code> amaxes{four, two, unity};
    CHECK(inverses(choices, amaxes) == std::vector<Code>{over_4, over_2, over_1});
    choices.sees = Sees::earlier;
    CHECK(inverses(choices, amaxes) == std::vector<Code>{unity, over_4, over_2});
    choices.sees = Sees::own_at_first;
    CHECK(inverses(choices, amaxes) == std::vector<Code>{over_4, over_4, over_2});
}

TEST_CASE("an interval: every step is remembered, every Nth makes a scale", "[recipe]") {
    TensorScaling choices = of_two();
    choices.interval = 2;
    CHECK(inverses(choices, {two, four, unity, unity, unity}) ==
          std::vector<Code>{over_2, over_2, over_4, over_4, over_1});
}

TEST_CASE("a remember interval: only every Nth step enters the history", "[recipe]") {
    TensorScaling choices = of_two();
    choices.remember_interval = 2;
    CHECK(inverses(choices, {two, four, unity, unity, unity}) ==
          std::vector<Code>{over_2, over_2, over_2, over_2, over_1});
    // The scale may be made anew at other steps than those that are remembered.
    choices.interval = 3;
    CHECK(inverses(choices, {two, four, unity, unity, unity, unity, unity}) ==
          std::vector<Code>{over_2, over_2, over_2, over_2, over_2, over_2, over_1});
    choices.interval = 2;
    CHECK(inverses(choices, {two, four, unity, unity, unity}) ==
          std::vector<Code>{over_2, over_2, over_2, over_2, over_1});
    choices.reading.statistic = Statistic::running_average;
    choices.reading.weight = 0;
    choices.interval = 1;
    CHECK(inverses(choices, {two, four, unity, two}) == std::vector<Code>{over_2, over_2, over_1, over_1});
    choices.remember_interval = 0;
    CHECK_THROWS_WITH(exact::start(choices), "an interval is at least one step");
}

TEST_CASE("an Inf keeps the old scale until it is forgotten", "[recipe]") {
    CHECK(inverses(of_two(), {two, inf, four, three}) == std::vector<Code>{over_2, over_2, over_2, over_4});
}

TEST_CASE("amaxes that are not admitted do not push others out", "[recipe]") {
    TensorScaling choices = of_two();
    CHECK(inverses(choices, {four, 0, 0, two}) == std::vector<Code>{over_4, over_4, over_4, over_2});
    choices.admitted = Admitted::not_zero;
    CHECK(inverses(choices, {four, 0, 0, two}) == std::vector<Code>{over_4, over_4, over_4, over_4});
    choices.admitted = Admitted::finite;
    CHECK(inverses(choices, {two, inf, quiet, four}) == std::vector<Code>{over_2, over_2, over_2, over_4});
}

TEST_CASE("the zeros a history starts with count in percentiles", "[recipe]") {
    TensorScaling choices = of_two();
    choices.reading = reading(Statistic::linear_rank, {1, 2});
    CHECK(inverses(choices, {two, four}) == std::vector<Code>{over_2, over_3});
    choices.start = Start::zeros;
    CHECK(inverses(choices, {two, four}) == std::vector<Code>{over_1, over_3});
}

TEST_CASE("a running average never forgets an Inf, and leaves a NaN out", "[recipe]") {
    TensorScaling choices = of_two();
    choices.reading = reading(Statistic::running_average);
    choices.reading.weight = 0x3F000000;
    CHECK(inverses(choices, {two, quiet, four, inf, unity, unity}) ==
          std::vector<Code>{over_2, over_2, over_3, over_3, over_3, over_3});
}

TEST_CASE("a history and an interval have a size", "[recipe]") {
    TensorScaling choices;
    choices.length = 0;
    CHECK_THROWS_AS(exact::start(choices), std::invalid_argument);
    choices.length = 1;
    choices.interval = 0;
    CHECK_THROWS_AS(exact::start(choices), std::invalid_argument);
}

TEST_CASE("recipes that are in use", "[recipe]") {
    std::vector<std::string> texts;
    for (const TensorPreset& preset : tensor_presets()) {
        CAPTURE(preset.name);
        CHECK(&tensor_preset(preset.name) == &preset);
        CHECK(preset.forward.scaling.element == &formats::e4m3);
        CHECK(preset.backward.scaling.element == &formats::e5m2);
        CHECK(preset.grade != Grade::memory);
        CHECK_NOTHROW(inverses(preset.forward, {two, quiet, inf, 0, four}));
        texts.push_back(describe(preset.forward));
        CHECK(std::count(texts.begin(), texts.end(), texts.back()) == 1);
    }
    CHECK(tensor_preset("te_delayed").forward.length == 1024);
    CHECK_THROWS_AS(tensor_preset("te"), std::invalid_argument);
    CHECK(
        describe(TensorScaling{}) ==
        "element=e4m3 first=inverse quotient=divide factor=0x3F800000 exponent=0 power=of_largest power_of_two=no "
        "least_amax=0x0000000000000000 limit=none kept=fp32 on_nan=computed on_inf=computed on_zero=computed length=1 "
        "statistic=maximum nan_entries=left_out weight=0x3F666666 rank=9999/10000 admitted=all start=empty sees=own "
        "interval=1 remember_interval=1");
}

TEST_CASE("a running average with a NaN that counts is NaN from then on", "[recipe]") {
    TensorScaling choices = of_two();
    choices.reading = reading(Statistic::running_average);
    choices.reading.weight = 0x3F000000;
    choices.reading.nan_entries = NanEntries::propagated;
    CHECK(inverses(choices, {two, quiet, four}) == std::vector<Code>{over_2, over_2, over_2}); // no scale: the old one
    choices.reading.rank = {0, 0};
    CHECK_THROWS_WITH(check(choices.reading), "a percentile is a number from 0 to 1");
}
