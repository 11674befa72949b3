// SPDX-License-Identifier: Apache-2.0
#include "conformance/identify/identify_conversion.hpp"

#include <algorithm>
#include <map>

#include "conformance/diagnose/find_behaviour.hpp"
#include "conformance/inputs/sample.hpp"
#include "vectors/tables/compare.hpp"
#include "vectors/tables/tabulate.hpp"

namespace mxcert::identify {
namespace {

constexpr unsigned samples = 16; // in a step of a source that is too wide
constexpr std::uint64_t seed = 1;

/// What the answers are to a profile.
diagnose::FoundProfile profile_of(const std::vector<Step>& steps, const verdict::Judge& judge) {
    std::map<std::string_view, diagnose::FoundClause> clauses;
    auto step = steps.begin();
    for (const PermitStep& permit_step : judge.permitted.steps) {
        while (step != steps.end() && step->last < permit_step.first) ++step;
        for (auto i = step; i != steps.end() && i->first <= permit_step.last; ++i) {
            diagnose::FoundClause& clause = clauses[permit_step.clause];
            const std::uint64_t inputs =
                std::min(i->last, permit_step.last) - std::max(i->first, permit_step.first) + 1;
            clause.inputs += inputs;
            if (!permits(permit_step.permit, i->code, *judge.permitted.to)) clause.differing += inputs;
        }
    }
    diagnose::FoundProfile profile{judge.profile->name, 0, {}};
    for (auto& [id, clause] : clauses) {
        clause.id = id;
        profile.differing += clause.differing;
        profile.clauses.push_back(clause);
    }
    return profile;
}

} // namespace

std::vector<diagnose::FoundProfile> profiles_of(const std::vector<Step>& steps,
                                                const std::vector<verdict::Judge>& judges) {
    std::vector<diagnose::FoundProfile> profiles;
    for (const verdict::Judge& judge : judges) profiles.push_back(profile_of(steps, judge));
    sort_by_differing(profiles);
    return profiles;
}

void sort_by_differing(std::vector<diagnose::FoundProfile>& profiles) {
    std::stable_sort(
        profiles.begin(), profiles.end(),
        [](const diagnose::FoundProfile& a, const diagnose::FoundProfile& b) { return a.differing < b.differing; });
}

diagnose::FoundBehaviour identify_conversion(observe::Subject& subject, const Conversion& conversion,
                                             verdict::GoldenSource& golden) {
    const auto unknown = [&](Status status, std::string reason) {
        diagnose::FoundBehaviour found;
        found.conversion = to_string(conversion);
        found.status = status;
        found.reason = std::move(reason);
        return found;
    };
    if (conversion.random_bits != 0)
        return unknown(Status::unsupported, "a stochastic rounding has no table: mxcert certify judges it");
    std::vector<const Profile*> profiles;
    for (const Profile& profile : all_profiles()) profiles.push_back(&profile);
    const std::vector<verdict::Judge> judges = verdict::judges_of(conversion, profiles, golden);
    observe::Observation seen;
    if (subject.holds_points(conversion)) {
        std::vector<Code> firsts = verdict::boundaries(judges);
        if (firsts.empty()) firsts = verdict::all_boundaries(conversion, {}, golden);
        seen = subject.observe_points(
            conversion,
            subject.answerable(conversion, inputs::choose_points(*conversion.from, firsts, samples, seed, 0)), nullptr);
    } else {
        seen = subject.observe(conversion, nullptr);
    }
    if (seen.status != Status::pass) return unknown(seen.status, seen.reason);
    const std::vector<Step> steps = verdict::steps_of(seen);
    if (steps.empty()) return unknown(Status::untested, "nothing was answered");
    diagnose::FoundBehaviour found = diagnose::find_behaviour(*conversion.from, *conversion.to, steps);
    found.conversion = to_string(conversion);
    found.sample = seen.table.steps.empty();
    found.profiles = profiles_of(steps, judges);
    return found;
}

} // namespace mxcert::identify
