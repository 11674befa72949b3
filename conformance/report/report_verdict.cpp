// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "conformance/observe/subject.hpp"
#include "conformance/print/columns.hpp"
#include "conformance/print/terminal.hpp"
#include "conformance/print/text.hpp"
#include "conformance/print/wrap.hpp"
#include "conformance/report/report.hpp"
#include "conformance/report/report_places.hpp"
#include "conformance/verdict/exit_code.hpp"

namespace mxcert::report {
namespace {

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

/// What one profile judged in a run in which nothing failed.
struct Judged {
    std::uint64_t inputs = 0;      ///< of conversions that were asked every input
    std::uint64_t conversions = 0; ///< which those are
    std::uint64_t points = 0;      ///< of conversions that were asked a sample
    std::uint64_t samples = 0;
    std::uint64_t provisions = 0;
    std::uint64_t values = 0; ///< of tables of operations
    std::uint64_t case_values = 0;
    std::set<std::string_view> operations; ///< with tables
    std::set<std::string_view> cases;      ///< with open rows
    bool is_narrow = false;                ///< a sample for another reason than the width of the source

    [[nodiscard]] bool is_nothing() const {
        return conversions + samples + provisions + operations.size() + cases.size() == 0;
    }
};

Judged judged_by(const Report& report, std::string_view profile) {
    Judged judged;
    for (const verdict::Row& row : report.rows) {
        if (row.profile != profile || row.status != Status::pass) continue;
        if (!row.operation.empty()) {
            (row.open ? judged.case_values : judged.values) += row.compared;
            (row.open ? judged.cases : judged.operations).insert(row.operation);
            continue;
        }
        const Conversion* conversion = verdict::conversion_of(row);
        judged.provisions += conversion == nullptr ? 1 : 0;
        if (conversion == nullptr) continue;
        judged.is_narrow =
            judged.is_narrow || (row.sample && (!observe::needs_points(*conversion) || conversion->random_bits != 0));
        (row.sample ? judged.points : judged.inputs) += row.compared;
        (row.sample ? judged.samples : judged.conversions) += 1;
    }
    return judged;
}

// What the run claims of one profile, as a sentence.
std::string claim(const Report& report, std::string_view profile) {
    const Judged judged = judged_by(report, profile);
    if (judged.is_nothing()) return fmt::format("UNTESTED: nothing was judged by {}\n", profile);
    std::string text = fmt::format("{}: {}{} {} {}", word_of(report), print::printable(report.info.name),
                                   report.from_record ? ", as recorded," : "", relation_of(report, profile), profile);
    if (judged.conversions != 0)
        text += fmt::format(" on every one of {} of {}", print::counted(judged.inputs, "input"),
                            print::counted(judged.conversions, "conversion"));
    if (judged.samples != 0)
        text += fmt::format("{} on a sample of {} of {}{}", judged.conversions == 0 ? "" : ", and",
                            print::counted(judged.points, "input"), print::counted(judged.samples, "conversion"),
                            judged.is_narrow || report.selection.starts_with("--reproduce")
                                ? ""
                                : " from sources of more than 32 bits");
    const std::uint64_t of_conversions = judged.conversions + judged.samples;
    if (!judged.operations.empty())
        text +=
            fmt::format("{} on {} of {}", of_conversions == 0 ? "" : ", and", print::counted(judged.values, "value"),
                        print::counted(judged.operations.size(), "operation"));
    if (!judged.cases.empty())
        text +=
            fmt::format("{} on {} of cases of {}",
                        is_certificate(report)                           ? "; agrees"
                        : of_conversions + judged.operations.size() == 0 ? ""
                                                                         : ", and",
                        print::counted(judged.case_values, "value"), print::counted(judged.cases.size(), "operation"));
    if (judged.provisions != 0)
        text += fmt::format("{} offers what {} demand{}", text.find(" on ") == std::string::npos ? "," : ", and",
                            print::counted(judged.provisions, "provision clause"), judged.provisions == 1 ? "s" : "");
    return text + level_words(report) + "\n";
}

/// Many profiles are a table.
bool is_table(const Report& report, View view) {
    constexpr std::size_t few_profiles = 3;
    return report.invocation.profiles.size() > few_profiles && !view.all_rows;
}

/// Whether the last lines are to fit a screen: --rows prints, and the report has, what they leave out.
bool is_short(const Report& report, View view) { return view.width != 0 && is_table(report, view); }

/// "111 G" for 111,941,931,584: at most three digits, and never more than there are.
std::string short_number(std::uint64_t number) {
    constexpr std::uint64_t thousand = 1000;
    std::size_t power = 0;
    for (; number >= thousand; number /= thousand) ++power;
    constexpr std::string_view letters = " kMGTPE";
    return power == 0 ? std::to_string(number) : fmt::format("{} {}", number, letters[power]);
}

/// A number of each profile.
struct Figure {
    std::string_view name;
    std::string_view short_name;
    std::vector<std::uint64_t> of; ///< in the order of the profiles

