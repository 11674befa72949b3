// SPDX-License-Identifier: Apache-2.0
#include "conformance/identify/identify_conversion.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "catch.hpp"
#include "conformance/diagnose/behaviour_with_faults.hpp"
#include "conformance/diagnose/find_behaviour.hpp"
#include "conformance/test/fake_subject.hpp"
#include "reference/base/random.hpp"
#include "vectors/tables/tabulate.hpp"
#include "vectors/test/judged.hpp"

using namespace mxcert;
using namespace mxcert::diagnose;
using namespace mxcert::identify;
using namespace mxcert::formats;

namespace {

using Pair = std::pair<const Format*, const Format*>;
const Pair pairs[] = {{&fp16, &e4m3}, {&bf16, &e8m0}, {&e5m2, &e4m3}, {&amax_bf16, &e8m0_for_e4m3}};

/// The defaults of a conversion to that format.
Choices plain(const Format& to) {
    Choices choices;
    choices.overflow = Overflow::nosat;
    if (to.element != nullptr) choices.rule = ScaleRule::rceil;
    return choices;
}

bool can_be(const Format& to, const Choices& choices) {
    return !is_stochastic(choices.rounding) && (choices.rule == ScaleRule::none) == (to.element == nullptr);
}

/// Whether a choice is said to have that value, or to be undecided with it among the rest.
bool says(const FoundBehaviour& found, Choice choice, std::string_view value) {
    for (const FoundParameter& parameter : found.parameters)
        if (parameter.name == info(choice).name)
            return parameter.value == value ||
                   std::find(parameter.alike.begin(), parameter.alike.end(), value) != parameter.alike.end();
    return true; // no input asks for it
}

/// One in so many of the values that can be.
void check_values(const Pair& pair, std::size_t one_in) {
    const auto& [from, to] = pair;
    std::size_t named = 0;
    std::size_t tried = 0;
    std::size_t possible = 0;
    for (const ChoiceInfo& choice : all_choices())
        for (unsigned value = 0; value < choice.values.size(); ++value) {
            Choices choices = plain(*to);
            set(choices, choice.choice, value);
            if (!can_be(*to, choices) || possible++ % one_in != 0) continue;
            CAPTURE(from->name, to->name, choice.name, choice.values[value]);
            const StepTable table = tabulate(*from, *to, choices);
            const FoundBehaviour found = find_behaviour(*from, *to, table.steps);
            CHECK(found.asked == from->last_code() + 1);
            CHECK(found.explained == found.asked);
            CHECK(found.unexplained.empty());
            CHECK(tabulate(*from, *to, found.choices).steps == table.steps);
            ++tried;
            // Another Behaviour may do the same on every input.
            named += says(found, choice.choice, choice.values[value]) ? 1 : 0;
        }
    CAPTURE(from->name, to->name, named, tried);
    CHECK(tried > 10);
    CHECK(named + tried / 8 >= tried);
}

/// What a profile permits, of several values the first or the last.
Choices permitted_choices(const Profile& profile, const Conversion& conversion, bool last) {
    Choices choices = choices_of(conversion);
    for (const ChoiceInfo& choice : all_choices()) {
        std::vector<std::string_view> values = permitted_values(profile, conversion, choice.choice);
        std::erase(values, any_nan_code);
        set(choices, choice.name, last ? values.back() : values.front());
    }
    return choices;
}

} // namespace

