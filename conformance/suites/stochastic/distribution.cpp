// SPDX-License-Identifier: Apache-2.0
#include "conformance/suites/stochastic/distribution.hpp"

#include <stdexcept>
#include <vector>

#include "conformance/frames/words.hpp"
#include "conformance/print/text.hpp"
#include "conformance/suites/certify_sizes.hpp"
#include "conformance/suites/stochastic/stochastic.hpp"

namespace mxcert::suites {
namespace {

// The answers of every request of the plan, counted; or why there are not all.
frames::RunAnswer ask(observe::Subject& subject, const Operation& operation, const stochastic::Plan& plan,
                      stochastic::Tally& tally) {
    const Conversion& conversion = plan.conversion;
    const std::uint64_t lanes = plan.parameters.lanes;
    frames::RunCase run_case;
    run_case.shape = {lanes, 0, 0, 0};
    run_case.inputs = {frames::Values(lanes, frames::bytes_of(*conversion.from))};
    run_case.outputs = {frames::Values(lanes, frames::bytes_of(*conversion.to))};
    run_case.row = "distribution";
    std::vector<Code> outputs(lanes);
    for (std::uint64_t request = 0; request < plan.requests(); ++request) {
        // What is never written shows: one of the two bytes is no neighbour of the input.
        run_case.once = static_cast<std::uint8_t>(request % 2 == 0 ? 0xA5 : 0x5A);
        const std::vector<Code> values = stochastic::values_of(plan, request);
        for (std::uint64_t lane = 0; lane < lanes; ++lane) run_case.inputs[0].set(lane, values[lane]);
        frames::RunAnswer answer = subject.run(operation, run_case);
        if (answer.status != Status::pass) return answer;
        for (std::uint64_t lane = 0; lane < lanes; ++lane) outputs[lane] = answer.outputs[0].get(lane);
        tally.add(outputs);
    }
    return {};
}

/// Calls of many values whose answers no random bit may change, again and again. Any NaN will do, so none is among
/// them.
SizeQuestion size_question(const stochastic::Plan& plan, Level level) {
    const Conversion& conversion = plan.conversion;
    std::vector<Code> codes;
    for (const stochastic::Fixed& fixed : plan.fixed)
        if (!conversion.to->is_nan(fixed.expected)) codes.push_back(fixed.code);
    frames::RunCase small;
    small.shape = {codes.size(), 0, 0, 0};
    small.inputs = {frames::Values(codes.size(), frames::bytes_of(*conversion.from))};
    small.outputs = {frames::Values(codes.size(), frames::bytes_of(*conversion.to))};
    small.row = "distribution";
    small.name = print::counted(codes.size(), "value");
    for (std::size_t i = 0; i < codes.size(); ++i) small.inputs[0].set(i, codes[i]);
    return {small, [small, level](const std::vector<frames::Values>& answers) {
                std::vector<frames::RepeatedRun> runs;
                for (const std::uint64_t count : large_counts(level)) {
                    const auto repeated = [&](const frames::Values& values) {
                        return frames::RepeatedArray{
                            count, values.width(), count, {{values.bytes().begin(), values.bytes().end()}}};
                    };
                    frames::RepeatedRun run;
                    run.shape = {count, 0, 0, 0};
                    run.inputs = {repeated(small.inputs[0])};
                    run.outputs = {repeated(answers[0])};
                    run.elements = count;
                    run.name = print::counted(count, "value");
                    runs.push_back(std::move(run));
                }
                return runs;
            }};
}

} // namespace

void describe(verdict::Row& row, const stochastic::Tally& tally, const stochastic::Verdict& verdict,
              const frames::RunAnswer& answer) {
    row.status = verdict.status;
    row.reason = verdict.reason;
    row.compared = verdict.compared;
    // Wrong answers among those that came are a FAIL, however it ended.
    if (answer.status != Status::pass && verdict.status != Status::fail) {
        row.status = answer.status;
        row.reason = answer.reason;
        row.detail = answer.detail;
        row.unstable = frames::is_unstable(answer.status);
    }
    for (const stochastic::Counts& counts : tally.counts()) row.differing += counts.other;
    row.differing += tally.fixed_changed();
    if (const BugClass* bug_class = stochastic::bug_class_of(verdict.fault))
        row.known_as = {{bug_class, std::string(to_string(verdict.fault))}};
    if (row.status == Status::fail)
        row.found.emplace<verdict::CaseFindings>().wrong = {std::string(to_string(verdict.fault)) + ": " +
                                                            verdict.reason};
}

verdict::Row certify_distribution(observe::Subject& subject, const Operation& operation,
                                  const verdict::CertifyOptions& options) {
    const Stochastic stochastic = as_stochastic(operation);
    stochastic::Parameters parameters = options.stochastic;
    if (stochastic.law_known) parameters.law = {stochastic.conversion.rounding, stochastic.conversion.random_bits, 0};
    verdict::Row row;
    row.found.emplace<verdict::CaseFindings>();
    row.sample = true;
    try {
        const stochastic::Plan plan = stochastic::plan(stochastic.conversion, parameters);
        stochastic::Tally tally(plan);
        const frames::RunAnswer answer = ask(subject, operation, plan, tally);
        const stochastic::Verdict verdict = stochastic::judge(tally);
        describe(row, tally, verdict, answer);
        if (asks_sizes(options)) certify_sizes(subject, operation, {size_question(plan, options.level)}, {&row});
    } catch (const std::exception& error) {
        row.status = Status::untested; // a test that cannot be trusted has tested nothing
        row.reason = error.what();
    }
    return row;
}

std::vector<verdict::Row> rows_of_all(const SuiteRun& run, std::string_view part, const verdict::Row& of_all) {
    std::vector<verdict::Row> rows;
    for (const Profile* profile : run.profiles) {
        verdict::Row& row = rows.emplace_back(of_all);
        row.id = run.id(part);
        row.operation = to_string(run.operation);
        row.profile = profile->name;
    }
    return rows;
}

} // namespace mxcert::suites
