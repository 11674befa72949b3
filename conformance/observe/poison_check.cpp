// SPDX-License-Identifier: Apache-2.0
#include "conformance/observe/poison_check.hpp"

#include <algorithm>
#include <string>

namespace mxcert::observe {

bool constant_is_permitted(const PermitTable& permitted) {
    const auto exact = std::find_if(permitted.steps.begin(), permitted.steps.end(),
                                    [](const PermitStep& step) { return !step.permit.any_nan; });
    if (exact == permitted.steps.end()) return true;
    return std::any_of(exact->permit.codes.begin(), exact->permit.codes.end(), [&](Code code) {
        return std::all_of(permitted.steps.begin(), permitted.steps.end(),
                           [&](const PermitStep& step) { return permits(step.permit, code, *permitted.to); });
    });
}

bool points_look_constant(const std::vector<inputs::Point>& points, const PermitTable& permitted) {
    const Code code = points.front().got;
    if (std::any_of(points.begin(), points.end(), [code](const inputs::Point& point) { return point.got != code; }))
        return false;
    PermitTable seen{permitted.from, permitted.to, {}};
    for (const inputs::Point& point : points) {
        const PermitStep& step = permitted.steps[find_step(permitted, point.input)];
        if (seen.steps.empty() || seen.steps.back().first != step.first) seen.steps.push_back(step);
    }
    return !constant_is_permitted(seen);
}

void check_poison(Observation& observation, const Schedule::Outcome& outcome) {
    const bool is_unwritten = outcome.unwritten != 0;
    const bool is_changed = outcome.failure && outcome.failure->status == Status::fail;
    observation.unstable =
        is_unwritten || is_changed || (outcome.failure && outcome.failure->status == Status::mistrusted);
    if (outcome.failure && !(is_unwritten && is_changed)) {
        observation.status = outcome.failure->status;
        observation.reason = outcome.failure->reason;
        observation.detail = outcome.failure->detail;
        if (outcome.failures > 1)
            observation.reason += "; " + std::to_string(outcome.failures) + " requests failed" +
                                  (outcome.failures == Schedule::max_failures ? ", given up" : "");
    } else if (is_unwritten) {
        observation.status = Status::mistrusted;
        observation.reason = std::to_string(outcome.unwritten) + " of " + std::to_string(outcome.asked) +
                             " values of the output were not written: " + outcome.unwritten_at;
        if (is_changed) observation.reason += "; also " + outcome.failure->reason;
    } else if (outcome.irregular) {
        observation.status = Status::incomplete;
        observation.reason = "irregular: more than " + std::to_string(Schedule::max_steps) + " steps, the first " +
                             std::to_string(outcome.answered) + " inputs are kept";
    } else if (outcome.stopped) { // also where all was answered: what checks the answers was not done
        observation.status = Status::incomplete;
        observation.reason = "stopped";
    } else {
        observation.status = Status::pass;
    }
}

} // namespace mxcert::observe
