// SPDX-License-Identifier: Apache-2.0
#include "vectors/golden.hpp"
#include "vectors/golden_files.hpp"

#include <algorithm>

#include "catch.hpp"
#include "reference/clause.hpp"
#include "vectors/tabulate.hpp"

using namespace mxcert;

namespace {

/// A profile that permits exactly one Behaviour, by the names of the values golden files use.
class SingleProfile {
  public:
    explicit SingleProfile(const Choices& choices) {
        names_.reserve(choice_count);
        for (const ChoiceInfo& choice : all_choices()) {
            names_.push_back(value_name(choices, choice.choice));
            permitted_.push_back({choice.choice, std::span(&names_.back(), 1), "", ""});
        }
        profile_ = {"single", "", "", "sat nosat sat_finite", {}, permitted_, {}};
    }
    [[nodiscard]] const Profile& get() const { return profile_; }

  private:
    std::vector<std::string_view> names_;
    std::vector<PermittedChoice> permitted_;
    Profile profile_{};
};

} // namespace

TEST_CASE("selecting one Behaviour gives the table of that Behaviour", "[values]") {
    // Golden rows are stored once a rule; this shows that putting them together loses nothing.
    using Pairs = std::initializer_list<std::pair<const char*, const char*>>;
    const Pairs of_values = {{"nan", "canonical"},         {"nan", "payload_sign"}, {"overflow_nan", "canonical"},
                             {"negative", "nan"},          {"zero", "nan"},         {"lowest_binade", "up_nonzero"},
                             {"directed_overflow", "max"}, {"zero_sign", "dropped"}};
    const Pairs of_scales = {{"arithmetic", "exact"},
                             {"arithmetic", "fp32_multiply"},
                             {"arithmetic", "fp32_divide"},
                             {"least_amax", "fp32_1e_30"},
                             {"nan", "max"},
                             {"zero", "lowered"},
                             {"lowest_binade", "up_nonzero"}};
    for (const auto& [from, to] : Pairs{{"fp16", "e4m3"},
                                        {"bf16", "e8m0"},
                                        {"e5m2", "e4m3"},
                                        {"e8m0", "fp16"},
                                        {"e8m0", "e5m2"},
                                        {"amax_bf16", "scale_e4m3"},
                                        {"amax_fp32", "scale_e5m2"}}) {
        const GoldenFile golden = generate_golden(format(from), format(to));
        for (const Conversion& conversion : deterministic_conversions(format(from), format(to)))
            for (const auto& [choice, value] : format(to).element != nullptr ? of_scales : of_values) {
                Choices choices = choices_of(conversion);
                set(choices, choice, value);
                const PermitTable permitted = select(golden, SingleProfile(choices).get(), conversion);
                CAPTURE(to_string(conversion), choice, value);
                REQUIRE(broken(permitted).empty());
                const StepTable table = tabulate(format(from), format(to), choices);
                StepTable selected{table.from, table.to, {}}; // neighbours may differ in clause only
                for (const PermitStep& step : permitted.steps) {
                    if (step.permit.codes.size() != 1) FAIL("not one code at " << hex(step.first, *table.from));
                    const Code code = step.permit.codes.front();
                    if (!selected.steps.empty() && selected.steps.back().code == code)
                        selected.steps.back().last = step.last;
                    else
                        selected.steps.push_back({step.first, step.last, code});
                }
                REQUIRE(selected.steps == table.steps);
            }
    }
}

TEST_CASE("every profile permits something for every input of every golden conversion", "[values]") {
    for (const GoldenPair& pair : golden_pairs()) {
        const auto loaded = load_golden(*pair.from, *pair.to, MXCERT_TEST_SOURCE "/vectors/golden");
        REQUIRE(loaded);
        const GoldenFile& golden = loaded->golden;
        REQUIRE_FALSE(golden.rows.empty());
        for (const GoldenRow& row : golden.rows)
            if (find_clause(row.clause) == nullptr) FAIL("no clause '" << row.clause << "'");
        for (const Profile& profile : all_profiles())
            for (const Conversion& conversion : deterministic_conversions(*pair.from, *pair.to)) {
                if (!covers(profile, conversion)) continue;
                CAPTURE(profile.name, to_string(conversion));
                REQUIRE(broken(select(golden, profile, conversion)).empty());
            }
    }
}

TEST_CASE("what OFP8 permits at its edges") {
    const GoldenFile golden = generate_golden(formats::fp32, formats::e4m3);
    const auto at = [&](const char* profile, const char* rounding, const char* overflow, Code input) {
        const PermitTable table =
            select(golden, find_profile(profile), make_conversion("fp32", "e4m3", rounding, overflow, 0));
        return to_string(table.steps[find_step(table, input)].permit, formats::e4m3);
    };
    CHECK(at("ocp-sat", "nearest_even", "sat", 0x43E80001) == "7E");
    CHECK(at("ocp-nosat", "nearest_even", "nosat", 0x43E80001) == "nan");
    CHECK(at("ocp-nosat", "nearest_even", "nosat", 0x43E80000) == "7E");
    CHECK(at("ocp-nosat", "toward_zero", "nosat", 0x43F00000) == "7E|nan"); // OFP8 is silent
    CHECK(at("ocp-sat", "nearest_even", "sat", 0x7FC00000) == "nan");
    CHECK(at("nvidia-cuda-host", "nearest_even", "sat", 0xFFC00000) == "7F");
    CHECK(at("nvidia-cuda-host", "nearest_even", "nosat", 0xFF800000) == "FF");
}

TEST_CASE("rows that leave a gap are refused") {
    GoldenFile golden = generate_golden(formats::e5m2, formats::e4m3);
    golden.rows.erase(
        std::find_if(golden.rows.begin(), golden.rows.end(), [](const GoldenRow& row) { return row.when.empty(); }));
    CHECK_THROWS_AS(select(golden, find_profile("ocp-sat"), make_conversion("e5m2", "e4m3", "nearest_even", "sat", 0)),
                    std::runtime_error);
}
