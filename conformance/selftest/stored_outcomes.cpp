// SPDX-License-Identifier: Apache-2.0
#include "conformance/selftest/stored_outcomes.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>

#include <fmt/format.h>

namespace mxcert::selftest {
namespace {

std::string name_of(const faults::Planted& planted) {
    return fmt::format("{} by {}: {} {}", to_string(planted.conversion), planted.profile->name, planted.bug_class->id,
                       planted.how);
}

std::string name_of(const PlantedBackend& planted) {
    return fmt::format("{} by {}: {} '{}'", planted.row, planted.profile, planted.plugin, planted.option);
}

PlantOutcome plant_outcome_of(const files::Members& entry) {
    const std::string text = entry.text("outcome");
    for (const PlantOutcome outcome : outcome_columns)
        if (to_string(outcome) == text) return outcome;
    entry.fail("outcome", "is none");
}

Status verdict_of(const files::Members& entry) {
    constexpr std::array statuses{Status::pass,        Status::fail,  Status::mistrusted, Status::untested,
                                  Status::unsupported, Status::error, Status::incomplete};
    const std::string text = entry.text("verdict");
    for (const Status status : statuses)
        if (to_string(status) == text) return status;
    entry.fail("verdict", "is no status");
}

std::vector<std::string_view> named_in(const files::Members& entry) {
    std::vector<std::string_view> named;
    for (const std::string& id : entry.texts("named")) {
        const BugClass* const bug_class = find_bug_class(id);
        if (bug_class == nullptr) entry.fail("named", fmt::format("has '{}', which is no class", id));
        named.push_back(bug_class->id);
    }
    return named;
}

/// Whatever else the entry has must be of this bug.
template <class Result>
void check_entry(const Result& result, const files::Json& entry, const std::string& where, const std::string& name) {
    if (json_of(result) != entry)
        throw std::runtime_error(fmt::format("{}: is not of the bug that is planted there, {}", where, name));
}

} // namespace

std::vector<std::string> names_of(const PlantedList& list) {
    std::vector<std::string> names;
    for (const faults::Planted& planted : list.tables) names.push_back(name_of(planted));
    for (const PlantedBackend* planted : list.backends) names.push_back(name_of(*planted));
    return names;
}

Outcomes outcomes_of(const files::Json& json, const PlantedList& list, const std::string& where) {
    if (json.size() != list.size())
        throw std::runtime_error(
            fmt::format("{}: 'outcomes' has {}, and {} are planted in this part", where, json.size(), list.size()));
    Outcomes outcomes;
    for (std::size_t i = 0; i < json.size(); ++i) {
        const std::string place = fmt::format("{}: outcomes[{}]", where, i);
        const files::Members entry(json[i], place);
        if (i < list.tables.size()) {
            const faults::Planted& planted = list.tables[i];
            outcomes.tables.push_back({planted, plant_outcome_of(entry), named_in(entry), entry.number("differing")});
            check_entry(outcomes.tables.back(), json[i], place, name_of(planted));
            continue;
        }
        PlantedBackendResult result;
        result.planted = list.backends[i - list.tables.size()];
        result.outcome = plant_outcome_of(entry);
        result.status = verdict_of(entry);
        result.named = named_in(entry);
        result.reason = entry.text("reason");
        check_entry(result, json[i], place, name_of(*result.planted));
        outcomes.backends.push_back(std::move(result));
    }
    return outcomes;
}

} // namespace mxcert::selftest
