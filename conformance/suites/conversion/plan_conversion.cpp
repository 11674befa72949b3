// SPDX-License-Identifier: Apache-2.0
#include "conformance/suites/conversion/plan_conversion.hpp"

#include <algorithm>

#include "conformance/inputs/sample.hpp"

namespace mxcert::suites {
namespace {

// What either table permits, or both, clause of the first.
PermitTable combine(const PermitTable& a, const PermitTable& b,
                    Permit (*of_both)(const Permit&, const Permit&, const Format&)) {
    PermitTable both{a.from, a.to, {}};
    for (std::size_t i = 0, j = 0; i < a.steps.size() && j < b.steps.size();) {
        const PermitStep& left = a.steps[i];
        const PermitStep& right = b.steps[j];
        const Code last = std::min(left.last, right.last);
        PermitStep step{std::max(left.first, right.first), last, of_both(left.permit, right.permit, *a.to),
                        left.clause};
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

} // namespace

PlannedConversion plan_conversion(const Conversion& conversion, const std::vector<const Profile*>& profiles,
                                  verdict::GoldenSource& golden) {
    PlannedConversion planned;
    planned.conversion = conversion;
    planned.judges = verdict::judges_of(conversion, profiles, golden);
    for (const verdict::Judge& judge : planned.judges) {
        if (planned.permitted.steps.empty()) {
            planned.permitted = planned.agreed = judge.permitted;
            continue;
        }
        planned.permitted = combine(planned.permitted, judge.permitted, unite);
        planned.agreed = combine(planned.agreed, judge.permitted, intersect);
    }
    return planned;
}

void plan_points(const observe::Subject& subject, const verdict::CertifyOptions& options, PlannedConversion& planned) {
    const std::vector<Code> firsts = verdict::boundaries(planned.judges);
    const Format& from = *planned.conversion.from;
    const std::vector<inputs::Point> chosen =
        inputs::choose_points(from, firsts, options.samples_per_step, options.seed);
    planned.points = subject.answerable(planned.conversion, chosen);
    const bool is_whole = std::equal(planned.points.begin(), planned.points.end(), chosen.begin(), chosen.end(),
                                     [](const inputs::Point& a, const inputs::Point& b) { return a.input == b.input; });
    if (is_whole) return; // the boundaries are among them
    for (const inputs::Point& needed : inputs::boundary_points(from, firsts))
        if (!std::binary_search(planned.points.begin(), planned.points.end(), needed,
                                [](const inputs::Point& a, const inputs::Point& b) { return a.input < b.input; }))
            ++planned.unasked;
}

} // namespace mxcert::suites
