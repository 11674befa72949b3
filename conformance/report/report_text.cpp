// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "conformance/observe/subject.hpp"
#include "conformance/print/progress.hpp"
#include "conformance/print/terminal.hpp"
#include "conformance/print/text.hpp"
#include "conformance/report/report.hpp"
#include "conformance/report/report_places.hpp"
#include "conformance/verdict/exit_code.hpp"
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
        const std::string_view line = text.substr(0, text.find('\n'));
        text.remove_prefix(std::min(text.size(), line.size() + 1));
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

// One input or case alone is asked the same at every level.
std::string level_words(const Report& report) {
    return report.reproduce.empty() ? ", at level " + to_string(report.level) : "";
}

bool is_partial(const Report& report, std::string_view profile) {
    return std::any_of(report.missing.begin(), report.missing.end(),
                       [&](const std::string& missing) { return missing.starts_with(std::string(profile) + ": "); });
}

// PASS is the word of a certificate alone.
std::string_view word_of(const Report& report) {
    if (!report.missing.empty()) return "PARTIAL";
    return is_certificate(report) ? "PASS" : "AGREES";
}

std::string_view relation_of(const Report& report, std::string_view profile) {
    if (is_partial(report, profile)) return "agrees with the offered part of";
    return is_certificate(report) ? "conforms to" : "agrees with";
}

// What a run in which nothing failed claims of one profile.
std::string claim(const Report& report, std::string_view profile) {
    std::uint64_t inputs = 0;
    std::uint64_t conversions = 0;
    std::uint64_t points = 0;
    std::uint64_t samples = 0;
    std::uint64_t provisions = 0;
    std::uint64_t values = 0;
    std::uint64_t case_values = 0;
    std::set<std::string_view> operations; // with tables
    std::set<std::string_view> cases;      // with open rows
    bool narrow = false;                   // a sample for another reason than the width of the source
    for (const verdict::Row& row : report.rows) {
        if (row.profile != profile || row.status != Status::pass) continue;
        if (!row.operation.empty()) {
            (row.open ? case_values : values) += row.compared;
            (row.open ? cases : operations).insert(row.operation);
            continue;
        }
        const Conversion* conversion = verdict::conversion_of(row);
        provisions += conversion == nullptr ? 1 : 0;
        if (conversion == nullptr) continue;
        narrow = narrow || (row.sample && (!observe::needs_points(*conversion) || conversion->random_bits != 0));
        (row.sample ? points : inputs) += row.compared;
        (row.sample ? samples : conversions) += 1;
    }
    if (conversions + samples + provisions + operations.size() + cases.size() == 0)
        return fmt::format("UNTESTED: nothing was judged by {}\n", profile);
    std::string text = fmt::format("{}: {}{} {} {}", word_of(report), print::printable(report.info.name),
                                   report.from_record ? ", as recorded," : "", relation_of(report, profile), profile);
    if (conversions != 0)
        text += fmt::format(" on every one of {} of {}", print::counted(inputs, "input"),
                            print::counted(conversions, "conversion"));
    if (samples != 0)
        text += fmt::format(
            "{} on a sample of {} of {}{}", conversions == 0 ? "" : ", and", print::counted(points, "input"),
            print::counted(samples, "conversion"),
            narrow || report.selection.starts_with("--reproduce") ? "" : " from sources of more than 32 bits");
    if (!operations.empty())
        text += fmt::format("{} on {} of {}", conversions + samples == 0 ? "" : ", and",
                            print::counted(values, "value"), print::counted(operations.size(), "operation"));
    if (!cases.empty())
        text += fmt::format("{} on {} of cases of {}",
                            is_certificate(report)                           ? "; agrees"
                            : conversions + samples + operations.size() == 0 ? ""
                                                                             : ", and",
                            print::counted(case_values, "value"), print::counted(cases.size(), "operation"));
    if (provisions != 0)
        text += fmt::format("{} offers what {} demand{}", text.find(" on ") == std::string::npos ? "," : ", and",
                            print::counted(provisions, "provision clause"), provisions == 1 ? "s" : "");
    return text + level_words(report) + "\n";
}