    [[nodiscard]] bool is_zero() const {
        return std::all_of(of.begin(), of.end(), [](std::uint64_t number) { return number == 0; });
    }
};

/// How a table of figures is written.
struct Style {
    bool with_zeros = true; ///< also the columns that are zero in every profile
    bool exact = true;
    bool with_names = true; ///< else short names above numbers that stand close together
};

std::string table_of(const std::vector<std::string>& names, const std::vector<Figure>& figures, Style style) {
    std::vector<std::vector<std::string>> rows(names.size() + 1);
    rows[0].emplace_back(style.with_names ? "  profile" : "profile");
    for (std::size_t i = 0; i < names.size(); ++i) rows[i + 1] = {(style.with_names ? "  " : "") + names[i]};
    for (const Figure& figure : figures) {
        if (!style.with_zeros && figure.is_zero()) continue;
        rows[0].emplace_back(style.with_names ? figure.name : figure.short_name);
        for (std::size_t i = 0; i < names.size(); ++i)
            rows[i + 1].push_back(style.exact ? print::grouped(figure.of[i]) : short_number(figure.of[i]));
    }
    if (style.with_names) return print::columns(rows);
    std::string text;
    std::vector<std::size_t> widths(rows[0].size());
    for (const auto& row : rows)
        for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
    for (const auto& row : rows) {
        text += fmt::format("{:<{}}", row[0], widths[0]);
        for (std::size_t i = 1; i < row.size(); ++i) text += fmt::format(" {:>{}}", row[i], widths[i]);
        text += '\n';
    }
    return text;
}

bool fits(std::string_view text, std::size_t width) {
    while (!text.empty())
        if (print::take_line(text).size() > width) return false;
    return true;
}

// The same of many profiles, a line each. In a terminal that is too narrow for it columns without a number are left
// out, numbers become shorter, and at last their names.
std::string claims_table(const Report& report, std::size_t width) {
    std::vector<std::string> names;
    std::vector<Figure> figures{{"conversions", "conv", {}},
                                {"inputs", "inputs", {}},
                                {"sampled", "sample", {}},
                                {"operations", "ops", {}},
                                {"values", "values", {}}};
    for (const std::string& profile : report.invocation.profiles) {
        const Judged judged = judged_by(report, profile);
        std::set<std::string_view> operations = judged.operations;
        operations.insert(judged.cases.begin(), judged.cases.end());
        names.push_back(fmt::format("{}{}", profile,
                                    judged.is_nothing()           ? " UNTESTED"
                                    : is_partial(report, profile) ? " (part)"
                                                                  : ""));
        const std::uint64_t numbers[] = {judged.conversions, judged.inputs, judged.samples, operations.size(),
                                         judged.values + judged.case_values};
        for (std::size_t i = 0; i < figures.size(); ++i) figures[i].of.push_back(numbers[i]);
    }
    std::string table;
    std::string legend;
    constexpr Style styles[] = {{}, {false}, {false, false}, {false, false, false}};
    for (const Style& style : styles) {
        table = table_of(names, figures, style);
        if (width == 0) break;
        const bool is_sampled = !figures[2].is_zero();
        legend = !style.with_names ? fmt::format("{}; ops: operations\n",
                                                 is_sampled ? "conv, sample: conversions asked every input, or a sample"
                                                            : "conv: conversions, asked every input")
                 : is_sampled      ? "  sampled: conversions of which a sample was asked\n"
                                   : "";
        if (fits(table, width)) break;
    }
    return fmt::format("{}: {}{} {} {}{}:\n", word_of(report), print::printable(report.info.name),
                       report.from_record ? ", as recorded," : "",
                       is_certificate(report) ? "conforms to" : "agrees with",
                       print::counted(report.invocation.profiles.size(), "profile"), level_words(report)) +
           table + legend;
}

std::string sample_note(const Report& report, bool in_short) {
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
    if (in_short) {
        std::vector<std::string_view> kinds;
        if (any(of_wide)) kinds.emplace_back("sources of more than 32 bits");
        if (any(of_random)) kinds.emplace_back("stochastic roundings");
        if (any(of_operation)) kinds.emplace_back("operations");
        return kinds.empty() ? "" : fmt::format("Samples of {}; --rows says which.\n", fmt::join(kinds, ", "));
    }
    std::string text;
    if (any(of_wide) && report.from_record)
        text += "Sample: only the inputs of the stored answers were compared.\n";
    else if (any(of_wide))
        text += fmt::format("Sample of sources wider than 32 bits: every boundary +-2 ulp, its single-bit neighbours, "
                            "and up to {} inside "
                            "every step, drawn by the seed.\n",
                            print::counted(report.samples_per_step, "input"));
    if (any(of_random))
        text +=
            "Sample of stochastic roundings: every boundary +-2 ulp of up to 256 random words, and other inputs with "
            "the deciding words.\n";
    if (any(of_operation)) text += "Sample of operations: docs/operations.md, \"What is tested\", lists the inputs.\n";
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
        return fmt::format("Every value: in {}, each finite FP32 value was tested once, under a drawn scale.\n",
                           print::counted(drawn, "row"));
    const std::uint64_t swept = rows("every");
    if (!asks_every_pair(report.level.level) || swept == 0) return {};
    return fmt::format("Every input: in {}, each FP32 amax or each reachable pair of a scale and an FP32 value was "
                       "tested.\n",
                       print::counted(swept, "row"));
}

std::string kept_note(const Report& report) {
    const auto kept = static_cast<std::uint64_t>(
        std::count_if(report.rows.begin(), report.rows.end(), [](const verdict::Row& row) { return row.kept; }));
    if (kept == 0) return {};
    return fmt::format(
        "The answers of {} are those an earlier run of this backend kept, of an operation at least a part "
        "of them; they were judged again, and were not asked in turn.\n",
        print::counted(kept, "row"));
}

std::string clauses_note(const Report& report) {
    std::string text;
    for (const GradedClauses& graded : graded_clauses(report.rows))
        if (!graded.ids.empty())
            text += fmt::format("{}{} {}", text.empty() ? "" : ", ", graded.ids.size(), to_string(graded.grade));
    return text.empty() ? "" : "Clauses that judged, by source: " + text + ".\n";
}

// Items a line each; unless all are wanted the first ones.
std::string list(std::string_view heading, const std::vector<std::string>& items, View view) {
    constexpr std::size_t most = 5;
    if (items.empty()) return {};
    std::string text = fmt::format("{} ({}):\n", heading, items.size());
    const std::size_t shown = view.all_rows || items.size() <= most ? items.size() : 2;
    for (std::size_t i = 0; i < shown; ++i) text += "  " + print::printable(items[i]) + "\n";
    if (shown < items.size()) text += fmt::format("  ... and {} more: --rows lists them\n", items.size() - shown);
    return text;
}

// "a, b and 7 more: --rows lists them"
std::string first_of(const std::vector<std::string>& items) {
    constexpr std::size_t most = 3;
    if (items.size() <= most) return fmt::format("{}", fmt::join(items, ", "));
    return fmt::format("{}, {} and {} more: --rows lists them", items[0], items[1], items.size() - 2);
}

// What a small suite is: of the bugs that it does not show the first one.
std::string shortened(std::string_view suite) {
    std::string text;
    std::size_t bugs = 0;
    const auto end_list = [&] {
        if (bugs > 1) text += fmt::format(" and {} more: --rows lists them", bugs - 1);
        if (bugs != 0) text += '\n';
        bugs = 0;
    };
    while (!suite.empty()) {
        const std::string_view line = print::take_line(suite);
        if (line.starts_with("  ")) {
            if (++bugs == 1) text += line;
            continue;
        }
        end_list();
        text += fmt::format("{}\n", line);
    }
    end_list();
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

std::string sandbox_note(const Report& report) {
    if (!report.info.sandbox_state) return {};
    const sandbox::State& state = *report.info.sandbox_state;
    std::string text = fmt::format("sandbox {}", to_string(state.mode));
    for (const sandbox::Missing& part : state.missing)
        text += fmt::format("; {} not in force: {}", part.part, print::printable(part.reason));
    return text + "\n";
}

std::string notes_text(const Report& report, View view) {
    const bool in_short = is_short(report, view);
    std::string text = list("Offered, and outside the profile", report.outside, view) +
                       list("Offered, and left out by --leave-out", report.left_out, view) +
                       list("Offered by the backend, and not in the record", report.without, view) +
                       list("Offered, and not understood", report.info.unknown, view) + sample_note(report, in_short) +
                       swept_note(report) +
                       (!in_short              ? places_note(report.rows) + turns_note(report.turns)
                        : report.suite.empty() ? missed_note(report.rows)
                                               : "") +
                       kept_note(report) + (in_short ? shortened(report.suite) : report.suite) +
                       (in_short ? "" : clauses_note(report));
    if (report.failed_fast)
        text += "Stopped at the first row that did not pass, by --fail-fast: the rows above are all that was judged.\n";
    else if (report.interrupted)
        text += "Stopped by a signal: the rows above are all that was judged.\n";
    return text;
}

Conclusion conclusion_of(const Report& report, View view) {
    switch (exit_code(report)) {
    case 0:
    case verdict::exit_partial: {
        std::string claims;
        if (is_table(report, view))
            claims = claims_table(report, view.width);
        else
            for (const std::string& profile : report.invocation.profiles) claims += claim(report, profile);
        if (!report.missing.empty())
            claims +=
                fmt::format("Not offered: {}.\n",
                            is_short(report, view) ? first_of(report.missing)
                                                   : std::string(fmt::format("{}", fmt::join(report.missing, ", "))));
        if (const std::string why = why_no_certificate(report); !why.empty())
            claims += fmt::format("This is not a certificate: {}.\n", print::printable(why));
        else if (!report.left_out.empty())
            claims += "The certificate is without what was left out.\n";
        return {claims, Status::pass};
    }
    case 1: return {not_passed(report, "FAIL"), Status::fail};
    case 3: return {not_passed(report, "NOT FINISHED"), Status::incomplete};
    default: return {not_passed(report, "NOTHING CHECKED"), Status::incomplete};
    }
}

std::string verdict_text(const Report& report, View view) {
    const Conclusion conclusion = conclusion_of(report, view);
    return print::wrapped(notes_text(report, view), view.width) +
           print::colored(print::wrapped(conclusion.text, view.width), conclusion.status, view.color);
}

} // namespace mxcert::report
