// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "conformance/print/text.hpp"
#include "conformance/print/version.hpp"
#include "conformance/report/report.hpp"
#include "conformance/report/results.hpp"

namespace mxcert::report {
namespace {

ResultRow::Outcome outcome(const verdict::Row& row) {
    using enum ResultRow::Outcome;
    switch (row.status) {
    case Status::pass: return passed;
    case Status::unsupported: return row.required ? failed : skipped;
    case Status::error:
    case Status::incomplete: return error;
    default: return failed;
    }
}

ResultRow result_row(const verdict::Row& row, const cases::Invocation& invocation) {
    ResultRow result;
    result.name = row.id;
    result.profile = row.profile;
    result.seconds = row.seconds;
    result.outcome = outcome(row);
    result.compared = row.compared;
    result.differing = row.differing;
    if (result.outcome == ResultRow::Outcome::passed) return result;
    result.type = to_string(row.status);
    result.message = row.reason.empty() ? result.type : row.reason;
    result.text = failure_text(row, invocation);
    result.bugs = bugs_named(row);
    result.command = first_command(row, invocation);
    return result;
}

} // namespace

std::vector<std::string> bugs_named(const verdict::Row& row) {
    std::vector<std::string> ids;
    for (const diagnose::NamedBug& bug : verdict::bugs_of(row)) ids.emplace_back(bug.bug_class->id);
    for (const KnownFault& known : row.known_as) ids.emplace_back(known.bug_class->id);
    return ids;
}

std::string first_command(const verdict::Row& row, const cases::Invocation& invocation) {
    if (!verdict::differences_of(row).empty())
        return again(row, verdict::differences_of(row).front().first, invocation);
    if (const std::vector<std::string> commands = commands_of_findings(row, invocation); !commands.empty())
        return commands.front();
    if (verdict::ended_by(row)) return again_case(row, verdict::ended_by(row), invocation);
    for (const observe::Culprit& culprit : verdict::culprits_of(row))
        if (culprit.inputs == 1) return again(row, culprit.first, invocation);
    return is_shown_by_row(row) ? again_case(row, {}, invocation) : "";
}

Results results_of_run(std::string_view command, const Report& report) {
    Results results;
    results.name = fmt::format("mxcert {} {}", command, report.info.name);
    results.seconds = report.seconds;
    results.started = report.started;
    results.properties = {{"mxcert", std::string(print::tool_version)},
                          {"vectors", report.vectors.version},
                          {"manifest_sha256", report.vectors.manifest_sha256},
                          {"backend", report.info.name + ' ' + report.info.version},
                          {"build_id", report.info.build_id},
                          {"profiles", fmt::format("{}", fmt::join(report.invocation.profiles, " "))},
                          {"level", to_string(report.level)},
                          {"seed", std::to_string(report.seed)}};
    results.command = fmt::format("mxcert {} {}", command, print::shell_word(report.invocation.backend));
    results.argument = report.invocation.backend;
    results.backend = report.info.name;
    results.version = report.info.version;
    results.build_id = report.info.build_id;
    results.host = fmt::format("{} {}, {}", report.host.system, report.host.machine, report.host.cpu);
    return results;
}

Results report_results(const Report& report) {
    Results results = results_of_run("certify", report);
    results.exit_code = exit_code(report);
    results.properties.emplace_back("exit_code", std::to_string(results.exit_code));
    results.verdict = conclusion_of(report, {.all_rows = true}).text;
    for (const verdict::Row& row : report.rows) results.rows.push_back(result_row(row, report.invocation));
    return results;
}

} // namespace mxcert::report
