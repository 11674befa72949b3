// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <stdexcept>

#include <fmt/format.h>

#include "conformance/blocks/certify.hpp"
#include "conformance/certify.hpp"
#include "conformance/sample.hpp"
#include "conformance/text.hpp"

namespace mxcert {
namespace {

/// What a built-in backend claims to conform to.
struct Claim {
    std::string_view backend;
    std::array<std::string_view, 2> profiles;
};
constexpr std::array claims{
    Claim{"portable", {"ocp", "nvidia-te"}}, Claim{"cuda_fp8", {"nvidia-cuda-host", "ocp"}},
    Claim{"apfloat", {"llvm", "ocp-nosat"}}, Claim{"ml_dtypes", {"ml_dtypes", "ocp-nosat"}},
    Claim{"gfloat", {"gfloat", "ocp"}},
};

// Whether there can be a conversion of such a name.
bool can_match(const std::string& pattern) {
    if (!is_glob(pattern)) {
        (void)parse_conversion(pattern); // throws with the part that is wrong
        return true;
    }
    for (const Format& from : all_formats())
        for (const Format& to : all_formats())
            for (const std::string_view how : info(rounding_or_rule(to)).values)
                for (const std::string_view overflow : info(Choice::overflow).values)
                    if (glob_matches(pattern, fmt::format("{}-{}-{}{}-{}", from.name, to.name, how,
                                                          how.starts_with("stochastic") ? "8" : "", overflow)))
                        return true;
    return false;
}

// What either table permits, clause of the first.
PermitTable unite(const PermitTable& a, const PermitTable& b) {
    PermitTable both{a.from, a.to, {}};
    for (std::size_t i = 0, j = 0; i < a.steps.size() && j < b.steps.size();) {
        const PermitStep& left = a.steps[i];
        const PermitStep& right = b.steps[j];
        const Code last = std::min(left.last, right.last);
        PermitStep step{std::max(left.first, right.first), last, unite(left.permit, right.permit, *a.to), left.clause};
        PermitStep* before = both.steps.empty() ? nullptr : &both.steps.back();
        if (before != nullptr && before->permit == step.permit && before->clause == step.clause)
            before->last = last;
        else
            both.steps.push_back(std::move(step));
        if (left.last == last) ++i;
        if (right.last == last) ++j;
    }
    return both;
}

Planned plan_conversion(const Conversion& conversion, const std::vector<const Profile*>& profiles,
                        GoldenSource& golden) {
    Planned planned;
    planned.conversion = conversion;
    for (const Profile* profile : profiles) {
        if (!covers(*profile, conversion)) continue;
        const GoldenUsed& used = golden.get(*conversion.from, *conversion.to);
        planned.judges.push_back({profile, select(used.golden, *profile, conversion), &used});
    }
    for (const Judge& judge : planned.judges)
        planned.permitted =
            planned.permitted.steps.empty() ? judge.permitted : unite(planned.permitted, judge.permitted);
    return planned;
}

// Stored answers are those to the inputs that were asked then. They need not be those that matter to these profiles.
void plan_points(const Subject& subject, const CertifyOptions& options, Planned& planned) {
    const std::vector<Code> firsts = boundaries(planned);
    const Code last = planned.conversion.from->last_code();
    planned.points =
        subject.answerable(planned.conversion, choose_points(firsts, last, options.samples_per_step, options.seed));
    for (const Point& needed : choose_points(firsts, last, 0, options.seed))
        if (!std::binary_search(planned.points.begin(), planned.points.end(), needed,
                                [](const Point& a, const Point& b) { return a.input < b.input; }))
            ++planned.unasked;
}

Row required_row(const std::string& id, Status status, std::string reason) {
    Row row;
    row.id = id;
    row.status = status;
    row.required = true;
    row.reason = std::move(reason);
    return row;
}

// Marks the planned conversions that a pattern names. A pattern that names none leaves a row that fails.
void require(const std::string& pattern, const BackendInfo& info, Plan& plan) {
    if (!can_match(pattern))
        throw std::invalid_argument(fmt::format("--require '{}' matches no conversion there can be", pattern));
    bool found = false;
    for (Planned& planned : plan.conversions)
        if (glob_matches(pattern, to_string(planned.conversion))) found = planned.required = true;
    if (found) return;
    const bool offered = std::any_of(info.conversions.begin(), info.conversions.end(),
                                     [&](const Conversion& c) { return glob_matches(pattern, to_string(c)); });
    plan.fixed.push_back(
        offered ? required_row(pattern, Status::untested, "required, but left out by the profile or --filter")
                : required_row(pattern, Status::unsupported, "required, and not offered"));
}

void plan_reproduction(const Subject& subject, const CertifyOptions& options, GoldenSource& golden, Plan& plan) {
    const Reproduction& wanted = *options.reproduce;
    const std::vector<Conversion>& offers = subject.info().conversions;
    if (std::find(offers.begin(), offers.end(), wanted.conversion) == offers.end()) {
        plan.fixed.push_back(required_row(to_string(wanted.conversion), Status::unsupported, "not offered"));
        return;
    }
    Planned planned = plan_conversion(wanted.conversion, plan.profiles, golden);
    if (planned.judges.empty()) {
        plan.fixed.push_back(required_row(to_string(wanted.conversion), Status::untested, "no profile judges it"));
        return;
    }
    planned.points = {{wanted.input, 0, 0}};
    plan.conversions.push_back(std::move(planned));
}

} // namespace

std::vector<Code> boundaries(const Planned& planned) {
    std::vector<Code> firsts;
    for (const Judge& judge : planned.judges) {
        const std::vector<Code> some = firsts_of(judge.permitted);
        firsts.insert(firsts.end(), some.begin(), some.end());
    }
    std::sort(firsts.begin(), firsts.end());
    firsts.erase(std::unique(firsts.begin(), firsts.end()), firsts.end());
    return firsts;
}

std::vector<std::string> default_profiles(const BackendInfo& info) {
    if (!info.profiles.empty()) return info.profiles;
    for (const Claim& claim : claims)
        if (claim.backend == info.name) return {claim.profiles.begin(), claim.profiles.end()};
    const auto offers = [&](std::string_view profile) {
        return std::any_of(info.conversions.begin(), info.conversions.end(), [&](const Conversion& c) {
            const bool has_modes = c.to->name == "e4m3" || c.to->name == "e5m2";
            return has_modes && covers(find_profile(profile), c);
        });
    };
    const bool sat = offers("ocp-sat");
    if (sat != offers("ocp-nosat")) return {sat ? "ocp-sat" : "ocp-nosat"};
    return {"ocp"};
}

std::uint64_t Plan::inputs() const {
    std::uint64_t total = 0;
    for (const Planned& planned : conversions) total += planned.inputs();
    return total;
}

Plan make_plan(const Subject& subject, const CertifyOptions& options, GoldenSource& golden) {
    Plan plan;
    plan.golden = &golden;
    for (const std::string& name : options.profiles.empty() ? default_profiles(subject.info()) : options.profiles) {
        const Profile& profile = find_profile(name);
        if (std::find(plan.profiles.begin(), plan.profiles.end(), &profile) == plan.profiles.end())
            plan.profiles.push_back(&profile);
    }
    if (options.reproduce) {
        plan_reproduction(subject, options, golden, plan);
        return plan;
    }
    for (const Conversion& conversion : subject.info().conversions) {
        const std::string id = to_string(conversion);
        const bool covered = std::any_of(plan.profiles.begin(), plan.profiles.end(),
                                         [&](const Profile* profile) { return covers(*profile, conversion); });
        if (!covered) plan.outside.push_back(id);
        if (!covered || !selected(options.filters, id)) continue;
        Planned planned = plan_conversion(conversion, plan.profiles, golden);
        if (subject.holds_points(conversion)) plan_points(subject, options, planned);
        plan.conversions.push_back(std::move(planned));
    }
    for (const Operation& operation : subject.info().operations) {
        const bool covered = std::any_of(plan.profiles.begin(), plan.profiles.end(),
                                         [&](const Profile* profile) { return covers(*profile, operation); });
        if (!covered) plan.outside.push_back(to_string(operation));
        const std::vector<std::string> rows = row_ids(operation);
        if (covered &&
            std::any_of(rows.begin(), rows.end(), [&](const std::string& id) { return selected(options.filters, id); }))
            plan.operations.push_back(operation);
    }
    std::vector<const Profile*> idle;
    for (const Profile* profile : plan.profiles) {
        const bool judges =
            std::any_of(plan.conversions.begin(), plan.conversions.end(),
                        [&](const Planned& planned) {
                            return std::any_of(planned.judges.begin(), planned.judges.end(),
                                               [&](const Judge& judge) { return judge.profile == profile; });
                        }) ||
            std::any_of(plan.operations.begin(), plan.operations.end(),
                        [&](const Operation& operation) { return covers(*profile, operation); });
        // The other profiles must not pass for this one too. (If none judges anything, nothing passes anyway.)
        if (judges || (plan.conversions.empty() && plan.operations.empty())) continue;
        // What a backend claims beyond the rows that --filter names was not asked for.
        const bool provides =
            std::any_of(profile->provisions.begin(), profile->provisions.end(), [&](const Provision& p) {
                return selected(options.filters, "provision " + std::string(p.clause));
            });
        if (options.profiles.empty() && !options.filters.empty() && !provides) {
            idle.push_back(profile);
            continue;
        }
        plan.fixed.push_back(required_row("profile " + std::string(profile->name), Status::untested,
                                          "it judges none of the conversions"));
        plan.fixed.back().profile = profile->name;
    }
    std::erase_if(plan.profiles,
                  [&](const Profile* profile) { return std::find(idle.begin(), idle.end(), profile) != idle.end(); });
    for (const std::string& pattern : options.required) require(pattern, subject.info(), plan);
    return plan;
}

} // namespace mxcert