std::string sample_note(const Report& report) {
    const auto any = [&](auto of_kind) {
        return std::any_of(report.rows.begin(), report.rows.end(),
                           [&](const verdict::Row& row) { return row.sample && of_kind(row); });
    };
    const auto of_operation = [](const verdict::Row& row) { return !row.operation.empty(); };
    const auto of_random = [](const verdict::Row& row) {
        const Conversion* conversion = verdict::conversion_of(row);
        return row.operation.empty() && conversion != nullptr && conversion->random_bits != 0;
    };
    const auto of_wide = [&](const verdict::Row& row) { return !of_operation(row) && !of_random(row); };
    if (report.selection.starts_with("--reproduce") || !report.suite.empty()) return {};
    std::string text;
    if (any(of_wide) && report.from_record)
        text += "Sample: the inputs are those that were asked when the answers were stored; the others are described, "
                "not run.\n";
    else if (any(of_wide))
        text += fmt::format(
            "Sample: sources of more than 32 bits were asked every boundary +-2 ulp, its single-bit neighbours "
            "and up to {} seeded inside every step; the other inputs are described, not run.\n",
            print::counted(report.samples_per_step, "input"));
    if (any(of_random))
        text += "Sample: stochastic roundings were asked every boundary +-2 ulp of up to 256 random words, and of "
                "other inputs the "
                "words that decide.\n";
    if (any(of_operation))
        text += "Sample: what is asked of an operation is in docs/operations.md, \"What is tested\".\n";
    return text;
}

// What was asked of FP32 quantizers beside a sample.
std::string swept_note(const Report& report) {
    const auto rows = [&](std::string_view start) {
        return static_cast<std::uint64_t>(
            std::count_if(report.rows.begin(), report.rows.end(), [&](const verdict::Row& row) {
                const verdict::TableFindings* table = verdict::table_of(row);
                return table != nullptr && table->asked.starts_with(start) &&
                       table->conversion.from->value_width() > 16;
            }));
    };
    if (const std::uint64_t drawn = rows("each finite"); drawn != 0)
        return fmt::format("Every value: of {}, each finite FP32 value was asked once, under a scale drawn for it and "
                           "its neighbours.\n",
                           print::counted(drawn, "row"));
    const std::uint64_t swept = rows("every");
    if (!asks_every_pair(report.level.level) || swept == 0) return {};
    return fmt::format("Every input: of {}, each FP32 amax or each reachable pair of a scale and an FP32 value was "
                       "asked.\n",
                       print::counted(swept, "row"));
}

std::string kept_note(const Report& report) {
    const auto kept = static_cast<std::uint64_t>(
        std::count_if(report.rows.begin(), report.rows.end(), [](const verdict::Row& row) { return row.kept; }));
    if (kept == 0) return {};
    return fmt::format(
        "The answers of {} are those an earlier run of this backend kept, of an operation at least a part "
        "of them; they were judged anew.\n",
        print::counted(kept, "row"));
}

std::string clauses_note(const Report& report) {
    std::string text;
    for (const GradedClauses& graded : graded_clauses(report.rows))
        if (!graded.ids.empty())
            text += fmt::format("{}{} {}", text.empty() ? "" : ", ", graded.ids.size(), to_string(graded.grade));
    return text.empty() ? "" : "Clauses that judged, by source: " + text + ".\n";
}

std::string list(std::string_view heading, const std::vector<std::string>& items) {
    if (items.empty()) return {};
    std::string text = fmt::format("{} ({}):\n", heading, items.size());
    for (const std::string& item : items) text += "  " + print::printable(item) + "\n";
    return text;
}

