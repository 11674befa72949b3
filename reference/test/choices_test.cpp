// SPDX-License-Identifier: Apache-2.0
#include "reference/choices.hpp"

#include <catch.hpp>
#include <set>
#include <stdexcept>
#include <string>

using namespace mxcert;

TEST_CASE("the choices stand in the order of their enumeration, with all their values", "[choices]") {
    REQUIRE(all_choices().size() == choice_count);
    for (std::size_t i = 0; i < choice_count; ++i) {
        CHECK(static_cast<std::size_t>(all_choices()[i].choice) == i);
        CHECK(&info(all_choices()[i].choice) == &all_choices()[i]);
    }
    // The last enumerator of each, so that a value without a name shows.
    const auto last = [](auto value) { return static_cast<std::size_t>(value) + 1; };
    CHECK(info(Choice::rounding).values.size() == last(Rounding::ptx_rs_f));
    CHECK(info(Choice::overflow).values.size() == last(Overflow::sat_finite));
    CHECK(info(Choice::overflow_test).values.size() == last(OverflowTest::tie_overflows));
    CHECK(info(Choice::directed_overflow).values.size() == last(DirectedOverflow::max));
    CHECK(info(Choice::nan).values.size() == last(NanRule::zero_inverted));
    CHECK(info(Choice::overflow_nan).values.size() == last(OverflowNan::negative));
    CHECK(info(Choice::zero_sign).values.size() == last(ZeroSign::input_dropped));
    CHECK(info(Choice::flush).values.size() == last(Flush::product));
    CHECK(info(Choice::via).values.size() == last(Via::bf16_nearest_even));
    CHECK(info(Choice::negative).values.size() == last(Negative::nan));
    CHECK(info(Choice::zero).values.size() == last(Zero::lowered));
    CHECK(info(Choice::lowest_binade).values.size() == last(LowestBinade::zero_below));
    CHECK(info(Choice::rule).values.size() == last(ScaleRule::p3109));
    CHECK(info(Choice::arithmetic).values.size() == last(Arithmetic::fp32_log2));
    CHECK(info(Choice::least_amax).values.size() == last(LeastAmax::fp32_1e_30));
    CHECK(info(Choice::inf_amax).values.size() == last(InfAmax::next_power));
    CHECK(info(Choice::smallest_scale).values.size() == last(SmallestScale::one));
    CHECK(info(Choice::lowest).values.size() == last(Lowest::used));
    CHECK(info(Choice::exceptions).values.size() == last(Exceptions::none));
    CHECK(info(Choice::tininess).values.size() == last(Tininess::before_rounding));
    CHECK(info(Choice::invalid_nan).values.size() == last(InvalidNan::never));
    CHECK(info(Choice::inf_flags).values.size() == last(InfFlags::invalid));
}

TEST_CASE("names of choices and values are unique", "[choices]") {
    std::set<std::string_view> names;
    for (const ChoiceInfo& choice : all_choices()) {
        CHECK(names.insert(choice.name).second);
        CHECK(std::set<std::string_view>(choice.values.begin(), choice.values.end()).size() == choice.values.size());
        CHECK(choice.number.front() == 'K');
    }
}

TEST_CASE("a value set is the value got, by number and by name", "[choices]") {
    for (const ChoiceInfo& choice : all_choices()) {
        for (unsigned value = 0; value < choice.values.size(); ++value) {
            Choices by_number;
            set(by_number, choice.choice, value);
            CHECK(get(by_number, choice.choice) == value);
            CHECK(value_name(by_number, choice.choice) == choice.values[value]);
            Choices by_name;
            set(by_name, choice.name, choice.values[value]);
            CHECK(by_name == by_number);
            for (const ChoiceInfo& other_choice_info : all_choices())
                if (other_choice_info.choice != choice.choice)
                    CHECK(get(by_name, other_choice_info.choice) == get(Choices{}, other_choice_info.choice));
        }
        Choices choices;
        CHECK_THROWS_AS(set(choices, choice.choice, static_cast<unsigned>(choice.values.size())), std::out_of_range);
        CHECK_THROWS_AS(set(choices, choice.name, "no_such_value"), std::invalid_argument);
        CHECK(choices == Choices{});
    }
    Choices choices;
    CHECK_THROWS_AS(set(choices, "no_such_choice", "sat"), std::invalid_argument);
}

TEST_CASE("choices are described by what is not default", "[choices]") {
    Choices choices;
    CHECK(describe(choices) == "defaults");
    choices.via = Via::fp16_nearest_even;
    choices.nan = NanRule::sign;
    CHECK(describe(choices) == "nan=sign via=fp16_nearest_even");
}

TEST_CASE("bits of choices are distinct", "[choices]") {
    ChoiceSet seen = 0;
    for (const ChoiceInfo& choice : all_choices()) {
        CHECK((seen & bit(choice.choice)) == 0);
        seen |= bit(choice.choice);
    }
}

TEST_CASE("a choice is set by text as an option has it", "[choices]") {
    Choices choices;
    set_by_text(choices, "via=fp16_nearest_even", "--set");
    CHECK(choices.via == Via::fp16_nearest_even);
    set_by_text(choices, "rounding=toward_zero", "--set");
    CHECK(choices.rounding == Rounding::toward_zero);
    CHECK_THROWS_WITH(set_by_text(choices, "via", "--set"),
                      "--set 'via': expected name=value, as in via=fp16_nearest_even");
}
