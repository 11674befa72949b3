// SPDX-License-Identifier: Apache-2.0
#include "conformance/selftest/selftest_outcomes.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "conformance/print/columns.hpp"
#include "conformance/print/text.hpp"

namespace mxcert::selftest {

bool is_bad(PlantOutcome outcome) { return outcome == PlantOutcome::escaped || outcome == PlantOutcome::misnamed; }

bool is_any_bad(const Outcomes& outcomes) {
    const auto any_bad = [](const auto& results) {
        return std::any_of(results.begin(), results.end(), [](const auto& item) { return is_bad(item.outcome); });
    };
    return any_bad(outcomes.tables) || any_bad(outcomes.backends);
}

const BugClass* class_of(const PlantedBackendResult& result) {
    return result.planted->bug_class.empty() ? nullptr : find_bug_class(result.planted->bug_class);
}

Tally::Tally(const Outcomes& outcomes) {
    const auto add = [this](const BugClass* bug_class, PlantOutcome outcome) {
        classes[bug_class].add(outcome);
        all.add(outcome);
    };
    for (const SelftestResult& result : outcomes.tables) add(result.planted.bug_class, result.outcome);
    for (const PlantedBackendResult& result : outcomes.backends) add(class_of(result), result.outcome);
}

std::vector<MatrixRow> matrix_rows(const Tally& tally) {
    std::vector<MatrixRow> rows;
    for (const BugClass& bug : all_bug_classes())
        if (const auto at = tally.classes.find(&bug); at != tally.classes.end())
            rows.push_back({std::string(bug.id), at->second});
    if (const auto at = tally.classes.find(nullptr); at != tally.classes.end())
        rows.push_back({"no class", at->second});
    rows.push_back({"all", tally.all});
    return rows;
}

std::string matrix_text(const Tally& tally) {
    std::vector<std::vector<std::string>> rows{{"bug class", "planted"}};
    for (const PlantOutcome outcome : outcome_columns) rows.front().emplace_back(to_string(outcome));
    for (const MatrixRow& row : matrix_rows(tally)) {
        rows.push_back({row.name, std::to_string(row.counts.all)});
        for (const PlantOutcome outcome : outcome_columns)
            rows.back().push_back(row.counts[outcome] == 0 ? "-" : std::to_string(row.counts[outcome]));
    }
    return print::columns(rows);
}

std::string bad_text(const Outcomes& outcomes) {
    std::string text;
    const auto names = [](const std::vector<std::string_view>& named) {
        return named.empty() ? "nothing" : fmt::format("{}", fmt::join(named, ", "));
    };
    for (const SelftestResult& result : outcomes.tables)
        if (is_bad(result.outcome))
            text += fmt::format(
                "{}: {} {}, {} in {} by {}; named {}\n", to_string(result.outcome), result.planted.bug_class->id,
                result.planted.how, print::counted(result.differing, "differing input"),
                to_string(result.planted.conversion), result.planted.profile->name, names(result.named));
    for (const PlantedBackendResult& result : outcomes.backends)
        if (is_bad(result.outcome))
            text += fmt::format("{}: {} '{}' in {} by {}, {}; named {}: {}\n", to_string(result.outcome),
                                result.planted->plugin, result.planted->option, result.planted->row,
                                result.planted->profile, to_string(result.status), names(result.named), result.reason);
    return text;
}

std::string verdict_text(const Tally& tally) {
    const OutcomeCounts& counts = tally.all;
    const std::size_t observable = counts.all - counts[PlantOutcome::equivalent];
    return fmt::format(
        "{} planted, {} of them equivalent to what is permitted. Of the other {}, {} were caught: {} named by their "
        "class, {} by a class with the same wrong answers, {} without a class.\n",
        counts.all, counts[PlantOutcome::equivalent], observable, observable - counts[PlantOutcome::escaped],
        counts[PlantOutcome::named], counts[PlantOutcome::alike], counts[PlantOutcome::unnamed]);
}

nlohmann::ordered_json json_of(const SelftestResult& result) {
    return {{"conversion", to_string(result.planted.conversion)},
            {"profile", result.planted.profile->name},
            {"class", result.planted.bug_class->id},
            {"how", result.planted.how},
            {"outcome", to_string(result.outcome)},
            {"differing", result.differing},
            {"named", result.named}};
}

nlohmann::ordered_json json_of(const PlantedBackendResult& result) {
    return {
        {"backend", result.planted->plugin},   {"row", result.planted->row},    {"profile", result.planted->profile},
        {"class", result.planted->bug_class},  {"how", result.planted->option}, {"outcome", to_string(result.outcome)},
        {"verdict", to_string(result.status)}, {"named", result.named},         {"reason", result.reason}};
}

nlohmann::ordered_json outcomes_json(const Outcomes& outcomes) {
    nlohmann::ordered_json json = nlohmann::ordered_json::array();
    for (const SelftestResult& result : outcomes.tables) json.push_back(json_of(result));
    for (const PlantedBackendResult& result : outcomes.backends) json.push_back(json_of(result));
    return json;
}

} // namespace mxcert::selftest
