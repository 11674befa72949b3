// SPDX-License-Identifier: Apache-2.0
#include "conformance/identify/identify_conversion.hpp"

#include <algorithm>
#include <map>

#include "conformance/diagnose/find_behaviour.hpp"
#include "conformance/inputs/sample.hpp"
#include "vectors/tables/compare.hpp"
#include "vectors/tables/tabulate.hpp"

namespace mxcert {
namespace {

constexpr unsigned samples = 16; // in a step of a source that is too wide
constexpr std::uint64_t seed = 1;

/// What the answers are to a profile.
FoundProfile profile_of(const std::vector<Step>& steps, const Judge& judge) {
    std::map<std::string_view, FoundClause> clauses;
    auto step = steps.begin();
    for (const PermitStep& one : judge.permitted.steps) {
        while (step != steps.end() && step->last < one.first) ++step;
        for (auto i = step; i != steps.end() && i->first <= one.last; ++i) {
            FoundClause& clause = clauses[one.clause];
            const std::uint64_t inputs = std::min(i->last, one.last) - std::max(i->first, one.first) + 1;
            clause.inputs += inputs;
            if (!permits(one.permit, i->code, *judge.permitted.to)) clause.differing += inputs;
        }
    }
    FoundProfile profile{judge.profile->name, 0, {}};
    for (auto& [id, clause] : clauses) {
        clause.id = id;
        profile.differing += clause.differing;
        profile.clauses.push_back(clause);
    }
    return profile;
}

} // namespace

std::vector<FoundProfile> profiles_of(const std::vector<Step>& steps, const std::vector<Judge>& judges) {
    std::vector<FoundProfile> profiles;
    for (const Judge& judge : judges) profiles.push_back(profile_of(steps, judge));
    sort_by_differing(profiles);
    return profiles;
}

void sort_by_differing(std::vector<FoundProfile>& profiles) {
    std::stable_sort(profiles.begin(), profiles.end(),
                     [](const FoundProfile& a, const FoundProfile& b) { return a.differing < b.differing; });
}

FoundBehaviour identify_conversion(Subject& subject, const Conversion& conversion, GoldenSource& golden) {
    const auto unknown = [&](Status status, std::string reason) {
        FoundBehaviour found;
        found.conversion = to_string(conversion);
        found.status = status;
        found.reason = std::move(reason);
        return found;
    };
    if (conversion.random_bits != 0)
        return unknown(Status::unsupported, "a stochastic rounding has no table: mxcert certify judges it");
    std::vector<const Profile*> profiles;
    for (const Profile& profile : all_profiles()) profiles.push_back(&profile);
    const std::vector<Judge> judges = judges_of(conversion, profiles, golden);
    Observation seen;
    if (subject.holds_points(conversion)) {
        std::vector<Code> firsts = boundaries(judges);
        if (firsts.empty()) firsts = all_boundaries(conversion, {}, golden);
        seen = subject.observe_points(
            conversion, subject.answerable(conversion, choose_points(*conversion.from, firsts, samples, seed, 0)),
            nullptr);
    } else {
        seen = subject.observe(conversion, nullptr);
    }
    if (seen.status != Status::pass) return unknown(seen.status, seen.reason);
    const std::vector<Step> steps = steps_of(seen);
    if (steps.empty()) return unknown(Status::untested, "nothing was answered");
    FoundBehaviour found = find_behaviour(*conversion.from, *conversion.to, steps);
    found.conversion = to_string(conversion);
    found.sample = seen.table.steps.empty();
    found.profiles = profiles_of(steps, judges);
    return found;
}

} // namespace mxcert
