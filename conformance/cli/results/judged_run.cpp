// SPDX-License-Identifier: Apache-2.0
#include "conformance/cli/results/judged_run.hpp"

#include <atomic>
#include <filesystem>
#include <map>

#include <fmt/format.h>

#include "conformance/certify/plan_list.hpp"
#include "conformance/cli/commands.hpp"
#include "conformance/evidence/statement.hpp"
#include "conformance/html/certify_page.hpp"
#include "conformance/print/text.hpp"
#include "conformance/report/report_families.hpp"
#include "conformance/verdict/exit_code.hpp"
#include "vectors/base/sha256.hpp"

namespace mxcert::cli {

void judge_run(observe::Subject& subject, const certify::Plan& plan, const verdict::CertifyOptions& certifying,
               Running& running, const RunLines& lines, report::Report& report) {
    report::RowColumns columns{plan.profiles.size() > 1};
    for (const suites::PlannedConversion& planned : plan.conversions) columns.fit(planned.conversion);
    for (const suites::GivenBits& bits : plan.given_bits) columns.fit(bits.conversion);
    running.expect(plan.inputs());
    std::vector<std::string> families; // of what has a line
    std::map<std::string, print::ExpectedWork> piece_by_name;
    for (const suites::PlannedConversion& planned : plan.conversions)
        families.push_back(report::family_of(planned.conversion));
    const auto add_work = [&](const std::string& name, const print::ExpectedWork& piece) {
        families.push_back(piece.family);
        running.progress().expect_work(piece);
        piece_by_name[name] = piece;
    };
    for (const suites::GivenBits& bits : plan.given_bits)
        add_work(to_string(bits.conversion),
                 {report::family_of(bits.conversion), certify::expected_seconds_of_given_bits(certifying.level)});
    for (const certify::PlannedOperation& planned : plan.operations)
        add_work(to_string(planned.operation),
                 {report::family_of(planned.operation), certify::expected_seconds(planned, certifying)});
    report::RowLines row_lines(columns, families, lines.view);
    if (certifying.level > Level::quick) {
        cases::Invocation invocation = report.invocation;
        invocation.profiles = certifying.profiles;
        running.progress().advise(cases::quick_line(invocation, report.filters));
    }
    certify::CertifyEvents events;
    events.started = [&](const std::string& name, std::uint64_t inputs) {
        if (piece_by_name.contains(name))
            running.progress().start_work(name);
        else
            running.progress().start(name, inputs);
    };
    events.ended = [&](const std::string& name) { running.progress().finish_work(name, piece_by_name.at(name)); };
    std::atomic<bool> is_enough = false;
    events.judged = [&](const std::vector<verdict::Row>& rows, double seconds) {
        running.progress().finish();
        running.progress().clear();
        fmt::print(lines.people, "{}", row_lines.add(rows, seconds));
        std::fflush(lines.people);
        const int code = verdict::exit_code(rows);
        if (lines.fail_fast && (code == exit_failed || code == exit_unfinished)) is_enough = true;
    };
    events.turned = [&](const observe::TurnsSeen& seen) {
        running.progress().finish();
        running.progress().clear();
        if (seen.status != Status::untested) report.turns = seen;
    };
    std::atomic<bool> is_cut = false;
    events.is_enough = [&] {
        if (is_enough) is_cut = true;
        return is_enough.load();
    };
    if (!lines.quiet) fmt::print(lines.people, "{}", row_lines.heading());
    report.rows = certify::certify(subject, plan, certifying, events);
    fmt::print(lines.people, "{}", row_lines.finish());
    // What was compared before the signal may be a FAIL, and then the row says that.
    report.interrupted = running.stop().load() && report::count(report, Status::pass) != report.rows.size();
    if (is_cut) report.interrupted = report.failed_fast = true;
}

const std::vector<std::string>& report_file_names() {
    static const std::vector<std::string> names{"report.json", "junit.xml", "summary.txt", "certificate.json",
                                                evidence::statement_file};
    return names;
}

void conclude_run(const report::Report& report, const ResultOptions& options, ResultFiles& files, const RunLines& lines,
                  const std::function<evidence::Surroundings()>& surroundings) {
    for (const verdict::Row& row : report.rows)
        if (const std::string text = report::failure_text(row, report.invocation, lines.view); !text.empty())
            fmt::print(lines.people, "\n{}", text);
    fmt::print(lines.people, "{}{}", lines.quiet ? "" : "\n", report::verdict_text(report, lines.view));
    if (!options.report.empty())
        fmt::print(lines.people, "Report: {}\n",
                   print::printable((std::filesystem::path(options.report) / "").string()));
    std::fflush(lines.people);
    const report::Results results = report::report_results(report);
    const std::string json = report::report_json(report);
    std::vector<std::pair<std::string, std::string>> in_folder{{"report.json", json},
                                                               {"junit.xml", report::junit_xml(results)},
                                                               {"summary.txt", report::summary_text(report)}};
    if (report::is_certificate(report)) in_folder.emplace_back("certificate.json", json);
    // Without a build there is nothing that the statement could be about.
    if (!options.report.empty() && !report.info.build_id.empty())
        in_folder.emplace_back(evidence::statement_file, files::json_text(evidence::statement_of(
                                                             files::Json::parse(json), sha256(json), surroundings())));
    files.write(
        results, json, [&] { return html::certify_page(report); }, in_folder);
}

} // namespace mxcert::cli
