// SPDX-License-Identifier: Apache-2.0
#include "conformance/suites/conversion/certify_conversion.hpp"

#include <map>
#include <optional>

#include <fmt/format.h>

#include "conformance/print/text.hpp"

namespace mxcert::suites {
namespace {

observe::Observation observe(observe::Subject& subject, const PlannedConversion& planned,
                             const verdict::CertifyOptions& options) {
    observe::Observation seen;
    seen.conversion = planned.conversion;
    if (options.stopped()) {
        seen.status = Status::incomplete;
        seen.reason = "stopped before it was asked";
        return seen;
    }
    if (planned.points.empty() && !subject.holds_points(planned.conversion))
        return subject.observe(planned.conversion, {&planned.permitted, &planned.agreed});
    seen = subject.observe_points(planned.conversion, planned.points, &planned.permitted);
    if (seen.status == Status::pass && seen.points.size() != planned.points.size()) {
        seen.status = Status::incomplete;
        seen.reason = fmt::format("{} of {} came back", print::grouped(seen.points.size()),
                                  print::counted(planned.points.size(), "input"));
    }
    if (seen.status == Status::pass && planned.unasked != 0) {
        seen.status = Status::incomplete;
        seen.reason = fmt::format("{} at a boundary of what is permitted {} never asked",
                                  print::counted(planned.unasked, "input"), planned.unasked == 1 ? "was" : "were");
    }
    return seen;
}

// Whether the first wrong answer of a row comes again when its input is asked alone: else it takes the whole row.
void ask_alone(observe::Subject& subject, std::vector<verdict::Row>& rows) {
    std::map<Code, std::optional<Code>> answers; // to inputs that were asked alone
    for (verdict::Row& row : rows) {
        const std::span<const Difference> differences = verdict::differences_of(row);
        if (row.status != Status::fail || row.unstable || differences.empty()) continue;
        const Difference& first = differences.front();
        if (answers.find(first.first) == answers.end()) {
            const observe::Observation alone =
                subject.observe_points(*verdict::conversion_of(row), {{first.first, 0, 0}}, nullptr);
            answers[first.first] = alone.points.size() == 1 ? std::optional(alone.points.front().got) : std::nullopt;
        }
        const std::optional<Code> answer = answers.at(first.first);
        row.unstable = answer && *answer != first.got;
    }
}

} // namespace

std::vector<verdict::Row> certify_conversion(observe::Subject& subject, const PlannedConversion& planned,
                                             const verdict::CertifyOptions& options) {
    const observe::Observation seen = observe(subject, planned, options);
    std::vector<verdict::Row> rows;
    for (const verdict::Judge& judge : planned.judges) {
        rows.push_back(verdict::judge_by(judge, seen, options));
        rows.back().required = planned.required;
    }
    if (options.shrinks(subject) && !options.reproduce) ask_alone(subject, rows);
    return rows;
}

} // namespace mxcert::suites
