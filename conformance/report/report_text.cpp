// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iterator>
#include <set>

#include <fmt/format.h>

#include "conformance/observe/subject.hpp"
#include "conformance/print/progress.hpp"
#include "conformance/print/terminal.hpp"
#include "conformance/print/text.hpp"
#include "conformance/print/wrap.hpp"
#include "conformance/report/report.hpp"
#include "reference/code_text.hpp"
#include "vectors/tables/permit.hpp"

namespace mxcert::report {
namespace {

constexpr std::size_t profile_width = 17;
constexpr std::size_t number_width = 14;
constexpr std::size_t status_width = 12;

std::string first_counterexample(const verdict::Row& row) {
    if (!verdict::wrong_of(row).empty()) return print::printable(verdict::wrong_of(row).front());
    if (verdict::differences_of(row).empty()) return print::printable(row.reason);
    const Difference& d = verdict::differences_of(row).front();
    const Conversion& conversion = *verdict::conversion_of(row);
    const Format& to = *conversion.to;
    return fmt::format("{} gives {}, not {} [{}]", code_text(*conversion.from, d.first), code_text(to, d.got),
                       shown(d.expected, to), d.clause);
}

std::string code_line(std::string_view label, const Format& format, Code code) {
    return fmt::format("    {:<9} {:<18}  {}\n", label, code_text(format, code), print::value_text(format, code));
}

std::string expected_line(const Difference& d, const Format& to) {
    std::string values;
    for (const Code code : d.expected.codes) values += (values.empty() ? "" : " or ") + print::value_text(to, code);
    if (d.expected.any_nan) values += values.empty() ? "any NaN" : " or any NaN";
    return fmt::format("    {:<9} {:<18}  {}  by {}\n", "expected", shown(d.expected, to), values, d.clause);
}

std::string difference_text(const Difference& d, const verdict::Row& row, const cases::Invocation& invocation) {
    const Conversion& conversion = *verdict::conversion_of(row);
    const Format& from = *conversion.from;
    std::string text =
        code_line("input", from, d.first) + expected_line(d, *conversion.to) + code_line("got", *conversion.to, d.got);
    if (d.first != d.last)
        text += fmt::format("    the same on {} to {}, {}\n", code_text(from, d.first), code_text(from, d.last),
                            print::counted(count_inputs({d}), "input"));
    if (!row.unstable) text += "    again:    " + again(row, d.first, invocation) + "\n";
    return text + "    explain:  " + cases::explain_line(conversion, row.profile, d.first) + "\n";
}

std::string culprit_text(const observe::Culprit& c, const verdict::Row& row, const cases::Invocation& invocation) {
    const Format& from = *verdict::conversion_of(row)->from;
    if (c.inputs > 1)
        return code_line("inputs", from, c.first) + code_line("to", from, c.last) +
               fmt::format("    {:<9} {}, only within a request of {}\n", "ends", print::printable(c.how),
                           print::counted(c.inputs, "input"));
    return code_line("input", from, c.first) + fmt::format("    {:<9} {}\n", "ends", print::printable(c.how)) +
           "    again:    " + again(row, c.first, invocation) + "\n";
}

// Faults of one case after the other, then the command that asks for that case.
std::string findings_text(const verdict::Row& row, const cases::Invocation& invocation) {
    const std::span<const std::string> wrong = verdict::wrong_of(row);
    const std::span<const inputs::Point> points = verdict::points_of(row);
    std::string text;
    for (std::size_t i = 0; i < wrong.size(); ++i) {
        text += "    " + print::printable(wrong[i]) + "\n";
        const std::string command = again_finding(row, i, invocation);
        if (i + 1 == wrong.size() || again_finding(row, i + 1, invocation) != command)
            text += "    again:    " + command + "\n";
        if (i < points.size())
            text += "    explain:  " +
                    cases::explain_line(*verdict::conversion_of(row), row.profile, points[i].input, points[i].random) +
                    "\n";
    }
    return text;
}

std::string indented(std::string_view text, std::string_view margin) {
    std::string out;
    while (!text.empty()) {
        const std::string_view line = print::take_line(text);
        if (!line.empty()) out += fmt::format("{}{}\n", margin, line);
    }
    return out;
}

// The smallest case that was found, as arrays and as the command that asks for it.
std::string smallest_text(const verdict::Row& row, const cases::Invocation& invocation) {
    const verdict::CaseFindings* found = verdict::cases_of(row);
    if (found == nullptr || !found->smallest) return {};
    const cases::SmallestCase& smallest_case = *found->smallest;
    return fmt::format("  smallest: {}, of {} {} matter{}\n    {}\n", smallest_case.sizes,
                       print::counted(smallest_case.codes, "code"), print::grouped(smallest_case.telling),
                       smallest_case.telling == 1 ? "s" : "", print::printable(smallest_case.finding)) +
           indented(smallest_case.arrays, "    ") +
           fmt::format("    again:    {}\n", again_given(row, smallest_case.given, invocation));
}

std::string class_text(const BugClass& bug_class) {
    return fmt::format("    {}\n    usually {}\n", bug_class.says, bug_class.cause);
}
std::string seen_text(const BugClass& bug_class) {
    return bug_class.reports.empty() ? "" : fmt::format("    seen in   {}\n", bug_class.reports);
}

// What gives the answers to an operation's cases, by the classes of bugs; each alone does.
std::string known_text(const std::vector<KnownFault>& faults) {
    std::vector<const BugClass*> classes;
    for (const KnownFault& known : faults)
        if (std::find(classes.begin(), classes.end(), known.bug_class) == classes.end())
            classes.push_back(known.bug_class);
    std::string text;
    for (const BugClass* bug_class : classes) {
        std::vector<KnownFault> of_class;
        std::copy_if(faults.begin(), faults.end(), std::back_inserter(of_class),
                     [&](const KnownFault& known) { return known.bug_class == bug_class; });
        text += fmt::format("  {}{}: {}\n", text.empty() ? "" : "or ", bug_class->id, mxcert::text(of_class));
        text += class_text(*bug_class) + seen_text(*bug_class);
    }
    return text;
}

// What is wrong, by name.
std::string diagnosis_text(const verdict::Row& row) {
    const verdict::TableFindings* table = verdict::table_of(row);
    if (table == nullptr || table->diagnosis.differing == 0) return {};
    const diagnose::Diagnosis& diagnosis = table->diagnosis;
    const Format& from = *table->conversion.from;
    std::string text;
    for (const diagnose::NamedBug& bug : diagnosis.bugs) {
        text += fmt::format("  {} explains {} of {}: {}\n", bug.bug_class->id, print::grouped(bug.inputs),
                            print::grouped(diagnosis.differing), bug.how);
        text += class_text(*bug.bug_class);
        text += code_line("smallest", from, bug.smallest);
        if (bug.roundest != bug.smallest) text += code_line("roundest", from, bug.roundest);
        text += seen_text(*bug.bug_class);
    }
    // What is known of the cases is no function of the input.
    if (diagnosis.explained == diagnosis.differing || !row.known_as.empty()) return text;
    return text + fmt::format("  no known bug explains {} of {}, from {} to {}\n",
                              print::grouped(diagnosis.differing - diagnosis.explained),
                              print::grouped(diagnosis.differing), code_text(from, diagnosis.unexplained.front().first),
                              code_text(from, diagnosis.unexplained.back().last));
}

} // namespace

std::string row_heading(const RowColumns& columns) {
    return fmt::format("{:<{}} {}{:>{}} {:>{}}  {:<{}} {}\n", "conversion", columns.id_width,
                       columns.profile ? fmt::format("{:<{}} ", "profile", profile_width) : "", "inputs", number_width,
                       "repeated", number_width, "status", status_width, "first counterexample");
}

std::string row_text(const verdict::Row& row, const RowColumns& columns, View view) {
    const bool provision = verdict::conversion_of(row) == nullptr && row.operation.empty();
    const std::string status(to_string(row.status));
    const std::string rest = row.status != Status::pass ? first_counterexample(row)
                             : row.sample               ? "(sample)"
                             : row.kept                 ? "(kept)"
                                                        : "";
    const std::string id = print::printable(row.id);
    std::string line =
        fmt::format("{:<{}} {}{:>{}} {:>{}}  {:<{}} {}", id, columns.id_width,
                    columns.profile ? fmt::format("{:<{}} ", row.profile, profile_width) : "",
                    provision ? "-" : print::grouped(row.compared), number_width,
                    provision ? "-" : print::grouped(row.repeated), number_width, status, status_width, rest);
    line.erase(line.find_last_not_of(' ') + 1);
    line = print::wrapped(line, view.width, "    ");
    // Colours take no columns.
    line.replace(line.find(status, id.size()), status.size(), print::colored(status, row.status, view.color));
    return line + "\n";
}

std::string failure_text(const verdict::Row& row, const cases::Invocation& invocation) {
    if (row.status == Status::pass) return {};
    std::string text = fmt::format("{}  {}{}{}\n", to_string(row.status), print::printable(row.id),
                                   row.profile.empty() ? "" : "  " + row.profile,
                                   row.reason.empty() ? "" : ": " + print::printable(row.reason));
    const verdict::TableFindings* table = verdict::table_of(row);
    if (table != nullptr && table->ranges != 0)
        text += fmt::format(
            "  {} in {}{}\n", print::counted(row.differing, "differing input"), print::counted(table->ranges, "range"),
            table->ranges > table->differences.size() ? fmt::format(", {} shown", table->differences.size()) : "");
    text += diagnosis_text(row) + known_text(row.known_as) + findings_text(row, invocation) +
            smallest_text(row, invocation);
    if (verdict::wrong_of(row).empty() && verdict::ended_by(row))
        text += "    again:    " + again_case(row, verdict::ended_by(row), invocation) + "\n";
    for (const Difference& d : verdict::differences_of(row)) text += "\n" + difference_text(d, row, invocation);
    for (const observe::Culprit& c : verdict::culprits_of(row)) text += "\n" + culprit_text(c, row, invocation);
    if (is_shown_by_row(row)) text += "    again:    " + again_case(row, {}, invocation) + "\n";
    if (!row.detail.empty())
        text += "  the backend's last words:\n" + indented(print::printable(row.detail, true), "    | ");
    return text;
}

std::string failure_text(const verdict::Row& row, const cases::Invocation& invocation, View view) {
    const std::string whole = failure_text(row, invocation);
    std::string text;
    for (std::string_view rest = whole; !rest.empty();) {
        constexpr std::string_view labels[] = {"    again:    ", "    explain:  "};
        const std::string_view line = print::take_line(rest);
        const auto* const label =
            std::find_if(std::begin(labels), std::end(labels), [&](std::string_view l) { return line.starts_with(l); });
        text += label == std::end(labels) ? print::wrapped(line, view.width, "      ")
                                          : print::wrapped_command(line, label->size(), view.width, "        ");
        text += '\n';
    }
    const std::string_view status = to_string(row.status);
    if (!text.empty()) text.replace(0, status.size(), print::colored(status, row.status, view.color));
    return text;
}

std::string summary_text(const Report& report) {
    RowColumns columns{report.invocation.profiles.size() > 1};
    for (const verdict::Row& row : report.rows)
        if (const Conversion* conversion = verdict::conversion_of(row); conversion != nullptr && row.operation.empty())
            columns.fit(*conversion);
    std::string text = fmt::format("mxcert certify {}\n{} {}: {}\n{} {}, {}\nstarted {}, took {}\n\n",
                                   print::printable(report.invocation.backend), print::printable(report.info.name),
                                   print::printable(report.info.version), print::printable(report.info.description),
                                   report.host.system, report.host.machine, report.host.cpu, report.started,
                                   print::duration_text(report.seconds));
    for (const Host& host : report.machines)
        text += fmt::format("asked on   {} {}, {}\n", host.system, host.machine, host.cpu);
    if (const std::string note = sandbox_note(report); !note.empty()) text += note + '\n';
    text += row_heading(columns);
    for (const verdict::Row& row : report.rows) text += row_text(row, columns, {});
    for (const verdict::Row& row : report.rows)
        if (const std::string failure = failure_text(row, report.invocation); !failure.empty()) text += "\n" + failure;
    return text + "\n" + verdict_text(report, {.all_rows = true});
}

} // namespace mxcert::report
