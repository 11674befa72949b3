// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>
#include <utility>

#include "conformance/certify/certify.hpp"
#include "conformance/certify/leave_out.hpp"
#include "conformance/inputs/sample.hpp"
#include "conformance/print/text.hpp"
#include "conformance/record/record.hpp"
#include "conformance/suites/ask_operation.hpp"
#include "conformance/suites/registry.hpp"
#include "conformance/verdict/golden_source.hpp"

namespace mxcert::record {
namespace {

observe::Observation observe(observe::Subject& subject, const Conversion& conversion, const RecordOptions& options,
                             verdict::GoldenSource& golden) {
    observe::Observation seen;
    seen.conversion = conversion;
    if (is_stochastic(conversion.rounding)) {
        seen.status = Status::untested;
        seen.reason = "a stochastic rounding has no table";
        return seen;
    }
    if (options.stop != nullptr && options.stop->load()) {
        seen.status = Status::incomplete;
        seen.reason = "stopped before it was asked";
        return seen;
    }
    std::vector<inputs::Point> points;
    const bool by_points = subject.holds_points(conversion);
    if (by_points) {
        std::vector<const Profile*> profiles;
        for (const Profile& profile : all_profiles()) profiles.push_back(&profile);
        points = subject.answerable(
            conversion, inputs::choose_points(*conversion.from, verdict::all_boundaries(conversion, profiles, golden),
                                              options.samples_per_step, options.seed));
    }
    if (options.started)
        options.started(to_string(conversion), points.empty() ? conversion.from->last_code() + 1 : points.size());
    return by_points ? subject.observe_points(conversion, points, nullptr) : subject.observe(conversion, nullptr);
}

bool stopped(const RecordOptions& options) { return options.stop != nullptr && options.stop->load(); }

/// What an operation answered, and how that ended: pass, or why it is not recorded.
struct Taken {
    RecordedOperation recorded;
    Status status = Status::pass;
    std::string reason;
};

Taken take_operation(observe::Subject& subject, const Operation& operation, const RecordOptions& options,
                     verdict::GoldenSource& golden) {
    Taken taken;
    taken.recorded.operation = operation;
    if (suites::suite_of(operation).draws_randomly(operation)) {
        taken.status = Status::untested;
        taken.reason = "it draws random numbers of its own";
        return taken;
    }
    if (stopped(options)) {
        taken.status = Status::incomplete;
        taken.reason = "stopped before it was asked";
        return taken;
    }
    if (options.started) options.started(to_string(operation), 0);
    verdict::CertifyOptions asking;
    asking.seed = options.seed;
    asking.samples_per_step = options.samples_per_step;
    asking.level = options.level.level;
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
    if (taken.status == Status::pass && !answered) {
        taken.status = taken.recorded.runs.empty() ? Status::untested : Status::unsupported;
        taken.reason = taken.recorded.runs.empty() ? "nothing was asked" : taken.recorded.runs.front().reason;
    }
    return taken;
}

void take_operations(observe::Subject& subject, const RecordOptions& options, verdict::GoldenSource& golden,
                     Record& record) {
    for (const Operation& operation : subject.info().operations) {
        const std::vector<std::string> rows = suites::row_ids(operation);
        if (!print::selected(options.filters, to_string(operation)) &&
            std::none_of(rows.begin(), rows.end(),
                         [&](const auto& row) { return print::selected(options.filters, row); }))
            continue;
        Taken taken = take_operation(subject, operation, options, golden);
        if (options.asked) options.asked(taken.recorded, taken.status, taken.reason);
        if (taken.status != Status::pass) {
            record.unrecorded.push_back({to_string(operation), taken.status, taken.reason});
            continue;
        }
        record.info.operations.push_back(operation);
        record.operations.push_back(std::move(taken.recorded));
    }
    const std::string reason = subject.end_runs();
    if (!reason.empty())
        record.unrecorded.push_back({"operations", stopped(options) ? Status::incomplete : Status::error, reason});
}

} // namespace

Record take_record(observe::Subject& subject, const RecordOptions& options) {
    Record record;
    verdict::GoldenSource golden;
    record.info = subject.info();
    record.info.conversions.clear();
    record.info.operations.clear();
    record.samples_per_step = options.samples_per_step;
    record.level = options.level;
    record.backend_options = options.backend_options;
    record.seed = options.seed;
    record.filters = options.filters;
    // What is stored already may be a part, and then so is this.
    record.left_out = subject.left_out();
    record.tells_left_out = subject.selection().empty();
    for (const Conversion& conversion : subject.info().conversions) {
        if (!print::selected(options.filters, to_string(conversion))) continue;
        observe::Observation seen = observe(subject, conversion, options, golden);
        if (options.observed) options.observed(seen);
        if (seen.status != Status::pass) {
            record.unrecorded.push_back({to_string(conversion), seen.status, seen.reason});
            continue;
        }
        record.info.conversions.push_back(conversion);
        record.conversions.push_back(
            {conversion, std::move(seen.table), std::move(seen.points), seen.repeated, seen.places});
    }
    take_operations(subject, options, golden, record);
    const auto add_missing = [&](const auto& offers) {
        for (const auto& offer : offers)
            if (find_recorded(record, offer) == nullptr) record.left_out.push_back(to_string(offer));
    };
    add_missing(subject.info().conversions);
    add_missing(subject.info().operations);
    return record;
}

} // namespace mxcert::record
