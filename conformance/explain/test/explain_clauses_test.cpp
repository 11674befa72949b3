// SPDX-License-Identifier: Apache-2.0
#include "conformance/faults/clause_suites.hpp"

#include <algorithm>
#include <catch.hpp>
#include <map>
#include <string>

#include "reference/profile/profile.hpp"
#include "vectors/golden_store/golden_files.hpp"
#include "vectors/tables/tabulate.hpp"

using namespace mxcert;

namespace {

Manifest committed() { return load_manifest(std::filesystem::path(MXCERT_TEST_SOURCE) / "vectors" / "golden"); }

std::vector<std::string> words(std::string_view list) {
    std::vector<std::string> all;
    while (!list.empty()) {
        const std::size_t space = list.find(' ');
        all.emplace_back(list.substr(0, space));
        list = space == std::string_view::npos ? std::string_view{} : list.substr(space + 1);
    }
    return all;
}

/// The choices that have a say on inputs of each clause, in the conversions that have golden files.
/// Every input; of sources with a given scale those of the first, a middle and the last two scales.
std::vector<InputRange> inputs_of(const Format& from) {
    if (from.scale == nullptr) return {{0, from.last_code()}};
    std::vector<InputRange> ranges;
    const Code size = Code{1} << static_cast<unsigned>(from.value_width());
    const Code last = from.scale->last_code();
    for (const Code scale : {Code{0}, last / 2, last - 1, last})
        ranges.push_back({scale * size, scale * size + size - 1});
    return ranges;
}

std::map<std::string_view, ChoiceSet> choices_with_a_say() {
    std::map<std::string_view, ChoiceSet> says;
    for (const GoldenPair& pair : golden_pairs()) {
        for (const Rounding rounding : {Rounding::nearest_even, Rounding::toward_zero})
            for (const Overflow overflow : {Overflow::sat, Overflow::nosat})
                for (const LowestBinade lowest : {LowestBinade::by_value, LowestBinade::zero_below}) {
                    Choices choices;
                    choices.rounding = rounding;
                    choices.overflow = overflow;
                    choices.lowest_binade = lowest;
                    choices.negative = Negative::zero;
                    const bool scale = pair.to->element != nullptr;
                    for (const ScaleRule rule : {ScaleRule::none, ScaleRule::ocp_floor, ScaleRule::rceil}) {
                        if ((rule != ScaleRule::none) != scale) continue;
                        choices.rule = rule;
                        for (const TracedStep& step : trace_steps(*pair.from, *pair.to, choices, inputs_of(*pair.from)))
                            says[clause_of(step.rule, *pair.from, *pair.to, rule)] |= step.consulted;
                    }
                }
    }
    return says;
}

} // namespace

TEST_CASE("every clause that judges is checked by something", "[clauses]") {
    const Manifest manifest = committed();
    for (const Clause& clause : all_clauses()) {
        CAPTURE(clause.id);
        if (faults::needs_suite(clause)) CHECK_FALSE(faults::suites_of(clause, manifest).empty());
        if (clause.kind == ClauseKind::outside) CHECK(faults::suites_of(clause, manifest).empty());
    }
}

TEST_CASE("without golden files every value clause is unchecked", "[clauses]") {
    const Manifest none;
    for (const Clause& clause : all_clauses())
        CHECK(faults::suites_of(clause, none).empty() == (clause.kind != ClauseKind::provision));
}

TEST_CASE("suites are the files whose rows name the clause", "[clauses]") {
    Manifest manifest;
    manifest.files.push_back({"a.csv", "fp32", "e4m3", 0, 0, 0, "", {"OFP8-NAN", "OFP8-ROUND"}, {}});
    manifest.files.push_back(
        {"b.csv", "fp64", "e4m3", 0, 0, 0, "", {"OFP8-NAN", "OFP8-OVERFLOW-NOSAT", "OFP8-ROUND"}, {}});
    using Names = std::vector<std::string>;
    CHECK(faults::suites_of(*find_clause("OFP8-ROUND"), manifest) == Names{"fp32-e4m3", "fp64-e4m3"});
    CHECK(faults::suites_of(*find_clause("OFP8-OVERFLOW-NOSAT"), manifest) == Names{"fp64-e4m3"});
    CHECK(faults::suites_of(*find_clause("OFP8-OVERFLOW-AFTER-ROUNDING"), manifest) ==
          Names{"fp64-e4m3"});                                                                  // all its rows
    CHECK(faults::suites_of(*find_clause("NV-NAN-FROM-FP32"), manifest) == Names{"fp32-e4m3"}); // its formats
    CHECK(faults::suites_of(*find_clause("NV-NAN-FROM-FP64"), manifest) == Names{"fp64-e4m3"});
    CHECK(faults::suites_of(*find_clause("OFP8-ZERO"), manifest).empty());
    CHECK(faults::suites_of(*find_clause("OFP8-BOTH-MODES"), manifest) == Names{"profile ocp"});
}

TEST_CASE("the choices of a clause have a say in its rows", "[clauses][values]") {
    const auto says = choices_with_a_say();
    for (const Clause& clause : all_clauses()) {
        if (clause.kind != ClauseKind::value) continue;
        ChoiceSet heard = 0;
        for (const std::string& id : words(clause.rows.empty() ? clause.id : clause.rows))
            if (const auto found = says.find(id); found != says.end()) heard |= found->second;
        for (const std::string& name : words(clause.choices)) {
            const auto choice = std::find_if(all_choices().begin(), all_choices().end(),
                                             [&](const ChoiceInfo& info) { return info.name == name; });
            CAPTURE(clause.id, name);
            CHECK((heard & bit(choice->choice)) != 0);
        }
    }
}

TEST_CASE("golden rows name no clause that is outside all profiles", "[clauses]") {
    for (const ManifestEntry& file : committed().files)
        for (const std::string& id : file.clauses) {
            CAPTURE(file.file, id);
            const Clause* clause = find_clause(id);
            REQUIRE(clause != nullptr);
            CHECK(clause->kind != ClauseKind::outside);
            CHECK(clause->kind != ClauseKind::provision);
        }
}
