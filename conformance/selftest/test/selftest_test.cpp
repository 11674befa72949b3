// SPDX-License-Identifier: Apache-2.0
#include "conformance/selftest/selftest.hpp"

#include <algorithm>
#include <set>
#include <string>

#include "catch.hpp"
#include "conformance/faults/planted.hpp"
#include "conformance/test/program.hpp"
#include "vectors/tables/tabulate.hpp"

using namespace mxcert;
using namespace mxcert::selftest;

namespace {

verdict::Judge judge_of(const Conversion& conversion, const Profile& profile) {
    static verdict::GoldenSource golden;
    return verdict::judges_of(conversion, {&profile}, golden).at(0);
}

} // namespace

TEST_CASE("planted bugs are caught and named, whatever is converted", "[bugs][values]") {
    const std::pair<const char*, const char*> conversions[] = {{"fp16-e4m3-nearest_even-nosat", "ocp-nosat"},
                                                               {"bf16-e8m0-nearest_even-sat", "ocp-sat"},
                                                               {"e5m2-bf16-nearest_even-nosat", "ocp-nosat"},
                                                               {"amax_fp16-e8m0_for_e4m3-rceil-sat", "nvidia-te"}};
    std::set<std::string_view> named;
    for (const auto& [name, profile_name] : conversions) {
        const Conversion conversion = parse_conversion(name);
        const Profile& profile = find_profile(profile_name);
        const std::vector<faults::Planted> all = faults::planted_in(conversion, profile);
        CHECK(all.size() > 5);
        verdict::GoldenSource golden;
        std::size_t done = 0;
        const std::vector<SelftestResult> results =
            selftest::selftest(all, golden, 2, [&](std::size_t so_far) { CHECK(so_far == ++done); });
        REQUIRE(results.size() == all.size());
        CHECK(done == all.size());
        for (std::size_t i = 0; i < results.size(); ++i) {
            const SelftestResult& result = results[i];
            CAPTURE(name, result.planted.how, to_string(result.outcome));
            CHECK(result.planted.how == all[i].how);
            CHECK(result.outcome != PlantOutcome::escaped);
            CHECK(result.outcome != PlantOutcome::misnamed);
            CHECK((result.differing == 0) == (result.outcome == PlantOutcome::equivalent));
            if (result.outcome == PlantOutcome::named) named.insert(result.planted.bug_class->id);
        }
    }
    CHECK(named.size() > 15);
}

TEST_CASE("a selftest sees what is not named, and what is called by another name", "[bugs]") {
    const Conversion conversion = parse_conversion("fp16-e4m3-nearest_even-sat");
    const Profile& profile = find_profile("ocp-sat");
    const verdict::Judge judge = judge_of(conversion, profile);
    // One wrong input, which no bug gives.
    const ConversionFault odd{"odd", "TIES_AWAY", [](const Format&, const Format&) { return true; },
                              [](const Format& from, const Format& to, const Choices& choices) {
                                  StepTable table = tabulate(from, to, choices);
                                  Step& step = table.steps[find_step(table, 0x3C00)];
                                  step.code ^= 1U;
                                  return table;
                              }};
    faults::Planted planted{conversion, &profile, find_bug_class("TIES_AWAY"), "odd", choices_of(conversion), &odd};
    SelftestResult result = plant(planted, judge);
    CHECK(result.outcome == PlantOutcome::misnamed);
    CHECK(result.named.empty());
    CHECK(result.differing > 0);

    planted.fault = nullptr;
    planted.choices.rounding = Rounding::nearest_away;
    CHECK(plant(planted, judge).outcome == PlantOutcome::named);
    planted.bug_class = find_bug_class("TRUNCATES");
    result = plant(planted, judge);
    CHECK(result.outcome == PlantOutcome::alike);
    REQUIRE(result.named.size() == 1);
    CHECK(result.named[0] == "TIES_AWAY");

    planted.choices = choices_of(conversion);
    result = plant(planted, judge);
    CHECK(result.outcome == PlantOutcome::equivalent);
    CHECK(result.differing == 0);

    verdict::GoldenSource golden;
    planted.profile = &find_profile("ocp-nosat");
    CHECK_THROWS_AS(selftest::selftest({planted}, golden, 1, {}), std::invalid_argument);
}

TEST_CASE("the default conversions of a selftest are judged by a profile", "[bugs]") {
    for (const SelftestConversion& this_conversion : selftest_conversions()) {
        CAPTURE(this_conversion.name);
        const Conversion conversion = parse_conversion(this_conversion.name);
        CHECK(std::any_of(all_profiles().begin(), all_profiles().end(),
                          [&](const Profile& profile) { return covers(profile, conversion); }));
        CHECK(covers(profile_of(this_conversion), conversion));
    }
}

TEST_CASE("mxcert selftest and mxcert bugs as a user runs them", "[bugs][cli]") {
    const TemporaryFolder folder;
    test::Result result = test::shell(
        folder.path(), "mxcert selftest --filter 'e4m3-bf16-*' --json planted.json && python3 -c 'import json\n"
                       "assert all(one[\"outcome\"] in (\"named\", \"alike\", \"equivalent\") for one in "
                       "json.load(open(\"planted.json\")))'");
    CHECK(result.code == 0);
    CHECK(test::contains(result.out, "DECODE_SPECIALS"));
    CHECK(test::contains(result.out, "named by their class"));
    CHECK(test::shell(folder.path(), "mxcert selftest --filter 'no-such-*'").code == 4);
    CHECK(test::shell(folder.path(), "mxcert selftest --profile ocp-st").code == 2);

    result = test::shell(folder.path(), "mxcert bugs TIES_AWAY");
    CHECK(result.code == 0);
    CHECK(test::contains(result.out, "triton-lang/triton#11897"));
    result = test::shell(folder.path(), "mxcert bugs TIES_AWY");
    CHECK(result.code == 2);
    CHECK(test::contains(result.err, "TIES_AWAY"));
    result = test::shell(folder.path(), "mxcert bugs --json - | python3 -m json.tool > /dev/null");
    CHECK(result.code == 0);
}
