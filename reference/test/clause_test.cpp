// SPDX-License-Identifier: Apache-2.0
#include "reference/clause.hpp"
#include "reference/scale_rule.hpp"

#include <algorithm>
#include <catch.hpp>
#include <set>
#include <string>
#include <vector>

#include "reference/choices.hpp"

using namespace mxcert;

namespace {

std::vector<std::string> words(std::string_view list) {
    std::vector<std::string> all;
    while (!list.empty()) {
        const std::size_t space = list.find(' ');
        all.emplace_back(list.substr(0, space));
        list = space == std::string_view::npos ? std::string_view{} : list.substr(space + 1);
    }
    return all;
}

bool is_choice(std::string_view name) {
    return std::any_of(all_choices().begin(), all_choices().end(), [&](const ChoiceInfo& c) { return c.name == name; });
}

constexpr unsigned rule_count = static_cast<unsigned>(Rule::directed_overflow) + 1;

} // namespace

TEST_CASE("clause ids are unique and well formed", "[clause]") {
    std::set<std::string_view> ids;
    for (const Clause& clause : all_clauses()) {
        CAPTURE(clause.id);
        CHECK(ids.insert(clause.id).second);
        CHECK(clause.id.find('-') != std::string_view::npos);
        CHECK(std::all_of(clause.id.begin(), clause.id.end(),
                          [](char c) { return (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-'; }));
        CHECK(clause.id.front() != '-');
        CHECK(clause.id.back() != '-');
        CHECK(find_clause(clause.id) == &clause);
    }
    CHECK(ids.size() > 50);
    CHECK(find_clause("OFP8-NO-SUCH") == nullptr);
    CHECK(find_clause("") == nullptr);
}

TEST_CASE("a clause says something, where it stands, and names choices and clauses that exist", "[clause]") {
    for (const Clause& clause : all_clauses()) {
        CAPTURE(clause.id);
        CHECK(clause.text.size() > 20);
        CHECK(!clause.document.empty());
        CHECK(clause.text.find('"') == std::string_view::npos);
        CHECK(!to_string(clause.grade).empty());
        CHECK(!to_string(clause.kind).empty());
        for (const std::string& choice : words(clause.choices)) CHECK(is_choice(choice));
        for (const std::string& name : words(clause.formats)) CHECK(find_format(name) != nullptr);
        for (const std::string& altered : words(clause.rows)) {
            const Clause* found = find_clause(altered);
            REQUIRE(found != nullptr);
            CHECK(found->rows.empty()); // one step, no chains
        }
    }
}

TEST_CASE("no clause rests on memory", "[clause]") {
    CHECK(std::none_of(all_clauses().begin(), all_clauses().end(),
                       [](const Clause& clause) { return clause.grade == Grade::memory; }));
}

TEST_CASE("every rule has a clause that exists, for every pair of formats", "[clause]") {
    std::set<std::string_view> used;
    for (const Format& from : all_formats())
        for (const Format& to : all_formats())
            for (unsigned r = 0; r < rule_count; ++r) {
                // Nothing goes to a format with a given scale, and without one none decides.
                const auto of_scale = static_cast<Rule>(r) == Rule::scaled || static_cast<Rule>(r) == Rule::scale_nan;
                if (to.scale != nullptr || (of_scale && from.scale == nullptr)) continue;
                for (const ScaleRuleInfo& rule : all_scale_rules())
                    used.insert(clause_of(static_cast<Rule>(r), from, to, rule.rule));
                const std::string_view id = clause_of(static_cast<Rule>(r), from, to);
                CAPTURE(from.name, to.name, r, id);
                const Clause* clause = find_clause(id);
                REQUIRE(clause != nullptr);
                CHECK(clause->kind != ClauseKind::provision);
                // Rows are named after the rule that decided them: never the reading or the scaling before.
                CHECK((clause->rows.empty() || of_scale || static_cast<Rule>(r) == Rule::value));
                used.insert(id);
            }
    // The other way round: a clause is stated by a rule, seen in the rows of others, a provision, or names a freedom.
    for (const Clause& clause : all_clauses()) {
        CAPTURE(clause.id);
        CHECK((used.count(clause.id) == 1 || !clause.rows.empty() || clause.kind == ClauseKind::provision ||
               clause.kind == ClauseKind::silent));
    }
}

TEST_CASE("rules lead to the clauses one expects", "[clause]") {
    using namespace formats;
    CHECK(clause_of(Rule::nan, fp32, e4m3) == "OFP8-NAN");
    CHECK(clause_of(Rule::value, e4m3, fp32) == "OFP8-E4M3-CODES");
    CHECK(clause_of(Rule::value, e8m0, bf16) == "MX-E8M0-CODES");
    CHECK(clause_of(Rule::overflow_sat, fp32, e5m2) == "OFP8-OVERFLOW-SAT");
    CHECK(clause_of(Rule::overflow_nosat, fp32, e5m2) == "OFP8-OVERFLOW-NOSAT");
    CHECK(clause_of(Rule::directed_overflow, fp16, e4m3) == "OFP8-DIRECTED-OVERFLOW");
    CHECK(clause_of(Rule::directed_overflow, e8m0, fp16) == "IEEE-DIRECTED-OVERFLOW");
    CHECK(clause_of(Rule::negative, fp32, e8m0) == "MX-E8M0-NEGATIVE");
    CHECK(clause_of(Rule::nan, fp32, e2m1) == "MX-NARROW-NAN");
    CHECK(clause_of(Rule::nan, fp32, e4m3fnuz) == "FNUZ-NAN");
    CHECK(clause_of(Rule::round, fp32, int8) == "MX-NARROW-ROUND");
    CHECK(clause_of(Rule::value, int8, fp32) == "MX-INT8-CODES");
    CHECK(clause_of(Rule::negative, fp32, ue5m3) == "UE-NEGATIVE");
    CHECK(clause_of(Rule::value, ue5m3, fp32) == "NV-UE5M3-CODES");
}

TEST_CASE("a format that no table has is in no clause", "[clause]") {
    Format unknown = formats::e4m3;
    unknown.name = "unknown";
    CHECK_THROWS_WITH(clause_of(Rule::value, unknown, formats::fp32, ScaleRule::none), "no clauses for format unknown");
}
