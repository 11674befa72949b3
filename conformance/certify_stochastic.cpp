// SPDX-License-Identifier: Apache-2.0
#include "conformance/certify_stochastic.hpp"

#include <stdexcept>
#include <vector>

#include "conformance/words.hpp"

namespace mxcert {
namespace {

// The answers of every request of the plan, counted; or why there are not all.
RunAnswer ask(Subject& subject, const Operation& operation, const stochastic::Plan& plan, stochastic::Tally& tally) {
    const Conversion& conversion = plan.conversion;
    const std::uint64_t lanes = plan.parameters.lanes;
    RunCase asked;
    asked.shape = {lanes, 0, 0, 0};
    asked.inputs = {Values(lanes, bytes_of(*conversion.from))};
    asked.outputs = {Values(lanes, bytes_of(*conversion.to))};
    asked.row = "distribution";
    std::vector<Code> outputs(lanes);
    for (std::uint64_t request = 0; request < plan.requests(); ++request) {
        // What is never written shows: one of the two bytes is no neighbour of the input.
        asked.once = static_cast<std::uint8_t>(request % 2 == 0 ? 0xA5 : 0x5A);
        const std::vector<Code> values = stochastic::values_of(plan, request);
        for (std::uint64_t lane = 0; lane < lanes; ++lane) asked.inputs[0].set(lane, values[lane]);
        RunAnswer answer = subject.run(operation, asked);
        if (answer.status != Status::pass) return answer;
        for (std::uint64_t lane = 0; lane < lanes; ++lane) outputs[lane] = answer.outputs[0].get(lane);
        tally.add(outputs);
    }
    return {};
}

} // namespace

Row certify_stochastic(Subject& subject, const Operation& operation, const CertifyOptions& options) {
    const Stochastic asked = as_stochastic(operation);
    stochastic::Parameters parameters = options.stochastic;
    if (asked.law_known) parameters.law = {asked.conversion.rounding, asked.conversion.random_bits, 0};
    Row row;
    row.sample = true;
    try {
        const stochastic::Plan plan = stochastic::plan(asked.conversion, parameters);
        stochastic::Tally tally(plan);
        const RunAnswer answer = ask(subject, operation, plan, tally);
        const stochastic::Verdict verdict = stochastic::judge(tally);
        row.status = verdict.status;
        row.reason = verdict.reason;
        row.compared = verdict.compared;
        // Wrong answers among those that came are a FAIL, however it ended.
        if (answer.status != Status::pass && verdict.status != Status::fail) {
            row.status = answer.status;
            row.reason = answer.reason;
            row.detail = answer.detail;
            row.unstable = is_unstable(answer.status);
        }
        for (const stochastic::Counts& counts : tally.counts()) row.differing += counts.other;
        row.differing += tally.fixed_changed();
        if (const BugClass* bug_class = stochastic::bug_class_of(verdict.fault))
            row.known_as = {{bug_class, std::string(to_string(verdict.fault))}};
        if (row.status == Status::fail) row.faults = {std::string(to_string(verdict.fault)) + ": " + verdict.reason};
    } catch (const std::exception& error) {
        row.status = Status::untested; // a test that cannot be trusted has tested nothing
        row.reason = error.what();
    }
    return row;
}

} // namespace mxcert
