// SPDX-License-Identifier: Apache-2.0
#include "conformance/faults/clause_suites.hpp"

#include <algorithm>

#include "reference/profile/profile.hpp"

namespace mxcert::faults {
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

bool checks(const ManifestEntry& file, const Clause& clause) {
    const std::vector<std::string> formats = words(clause.formats);
    const bool speaks_of_it =
        formats.empty() || std::any_of(formats.begin(), formats.end(),
                                       [&](const std::string& name) { return name == file.from || name == file.to; });
    const std::vector<std::string> rows = words(clause.rows.empty() ? clause.id : clause.rows);
    return speaks_of_it && std::all_of(rows.begin(), rows.end(), [&](const std::string& id) {
               return std::find(file.clauses.begin(), file.clauses.end(), id) != file.clauses.end();
           });
}

} // namespace

std::vector<std::string> suites_of(const Clause& clause, const Manifest& manifest) {
    std::vector<std::string> suites;
    if (clause.kind == ClauseKind::provision) {
        for (const Profile& profile : all_profiles())
            if (std::any_of(profile.provisions.begin(), profile.provisions.end(),
                            [&](const Provision& provision) { return provision.clause == clause.id; }))
                suites.push_back("profile " + std::string(profile.name));
        return suites;
    }
    for (const ManifestEntry& file : manifest.files)
        if (checks(file, clause)) suites.push_back(file.from + "-" + file.to);
    return suites;
}

bool needs_suite(const Clause& clause) {
    return clause.kind == ClauseKind::value || clause.kind == ClauseKind::provision;
}

} // namespace mxcert::faults
