// SPDX-License-Identifier: Apache-2.0
#include "conformance/record/record_ask.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "conformance/inputs/sample.hpp"
#include "conformance/print/text.hpp"
#include "conformance/suites/ask_operation.hpp"
#include "conformance/suites/registry.hpp"
#include "conformance/verdict/judge.hpp"
#include "vectors/base/parallel.hpp"

namespace mxcert::record {

std::string why_never(const Conversion& conversion) {
    return is_stochastic(conversion.rounding) ? "a stochastic rounding has no table" : "";
}

std::string why_never(const Operation& operation) {
    return suites::suite_of(operation).draws_randomly(operation) ? "it draws random numbers of its own" : "";
}

std::vector<Conversion> selected_conversions(const observe::BackendInfo& info,
                                             const std::vector<std::string>& filters) {
    std::vector<Conversion> selected;
    std::copy_if(info.conversions.begin(), info.conversions.end(), std::back_inserter(selected),
                 [&](const Conversion& conversion) { return print::selected(filters, to_string(conversion)); });
    return selected;
}

std::vector<Operation> selected_operations(const observe::BackendInfo& info, const std::vector<std::string>& filters) {
    const auto is_selected = [&](const Operation& operation) {
        const std::vector<std::string> rows = suites::row_ids(operation);
        return print::selected(filters, to_string(operation)) ||
               std::any_of(rows.begin(), rows.end(), [&](const auto& row) { return print::selected(filters, row); });
    };
    std::vector<Operation> selected;
    std::copy_if(info.operations.begin(), info.operations.end(), std::back_inserter(selected), is_selected);
    return selected;
}

certify::Plan plan_record(const observe::Subject& subject, const verdict::CertifyOptions& options,
                          verdict::GoldenSource& golden) {
    certify::Plan plan;
    plan.golden = &golden;
    for (const Conversion& conversion : selected_conversions(subject.info(), options.filters))
        if (why_never(conversion).empty()) plan.conversions.emplace_back().conversion = conversion;
    std::vector<const Profile*> profiles;
    for (const Profile& profile : all_profiles()) profiles.push_back(&profile);
    // The tables of 64-bit sources take most of the time.
    in_parallel(plan.conversions.size(), 0, [&](std::size_t i) {
        suites::PlannedConversion& planned = plan.conversions[i];
        if (!subject.holds_points(planned.conversion)) return;
        planned.points = subject.answerable(
            planned.conversion, inputs::choose_points(*planned.conversion.from,
                                                      verdict::all_boundaries(planned.conversion, profiles, golden),
                                                      options.samples_per_step, options.seed));
    });
    for (const Operation& operation : selected_operations(subject.info(), options.filters))
        if (why_never(operation).empty()) plan.operations.push_back({operation, false});
    return plan;
}

observe::Observation ask_conversion(observe::Subject& subject, const suites::PlannedConversion& planned) {
    return subject.holds_points(planned.conversion)
               ? subject.observe_points(planned.conversion, planned.points, nullptr)
               : subject.observe(planned.conversion, nullptr);
}

TakenOperation take_operation(observe::Subject& subject, const Operation& operation,
                              const verdict::CertifyOptions& options, verdict::GoldenSource& golden) {
    TakenOperation taken;
    taken.recorded.operation = operation;
    verdict::CertifyOptions asking; // no filters: an operation is recorded whole
    asking.seed = options.seed;
    asking.samples_per_step = options.samples_per_step;
    asking.level = options.level;
    asking.stop = options.stop;
    std::set<std::string> questions;
    bool answered = false;
    suites::ask_operation(operation, asking, golden, [&](const frames::RunCase& run_case) {
        frames::RunAnswer answer = subject.run(operation, run_case);
        if (answer.status != Status::pass && answer.status != Status::unsupported && taken.status == Status::pass) {
            taken.status = answer.status;
            taken.reason = run_case.row + ", " + run_case.name + ": " + answer.reason;
        }
        if (taken.status != Status::pass) return answer;
        answered = answered || answer.status == Status::pass;
        RecordedRun run = record_run(run_case, answer);
        if (questions.insert(run.question).second) taken.recorded.runs.push_back(std::move(run));
        return answer;
    });
    const std::string end = subject.end_runs();
    if (taken.status != Status::pass) return taken;
    if (!end.empty()) {
        taken.status = options.stopped() ? Status::incomplete : Status::error;
        taken.reason = end;
    } else if (!answered) {
        taken.status = taken.recorded.runs.empty() ? Status::untested : Status::unsupported;
        taken.reason = taken.recorded.runs.empty() ? "nothing was asked" : taken.recorded.runs.front().reason;
    }
    return taken;
}

} // namespace mxcert::record
