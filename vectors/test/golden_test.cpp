// SPDX-License-Identifier: Apache-2.0
#include "vectors/golden_store/golden.hpp"
#include "vectors/golden_store/golden_files.hpp"

#include <algorithm>
#include <map>
#include <string>

#include "catch.hpp"
#include "reference/clause.hpp"
#include "reference/exact/exact.hpp"
#include "vectors/tables/tabulate.hpp"
#include "vectors/test/judged.hpp"

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
                                        {"amax_bf16", "e8m0_for_e4m3"},
                                        {"amax_fp32", "e8m0_for_e5m2"}}) {
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

namespace {

void check_permitted(const std::vector<GoldenPair>& pairs) {
    for (const GoldenPair& pair : pairs) {
        const auto loaded = load_golden(*pair.from, *pair.to, MXCERT_TEST_SOURCE "/vectors/golden");
        REQUIRE(loaded);
        const GoldenFile& golden = loaded->golden;
        REQUIRE_FALSE(golden.rows.empty());
        for (const GoldenRow& row : golden.rows)
            if (find_clause(row.clause) == nullptr) FAIL("no clause '" << row.clause << "'");
        for (const Profile& profile : all_profiles())
            for (const Conversion& conversion : deterministic_conversions(*pair.from, *pair.to)) {
                if (!covers(profile, conversion) || !golden_names(profile, conversion)) continue;
                CAPTURE(profile.name, to_string(conversion));
                REQUIRE(broken(select(golden, profile, conversion)).empty());
            }
    }
}

} // namespace

TEST_CASE("every profile permits something for every input of golden conversions of 16 bits", "[.][exhaustive]") {
    std::vector<GoldenPair> pairs;
    for (const GoldenPair& pair : golden_pairs())
        if (pair.from->value_width() <= 16 && pair.from->exponent_bits != formats::fp16.exponent_bits)
            pairs.push_back(pair);
    CHECK(pairs.size() > 30);
    check_permitted(pairs);
}
TEST_CASE("every profile permits something for every input of every golden conversion", "[.][exhaustive]") {
    check_permitted(golden_pairs());
}

namespace {

/// What the Behaviours that a profile permits give for an input, by the exact model alone.
Permit of_behaviours(const Profile& profile, const Conversion& conversion, Code input) {
    const Format& to = *conversion.to;
    // Choices that have no say stay as they are, so the Behaviours stay few.
    std::vector<Choices> open{choices_of(conversion)};
    for (const ChoiceInfo& choice : all_choices()) {
        const std::vector<std::string_view> values = permitted_values(profile, conversion, choice.choice);
        set(open.front(), choice.name, values.front() == any_nan_code ? values.at(1) : values.front());
    }
    Permit permit;
    for (std::size_t at = 0; at < open.size(); ++at) {
        const Choices choices = open[at];
        const exact::Result result = exact::convert(*conversion.from, to, choices, input);
        permit = unite(permit, permit_code(result.code), to);
        for (const ChoiceInfo& choice : all_choices()) {
            if ((result.consulted & bit(choice.choice)) == 0) continue;
            for (const std::string_view value : permitted_values(profile, conversion, choice.choice)) {
                if (value == any_nan_code) {
                    if (to.is_nan(result.code)) permit = unite(permit, permit_any_nan(), to);
                    continue;
                }
                Choices other_choices = choices;
                set(other_choices, choice.name, value);
                if (std::find(open.begin(), open.end(), other_choices) == open.end()) open.push_back(other_choices);
            }
        }
    }
    return permit;
}

/// The conversion and all that the profile permits of it: where another permits the same, it has the same table.
std::string permits_of(const Profile& profile, const Conversion& conversion) {
    std::string text = to_string(conversion);
    for (const ChoiceInfo& choice : all_choices())
        for (const std::string_view value : permitted_values(profile, conversion, choice.choice))
            text.append(" ").append(choice.name).append("=").append(value);
    return text;
}

} // namespace

TEST_CASE("a profile's table is what its Behaviours do, from a golden file or of its own", "[values]") {
    std::size_t own = 0;
    std::map<std::string, std::size_t> compared_before; // inputs, by what is permitted
    std::map<std::pair<const Format*, const Format*>, std::optional<LoadedGolden>> loaded;
    for (const Profile& profile : all_profiles()) {
        std::size_t compared = 0;
        for (const Conversion& conversion :
             judged(profile, {"fp16", "fp32", "e5m2", "e2m1", "e4m3fnuz", "amax_fp32"})) {
            CAPTURE(profile.name, to_string(conversion));
            std::size_t& inputs = compared_before[permits_of(profile, conversion)];
            if (inputs != 0) {
                compared += inputs;
                continue;
            }
            GoldenFile golden = generate_golden(profile, conversion);
            const PermitTable table = select(golden, profile, conversion);
            REQUIRE(broken(table).empty());
            own += golden_names(profile, conversion) ? 0 : 1;
            if (golden_names(profile, conversion)) {
                const auto [found, is_new] = loaded.try_emplace(std::pair(conversion.from, conversion.to));
                if (is_new)
                    found->second = load_golden(*conversion.from, *conversion.to, MXCERT_TEST_SOURCE "/vectors/golden");
                if (found->second) REQUIRE(select(found->second->golden, profile, conversion).steps == table.steps);
            }
            // One input at either end of some steps: from zero, through NaN, to the last code.
            const std::size_t every = std::max<std::size_t>(1, table.steps.size() / 20);
            for (std::size_t i = 0; i < table.steps.size(); i += every)
                for (const Code input : {table.steps[i].first, table.steps[i].last}) {
                    if (of_behaviours(profile, conversion, input) != table.steps[i].permit)
                        FAIL(hex(input, *conversion.from)
                             << " is " << to_string(table.steps[i].permit, *conversion.to));
                    ++inputs;
                }
            compared += inputs;
        }
        CAPTURE(profile.name);
        CHECK((compared > 40 || profile.scopes.empty())); // some judge operations alone
    }
    CHECK(own > 20);
}

TEST_CASE("a profile of its own permits one value of what golden files do not name", "[values]") {
    Profile profile = find_profile("onednn-f16");
    static constexpr std::string_view two[] = {"fp16_toward_zero", "fp16_nearest_even"};
    static constexpr PermittedChoice permitted[] = {{Choice::via, two, "", ""}};
    profile.permitted = permitted;
    const Conversion conversion = make_conversion("fp32", "e4m3", "nearest_even", "nosat", 0);
    CHECK_FALSE(golden_names(profile, conversion));
    CHECK_THROWS_AS(generate_golden(profile, conversion), std::logic_error);
    CHECK(golden_names(find_profile("ocp"), conversion));
    CHECK_FALSE(golden_names(find_profile("onednn-f16"), conversion));
    CHECK(golden_names(find_profile("onednn-f16"), make_conversion("fp16", "e4m3", "nearest_even", "nosat", 0)));
    // Quark also permits that -0 loses its sign and a negative number that rounds to zero keeps it.
    CHECK_FALSE(
        golden_names(find_profile("amd-quark"), make_conversion("fp32_by_e8m0", "e4m3", "nearest_even", "sat", 0)));
}

TEST_CASE("a profile that does not permit the default of a choice permits each of its other values") {
    Profile profile = find_profile("ocp");
    static constexpr std::string_view values[] = {"zero", "nan"};
    static constexpr PermittedChoice permitted[] = {{Choice::negative, values, "", ""}};
    profile.permitted = permitted;
    const Conversion conversion = make_conversion("bf16", "e8m0", "nearest_even", "sat", 0);
    const PermitTable table = select(generate_golden(profile, conversion), profile, conversion);
    CHECK(to_string(table.steps[find_step(table, 0xC000)].permit, formats::e8m0) == "00|FF"); // -2
}

TEST_CASE("a profile permits a number for NaN beside every NaN") {
    Profile profile = find_profile("ocp");
    static constexpr std::string_view values[] = {"any", "canonical", "max_sign"};
    static constexpr PermittedChoice permitted[] = {{Choice::nan, values, "", ""}};
    profile.permitted = permitted;
    const auto at = [&](const char* to, Code input) {
        const Conversion conversion = make_conversion("fp16", to, "nearest_even", "sat", 0);
        const PermitTable table = select(generate_golden(profile, conversion), profile, conversion);
        return to_string(table.steps[find_step(table, input)].permit, *conversion.to);
    };
    CHECK(at("e4m3", 0x7E00) == "7E|nan");
    CHECK(at("e4m3", 0xFE00) == "FE|nan");
    CHECK(at("e4m3", 0x7C00) == "7E");
    // Without a NaN "any" is the largest number.
    CHECK(at("e2m1", 0x7E00) == "7");
    CHECK(at("e2m1", 0xFE00) == "7|F");
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
