// SPDX-License-Identifier: Apache-2.0
#include "conformance/html/gate_page.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "conformance/html/coverage.hpp"
#include "conformance/html/finding.hpp"
#include "conformance/html/markup.hpp"
#include "conformance/html/page.hpp"
#include "conformance/html/run_facts.hpp"
#include "conformance/print/text.hpp"

namespace mxcert::html {
namespace {

using gate::Standing;

Status tone_of_standing(Standing standing) {
    if (gate::is_different(standing)) return Status::fail;
    return standing == Standing::unfinished ? Status::incomplete : Status::pass;
}

std::string standings_table(const std::vector<gate::GateRow>& rows) {
    std::map<Standing, std::uint64_t> counts;
    for (const gate::GateRow& row : rows) ++counts[row.standing];
    std::vector<std::vector<std::string>> lines;
    for (const auto& [standing, count] : counts)
        lines.push_back({badge(gate::to_string(standing), tone_of_standing(standing)), print::grouped(count)});
    return table("counts", {"result", "rows"}, lines);
}

// The lines below the head of a row: one is a sentence, several are a table.
std::string said_html(std::string_view said) {
    if (said.empty()) return {};
    if (said.find('\n') + 1 != said.size()) return "<pre>" + escaped(said, true) + "</pre>\n";
    said.remove_prefix(std::min(said.find_first_not_of(' '), said.size()));
    said.remove_suffix(1);
    return "<p>" + escaped(said) + "</p>\n";
}

// What the command prints of a row, then what was found in it; of an acknowledged one the word that stands for it.
std::string rows_html(const std::vector<gate::GateRow>& rows, const report::Report& report, std::size_t most,
                      bool acknowledged) {
    std::string text;
    for (const gate::GateRow& row : rows) {
        if (row.standing == Standing::same || (row.standing == Standing::acknowledged) != acknowledged) continue;
        std::string said = gate::gate_row_text(row, report.invocation, most, false);
        const std::size_t first_line = said.find('\n');
        const std::size_t colon = said.find(": ");
        const std::string reason = colon < first_line ? said.substr(colon + 2, first_line - colon - 2) : "";
        said.erase(0, first_line == std::string::npos ? said.size() : first_line + 1);
        const bool has_findings = !row.now.id.empty() && row.now.status != Status::pass;
        const std::string head =
            fmt::format("{} {} {}{}{}", badge(gate::to_string(row.standing), tone_of_standing(row.standing)),
                        code(row.name.second), escaped(row.name.first), reason.empty() ? "" : ": ", escaped(reason));
        const std::string body = said_html(said) + (has_findings ? findings_of(row.now, report.invocation, most) : "");
        text += body.empty() ? "<p class=\"row\">" + head + "</p>\n" : details("row", head, body);
    }
    return text;
}

} // namespace

std::string gate_page(const std::vector<gate::GateRow>& rows, const report::Report& report, const GateVerdict& verdict,
                      std::size_t most) {
    const Status status = verdict.exit_code == 0   ? Status::pass
                          : verdict.exit_code == 1 ? Status::fail
                                                   : Status::incomplete;
    Page page{"gate", subject_text(report), verdict.sentence, status, run_facts(report), {}};
    page.facts.insert(page.facts.begin(), {"Baseline", verdict.baseline});
    std::erase_if(page.facts, [](const auto& fact) { return fact.first == "Certificate"; });
    page.sections = {
        {"baseline", "Rows by result", standings_table(rows)},
        {"findings", "Differences from the baseline", rows_html(rows, report, most, false)},
        {"acknowledged", "Acknowledged", rows_html(rows, report, most, true)},
        {"profiles", "Profiles", profiles_table(report.invocation.profiles, report.rows)},
        {"coverage", "Coverage", coverage_html(report.rows)},
    };
    return page_html(page);
}

} // namespace mxcert::html
