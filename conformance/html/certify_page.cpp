// SPDX-License-Identifier: Apache-2.0
#include "conformance/html/certify_page.hpp"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "conformance/html/coverage.hpp"
#include "conformance/html/finding.hpp"
#include "conformance/html/markup.hpp"
#include "conformance/html/page.hpp"
#include "conformance/html/run_facts.hpp"
#include "conformance/print/text.hpp"

namespace mxcert::html {
namespace {

constexpr std::size_t most_open = 3; ///< rows that are opened from the start

std::string counts_table(const report::Report& report) {
    std::vector<std::vector<std::string>> lines;
    for (const Status status : {Status::pass, Status::fail, Status::mistrusted, Status::untested, Status::unsupported,
                                Status::error, Status::incomplete})
        if (const std::size_t number = report::count(report, status); number != 0)
            lines.push_back({badge(to_string(status), status), print::grouped(number)});
    return table("counts", {"status", "rows"}, lines);
}

std::string clauses_table(const report::Report& report) {
    std::vector<std::vector<std::string>> lines;
    for (const report::GradedClauses& graded : report::graded_clauses(report.rows)) {
        std::string ids;
        for (const std::string& id : graded.ids) ids += (ids.empty() ? "" : ", ") + code(id);
        if (!ids.empty()) lines.push_back({escaped(to_string(graded.grade)), std::to_string(graded.ids.size()), ids});
    }
    return lines.empty() ? "" : table("clauses", {"source", "clauses", "that judged"}, lines);
}

// A row that is not offered where it need not be is no finding.
bool is_finding(const verdict::Row& row) {
    return row.status != Status::pass && (row.status != Status::unsupported || row.required);
}

// The table of many profiles has a section of its own.
std::string without_table(std::string_view text) {
    std::string out;
    while (!text.empty()) {
        std::string_view line = print::take_line(text);
        if (line.starts_with(' ')) continue;
        if (line.ends_with(':')) line.remove_suffix(1);
        out += fmt::format("{}\n", line);
    }
    return out;
}

std::string all_findings(const report::Report& report) {
    std::string text;
    std::size_t number = 0;
    for (const verdict::Row& row : report.rows) {
        if (!is_finding(row)) continue;
        text += details("row",
                        fmt::format("{} {} {}{}{}", badge(to_string(row.status), row.status), code(row.id),
                                    escaped(row.profile), row.reason.empty() ? "" : ": ", escaped(row.reason)),
                        findings_of(row, report.invocation, report.max_failures), number < most_open);
        ++number;
    }
    return text;
}

} // namespace

std::string certify_page(const report::Report& report) {
    const report::Conclusion conclusion = report::conclusion_of(report, {});
    const std::string sentences = report::conclusion_of(report, {.all_rows = true}).text;
    const std::string each =
        sentences == conclusion.text ? "" : details("list", "A sentence for each profile", paragraphs(sentences));
    Page page{"certify",         subject_text(report), without_table(conclusion.text),
              conclusion.status, run_facts(report),    {}};
    page.sections = {
        {"profiles", "Profiles", counts_table(report) + profiles_table(report.invocation.profiles, report.rows) + each},
        {"findings", "Findings", all_findings(report)},
        {"coverage", "Coverage", coverage_html(report.rows)},
        {"clauses", "Clauses that judged", clauses_table(report)},
        {"notes", "Notes", paragraphs(report::notes_text(report, {.all_rows = true}))},
    };
    return page_html(page);
}

} // namespace mxcert::html
