// SPDX-License-Identifier: Apache-2.0
#include "conformance/html/finding.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "conformance/html/bits.hpp"
#include "conformance/html/heat_map.hpp"
#include "conformance/html/markup.hpp"
#include "conformance/print/text.hpp"
#include "conformance/report/report.hpp"
#include "reference/code_text.hpp"

namespace mxcert::html {
namespace {

// A term and what it is, both HTML.
std::string fact(const char* name, const std::string& value) {
    return value.empty() ? "" : fmt::format("<dt>{}</dt><dd>{}</dd>\n", name, value);
}

std::string class_html(const BugClass& bug_class) {
    return fmt::format("<dl>\n{}{}{}</dl>\n", fact("does", escaped(bug_class.says)),
                       fact("usually", escaped(bug_class.cause)), fact("seen in", escaped(bug_class.reports)));
}

std::string bug_heading(const BugClass& bug_class, const std::string& how) {
    return fmt::format("<h3>Bug: <code class=\"bug\">{}</code>, {}</h3>\n", escaped(bug_class.id), escaped(how));
}

std::string bugs_html(const verdict::Row& row) {
    const verdict::TableFindings* table = verdict::table_of(row);
    std::string text;
    for (const diagnose::NamedBug& bug : verdict::bugs_of(row)) {
        const Format& from = *table->conversion.from;
        std::string facts = fact("explains", fmt::format("{} of {}", print::grouped(bug.inputs),
                                                         print::counted(table->diagnosis.differing, "wrong input"))) +
                            fact("smallest", bits(from, bug.smallest));
        if (bug.roundest != bug.smallest) facts += fact("roundest", bits(from, bug.roundest));
        text += fmt::format("<div class=\"difference\">\n{}{}<dl>\n{}</dl>\n{}</div>\n",
                            bug_heading(*bug.bug_class, bug.how), class_html(*bug.bug_class), facts,
                            command("explain", cases::explain_line(table->conversion, row.profile, bug.smallest)));
    }
    for (const KnownFault& known : row.known_as)
        text += fmt::format("<div class=\"difference\">\n{}{}</div>\n", bug_heading(*known.bug_class, known.how),
                            class_html(*known.bug_class));
    if (table == nullptr || !row.known_as.empty()) return text;
    if (const std::uint64_t unexplained = table->diagnosis.differing - table->diagnosis.explained; unexplained != 0)
        text += fmt::format("<p>No known bug explains {} of {}.</p>\n", print::grouped(unexplained),
                            print::counted(table->diagnosis.differing, "wrong input"));
    return text;
}

std::string culprit_html(const observe::Culprit& culprit, const verdict::Row& row,
                         const cases::Invocation& invocation) {
    const Format& from = *verdict::conversion_of(row)->from;
    std::string facts = fact("input", bits(from, culprit.first));
    if (culprit.inputs > 1)
        facts += fact("to", bits(from, culprit.last)) +
                 fact("only", "within a request of " + print::counted(culprit.inputs, "input"));
    facts += fact("ends", escaped(culprit.how));
    return fmt::format("<div class=\"difference\">\n<dl>\n{}</dl>\n{}</div>\n", facts,
                       culprit.inputs == 1 ? command("again", report::again(row, culprit.first, invocation)) : "");
}

// What is wrong in words, and below the last of one case the command that asks for it.
std::string words_html(const verdict::Row& row, const cases::Invocation& invocation, std::size_t most) {
    const std::span<const std::string> all = verdict::wrong_of(row);
    const std::span<const std::string> wrong = all.first(std::min(most, all.size()));
    const std::span<const inputs::Point> points = verdict::points_of(row);
    std::string text;
    for (std::size_t i = 0; i < wrong.size(); ++i) {
        text += fmt::format("<p class=\"finding\">{}</p>\n", escaped(wrong[i]));
        const std::string line = report::again_finding(row, i, invocation);
        if (i + 1 == wrong.size() || report::again_finding(row, i + 1, invocation) != line)
            text += command("again", line);
        if (i < points.size())
            text += command("explain", cases::explain_line(*verdict::conversion_of(row), row.profile, points[i].input,
                                                           points[i].random));
    }
    if (wrong.empty() && verdict::ended_by(row))
        text += command("again", report::again_case(row, verdict::ended_by(row), invocation));
    return text.empty() ? "" : "<div class=\"difference\">\n" + text + "</div>\n";
}

std::string smallest_html(const verdict::Row& row, const cases::Invocation& invocation) {
    const verdict::CaseFindings* found = verdict::cases_of(row);
    if (found == nullptr || !found->smallest) return {};
    const cases::SmallestCase& smallest = *found->smallest;
    return fmt::format("<h3>The smallest case: {}</h3>\n<p class=\"finding\">{}</p>\n<pre>{}</pre>\n{}",
                       escaped(smallest.sizes), escaped(smallest.finding), escaped(smallest.arrays, true),
                       command("again", report::again_given(row, smallest.given, invocation)));
}

// One wrong answer of a table: the input, what is permitted, what came, and the commands.
std::string difference_html(const Difference& difference, const verdict::Row& row,
                            const cases::Invocation& invocation) {
    const Conversion& conversion = *verdict::conversion_of(row);
    const Format& from = *conversion.from;
    std::string facts =
        fact("input", bits(from, difference.first)) +
        fact("permitted", fmt::format("{} <span>by <code class=\"clause\">{}</code></span>",
                                      bits(*conversion.to, difference.expected), escaped(difference.clause))) +
        fact("got", bits(*conversion.to, difference.got));
    if (difference.first != difference.last)
        facts += fact("the same on", fmt::format("{} to {}, {}", code(code_text(from, difference.first)),
                                                 code(code_text(from, difference.last)),
                                                 print::counted(count_inputs({difference}), "input")));
    return fmt::format("<div class=\"difference\">\n<dl>\n{}</dl>\n{}{}</div>\n", facts,
                       row.unstable ? "" : command("again", report::again(row, difference.first, invocation)),
                       command("explain", cases::explain_line(conversion, row.profile, difference.first)));
}

std::string differences_html(const verdict::Row& row, const cases::Invocation& invocation, std::size_t most) {
    const std::span<const Difference> all = verdict::differences_of(row);
    const std::span<const Difference> shown = all.first(std::min(most, all.size()));
    if (shown.empty()) return {};
    const std::uint64_t ranges = verdict::table_of(row)->ranges;
    std::string text = fmt::format(
        "<h3>{} in {}{}</h3>\n", print::counted(row.differing, "wrong input"), print::counted(ranges, "range"),
        ranges > shown.size() ? fmt::format(", the first {} of them", print::grouped(shown.size())) : "");
    for (const Difference& difference : shown) text += difference_html(difference, row, invocation);
    return text;
}

} // namespace

std::string findings_of(const verdict::Row& row, const cases::Invocation& invocation, std::size_t most) {
    const verdict::TableFindings* table = verdict::table_of(row);
    std::string text = bugs_html(row);
    if (table != nullptr && row.differing != 0) text += map_figure(table->map, "Map of the inputs of " + row.id);
    text +=
        differences_html(row, invocation, most) + words_html(row, invocation, most) + smallest_html(row, invocation);
    for (const observe::Culprit& culprit : verdict::culprits_of(row)) text += culprit_html(culprit, row, invocation);
    if (report::is_shown_by_row(row)) text += command("again", report::again_case(row, {}, invocation));
    if (!row.detail.empty())
        text += fmt::format("<h3>The backend's last words</h3>\n<pre>{}</pre>\n", escaped(row.detail, true));
    return text;
}

} // namespace mxcert::html
