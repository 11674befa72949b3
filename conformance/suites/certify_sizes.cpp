// SPDX-License-Identifier: Apache-2.0
#include "conformance/suites/certify_sizes.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "conformance/print/text.hpp"

namespace mxcert::suites {
namespace {

void add(const std::vector<verdict::Row*>& rows, const std::string& text) {
    for (verdict::Row* row : rows) row->reason += (row->reason.empty() ? "" : "; ") + text;
}

void fail(const std::vector<verdict::Row*>& rows, Status status, const std::string& reason, const std::string& detail) {
    for (verdict::Row* row : rows) {
        row->status = status;
        row->reason = reason;
        row->detail = detail;
    }
}

std::string text_of(const frames::RepeatedRun& run, const frames::RepeatedAnswer& answer) {
    const frames::Mismatch& found = answer.mismatch;
    const frames::RepeatedArray& output = run.outputs[answer.output];
    return fmt::format(
        "{} of {} differ from those of a small matrix with the same blocks: output {} has 0x{:0{}X} at row "
        "{}, column {}, and should have 0x{:0{}X}",
        print::counted(found.values, "value"), run.name, answer.output, found.got, 2 * output.width,
        found.first / output.columns, found.first % output.columns, found.wanted, 2 * output.width);
}

} // namespace

bool asks_sizes(const verdict::CertifyOptions& options) {
    return !is_small(options.level) && !options.recorded && !options.only() && options.given().empty();
}

void certify_sizes(observe::Subject& subject, const Operation& operation, const std::vector<SizeQuestion>& questions,
                   const std::vector<verdict::Row*>& rows) {
    std::vector<verdict::Row*> passed;
    std::copy_if(rows.begin(), rows.end(), std::back_inserter(passed),
                 [](const verdict::Row* row) { return row->status == Status::pass; });
    if (passed.empty()) return;
    frames::RunAnswer known{Status::unsupported, {}, {}, {}};
    auto question = questions.begin();
    for (; question != questions.end(); ++question) {
        known = subject.run(operation, question->small);
        if (known.status != Status::unsupported) break;
    }
    if (question == questions.end()) // as the source of some profiles does
        return add(passed, "large matrices were not asked: it refuses " + questions.back().small.name);
    if (known.status != Status::pass)
        return fail(passed, known.status, fmt::format("{}: {}", question->small.name, known.reason), known.detail);
    for (const frames::RepeatedRun& run : question->large(known.outputs)) {
        const frames::RepeatedAnswer answer = subject.run_repeated(operation, run);
        if (answer.status == Status::unsupported && run.may_refuse) {
            add(passed, "refused, as it may: " + run.name);
            continue;
        }
        if (answer.status == Status::untested) {
            add(passed, fmt::format("not asked: {}, {}", run.name, answer.reason));
            continue;
        }
        if (answer.status != Status::pass && (answer.status != Status::fail || !answer.reason.empty()))
            return fail(passed, answer.status, fmt::format("{}: {}", run.name, answer.reason), answer.detail);
        // Not in the digest of the row: a record does not hold them, and they say what the small one said.
        for (verdict::Row* row : passed) {
            row->compared += run.elements;
            row->repeated += run.elements;
            auto& found = std::get<verdict::CaseFindings>(row->found);
            found.largest_matrix = std::max(found.largest_matrix, run.elements);
            row->differing += answer.mismatch.values;
        }
        if (answer.status == Status::fail) return fail(passed, Status::fail, text_of(run, answer), "");
    }
}

} // namespace mxcert::suites