// "FAIL: 2 FAIL, 1 ERROR, 7 PASS"
std::string not_passed(const Report& report, std::string_view word) {
    std::string text;
    for (const Status status : {Status::fail, Status::mistrusted, Status::untested, Status::unsupported, Status::error,
                                Status::incomplete, Status::pass})
        if (const std::size_t n = count(report, status); n != 0)
            text += fmt::format("{}{} {}", text.empty() ? "" : ", ", n, to_string(status));
    // A backend that did not start was held to no profile.
    const std::string against = report.invocation.profiles.empty()
                                    ? ""
                                    : fmt::format(" against {}", fmt::join(report.invocation.profiles, " "));
    return fmt::format("{}: {}{}{}: {}\n", word, print::printable(report.info.name), against, level_words(report),
                       text.empty() ? "no row at all" : text);
}

} // namespace

std::string row_heading(const RowColumns& columns) {
    return fmt::format("{:<{}} {}{:>{}} {:>{}}  {:<{}} {}\n", "conversion", columns.id_width,
                       columns.profile ? fmt::format("{:<{}} ", "profile", profile_width) : "", "inputs", number_width,
                       "repeated", number_width, "status", status_width, "first counterexample");
}

std::string row_text(const verdict::Row& row, const RowColumns& columns, bool color) {
    const bool provision = verdict::conversion_of(row) == nullptr && row.operation.empty();
    std::string status(to_string(row.status));
    const std::string padding(status_width - std::min(status_width, status.size()), ' ');
    const std::string rest = row.status != Status::pass ? first_counterexample(row)
                             : row.sample               ? "(sample)"
                             : row.kept                 ? "(kept)"
                                                        : "";
    std::string line = fmt::format("{:<{}} {}{:>{}} {:>{}}  {}{} {}", print::printable(row.id), columns.id_width,
                                   columns.profile ? fmt::format("{:<{}} ", row.profile, profile_width) : "",
                                   provision ? "-" : print::grouped(row.compared), number_width,
                                   provision ? "-" : print::grouped(row.repeated), number_width,
                                   print::colored(status, row.status, color), padding, rest);
    line.erase(line.find_last_not_of(' ') + 1);
    return line + "\n";
}

std::string failure_text(const verdict::Row& row, const cases::Invocation& invocation, bool color) {
    if (row.status == Status::pass) return {};
    std::string text = fmt::format("{}  {}{}{}\n", print::colored(to_string(row.status), row.status, color),
                                   print::printable(row.id), row.profile.empty() ? "" : "  " + row.profile,
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

std::string verdict_text(const Report& report, bool color) {
    std::string text = list("Offered, and outside the profile", report.outside) +
                       list("Offered, and left out by --leave-out", report.left_out) +
                       list("Offered by the backend, and not in the record", report.without) +
                       list("Offered, and not understood", report.info.unknown) + sample_note(report) +
                       swept_note(report) + places_note(report.rows) + kept_note(report) + report.suite +
                       clauses_note(report);
    if (report.interrupted) text += "Stopped by a signal: what stands above is all that was done.\n";
    switch (exit_code(report)) {
    case 0:
    case verdict::exit_partial: {
        std::string claims;
        for (const std::string& profile : report.invocation.profiles) claims += claim(report, profile);
        if (!report.missing.empty()) claims += fmt::format("Not offered: {}.\n", fmt::join(report.missing, ", "));
        if (const std::string why = why_no_certificate(report); !why.empty())
            claims += fmt::format("This is no certificate: {}.\n", print::printable(why));
        else if (!report.left_out.empty())
            claims += "The certificate is without what was left out.\n";
        return text + print::colored(claims, Status::pass, color);
    }
    case 1: return text + print::colored(not_passed(report, "FAIL"), Status::fail, color);
    case 3: return text + print::colored(not_passed(report, "NOT FINISHED"), Status::incomplete, color);
    default: return text + print::colored(not_passed(report, "NOTHING CHECKED"), Status::incomplete, color);
    }
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
                                   print::duration_text(report.seconds)) +
                       row_heading(columns);
    for (const verdict::Row& row : report.rows) text += row_text(row, columns, false);
    for (const verdict::Row& row : report.rows)
        if (const std::string failure = failure_text(row, report.invocation, false); !failure.empty())
            text += "\n" + failure;
    return text + "\n" + verdict_text(report, false);
}

} // namespace mxcert::report