TEST_CASE("each profile is found from what it permits", "[identify][values]") {
    verdict::GoldenSource golden;
    std::size_t found_profiles = 0;
    for (const Profile& profile : all_profiles()) {
        std::vector<Conversion> all = judged(profile, {"fp16", "bf16", "amax_bf16", "amax_fp16", "amax_fp32"});
        if (all.empty()) all = judged(profile, {"fp32"});
        if (all.empty()) all = judged(profile, {"e2m1"});
        CAPTURE(profile.name);
        CHECK((!all.empty() || profile.scopes.empty())); // some judge operations alone
        if (all.empty()) continue;
        const Conversion& conversion = all.front();
        const auto judges = verdict::judges_of(conversion, {&profile}, golden);
        for (const bool last : {false, true}) {
            const Choices choices = permitted_choices(profile, conversion, last);
            CAPTURE(to_string(conversion), describe(choices));
            const StepTable table = tabulate(*conversion.from, *conversion.to, choices);
            const FoundBehaviour found = find_behaviour(*conversion.from, *conversion.to, table.steps);
            CHECK(found.explained == found.asked);
            CHECK(found.asked > (conversion.from->name == "e2m1" ? 10 : 30'000));
            CHECK(identify::profiles_of(table.steps, judges).at(0).differing == 0);
        }
        ++found_profiles;
    }
    CHECK(found_profiles > 15);
}

TEST_CASE("values of every choice are found from what they do", "[identify][values]") {
    for (const Pair& pair : pairs) check_values(pair, pair.second->element == nullptr ? 1 : 4);
}

TEST_CASE("every value of the choices of scales is found from what it does", "[.][exhaustive]") {
    for (const Pair& pair : pairs)
        if (pair.second->element != nullptr) check_values(pair, 1);
}

TEST_CASE("several choices are found at once", "[identify][values]") {
    SplitMix64 random(7);
    std::size_t whole = 0;
    std::size_t tried = 0;
    for (const auto& [from, to] : pairs)
        for (int time = 0; time < 10; ++time) {
            Choices choices = plain(*to);
            for (int changes = 0; changes < 3; ++changes) {
                const ChoiceInfo& choice = all_choices()[random.below(choice_count)];
                Choices other_choices = choices;
                set(other_choices, choice.choice, static_cast<unsigned>(random.below(choice.values.size())));
                if (can_be(*to, other_choices)) choices = other_choices;
            }
            ++tried;
            const FoundBehaviour found = find_behaviour(*from, *to, tabulate(*from, *to, choices).steps);
            CAPTURE(from->name, to->name, describe(choices), describe(found.choices));
            CHECK(found.explained == found.asked);
            whole += found.explained == found.asked ? 1 : 0;
        }
    CHECK(whole == tried);
}

namespace {

/// Plants every `step`-th pair of a fault and a conversion; all of them are 69.
void check_known_faults(std::size_t step) {
    std::size_t named = 0;
    std::size_t planted = 0;
    std::size_t count = 0;
    for (const ConversionFault& fault : conversion_faults())
        for (const char* name :
             {"fp16-e4m3-nearest_even-nosat", "fp16-e8m0-nearest_even-sat", "e4m3-bf16-nearest_even-nosat",
              "e8m0-fp32-nearest_even-nosat", "amax_bf16-e8m0_for_e4m3-ocp_floor-sat"}) {
            const Conversion conversion = parse_conversion(name);
            const Format& from = *conversion.from;
            const Format& to = *conversion.to;
            if (!fault.applies(from, to)) continue;
            // Families are looked at by their class, elsewhere.
            if (fault.name.starts_with("the sticky bit is made without")) continue;
            if (count++ % step != 0) continue;
            CAPTURE(fault.name, name);
            Choices choices = choices_of(conversion);
            choices.nan = NanRule::sign;
            const StepTable table = fault.make(from, to, choices);
            const FoundBehaviour found = find_behaviour(from, to, table.steps);
            CHECK(found.explained == found.asked);
            CHECK(table_of(found).steps == table.steps);
            ++planted;
            // Another fault, or choices alone, may do the same on every input.
            named += std::any_of(found.faults.begin(), found.faults.end(),
                                 [&](const FoundFault& this_fault) { return this_fault.fault == &fault; })
                         ? 1
                         : 0;
        }
    CAPTURE(named, planted);
    CHECK(count == 70);
    CHECK(planted == (count + step - 1) / step);
    CHECK(named * count >= planted * 53);
}

} // namespace

TEST_CASE("known faults are found besides the choices", "[identify][values]") { check_known_faults(4); }
TEST_CASE("all known faults are found besides the choices", "[.][exhaustive]") { check_known_faults(1); }

TEST_CASE("answers that nothing gives are unexplained, whatever they are of", "[identify][values]") {
    for (const char* name :
         {"amax_bf16-e8m0_for_e4m3-ocp_floor-sat", "bf16-e8m0-up-sat", "fp16-e4m3-nearest_even-sat"}) {
        const Conversion conversion = parse_conversion(name);
        const Format& from = *conversion.from;
        // No rule and no fault gives one code and another in turn.
        std::vector<Step> steps;
        for (Code input = 0; input < 2000; ++input) steps.push_back({input, input, input % 2 == 0 ? 0x11U : 0x77U});
        CAPTURE(name);
        const FoundBehaviour found = find_behaviour(from, *conversion.to, steps);
        CHECK(found.asked == 2000);
        CHECK(found.explained < 1100);
        CHECK(found.faults.empty());
        std::uint64_t unexplained = 0;
        for (const Unexplained& this_unexplained : found.unexplained)
            unexplained += this_unexplained.last - this_unexplained.first + 1;
        CHECK(unexplained == found.asked - found.explained);
    }
    // Four bits of E8M0 inverted: not one answer is right.
    const Conversion conversion = parse_conversion("amax_bf16-e8m0_for_e4m3-ocp_floor-sat");
    std::vector<Step> steps;
    for (const Step& step : tabulate(*conversion.from, *conversion.to, choices_of(conversion)).steps)
        steps.push_back({step.first, step.last, step.code ^ 0x5AU});
    CHECK(find_behaviour(*conversion.from, *conversion.to, steps).explained < 300);
}

TEST_CASE("two faults are found at once", "[identify][values]") {
    const Conversion conversion = parse_conversion("bf16-e8m0-nearest_even-nosat");
    const Format& from = *conversion.from;
    const Format& to = *conversion.to;
    std::vector<const ConversionFault*> faults;
    for (const ConversionFault& fault : conversion_faults())
        if (fault.name == "an exponent below the smallest scale is cut to a byte" ||
            fault.name == "a negative number fills the bits of the scale")
            faults.push_back(&fault);
    REQUIRE(faults.size() == 2);
    const BehaviourWithFaults planted = with_faults(from, to, choices_of(conversion), faults);
    const FoundBehaviour found = find_behaviour(from, to, planted.steps);
    CHECK(found.explained == 65536);
    REQUIRE(found.faults.size() == 2);
    CHECK(found.faults[0].inputs > 10'000);
    CHECK(found.faults[1].inputs > 40);
}

TEST_CASE("what no Behaviour does is said to be unexplained", "[identify][values]") {
    StepTable table = tabulate(fp16, e4m3, plain(e4m3));
    const std::size_t at = find_step(table, 0x3C00); // 1, which gives 38
    const Step whole = table.steps[at];
    REQUIRE(whole.first < 0x3C00);
    REQUIRE(whole.last > 0x3C00);
    table.steps[at].last = 0x3BFF;
    table.steps.insert(table.steps.begin() + static_cast<std::ptrdiff_t>(at) + 1,
                       {{0x3C00, 0x3C00, 0x39}, {0x3C01, whole.last, whole.code}});
    const FoundBehaviour found = find_behaviour(fp16, e4m3, table.steps);
    CHECK(found.explained == 65535);
    REQUIRE(found.unexplained.size() == 1);
    CHECK(found.unexplained[0].first == 0x3C00);
    CHECK(found.unexplained[0].last == 0x3C00);
    CHECK(found.unexplained[0].got == 0x39);
    CHECK(found.unexplained[0].expected == 0x38);
}

TEST_CASE("of a sample only what was asked is explained", "[identify]") {
    const StepTable table = tabulate(fp16, e4m3, plain(e4m3));
    std::vector<Step> steps;
    for (Code input : {0x0000UL, 0x3C00UL, 0x3D00UL, 0x5F40UL, 0x7C00UL, 0x7E00UL})
        steps.push_back({input, input, table.steps[find_step(table, input)].code});
    const FoundBehaviour found = find_behaviour(fp16, e4m3, steps);
    CHECK(found.asked == 6);
    CHECK(found.explained == 6);
    // No subnormal of FP16 was asked, and no negative NaN.
    CHECK(std::none_of(found.parameters.begin(), found.parameters.end(),
                       [](const FoundParameter& parameter) { return parameter.name == "flush"; }));
    CHECK(find_behaviour(fp16, e4m3, {}).asked == 0);
}
