// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "conformance/gate/gate.hpp"
#include "conformance/print/text.hpp"

namespace mxcert::gate {
namespace {

using Outcome = report::ResultRow::Outcome;

// Of the first line of the text what stands behind the name of the row.
std::string message_of(const report::ResultRow& result) {
    const std::string line = result.text.substr(0, result.text.find('\n'));
    const std::size_t name = line.find(print::printable(result.name));
    const std::size_t colon = name == std::string::npos ? name : line.find(": ", name);
    return colon == std::string::npos ? result.type : line.substr(colon + 2);
}

report::ResultRow result_row(const GateRow& row, const cases::Invocation& invocation) {
    report::ResultRow result;
    result.name = row.name.second;
    result.profile = row.name.first;
    result.seconds = row.now.seconds;
    result.compared = row.now.compared;
    result.differing = row.now.differing;
    if (row.standing == Standing::same) return result;
    constexpr std::size_t ranges = 100;
    result.text = gate_row_text(row, invocation, ranges, false);
    result.bugs = report::bugs_named(row.now);
    result.type = to_string(row.standing);
    result.command = report::first_command(row.now, invocation);
    if (row.standing == Standing::acknowledged) {
        result.message = to_string(row.now.status);
        result.acknowledged = fmt::format("until {} by {}: {}", files::date_text(row.was.by.expires), row.was.by.owner,
                                          row.was.by.reason);
        return result;
    }
    result.outcome = row.standing == Standing::unfinished ? Outcome::error : Outcome::failed;
    result.message = message_of(result);
    return result;
}

} // namespace

report::Results gate_results(const std::vector<GateRow>& rows, const report::Report& report,
                             const std::string& verdict) {
    report::Results results = report::results_of_run("gate", report);
    results.exit_code = exit_code(rows, report.interrupted);
    results.verdict = verdict;
    for (const GateRow& row : rows) results.rows.push_back(result_row(row, report.invocation));
    return results;
}

} // namespace mxcert::gate
