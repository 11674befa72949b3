// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/cases/reproduce.hpp"
#include "conformance/report/results.hpp"
#include "conformance/verdict/verdict.hpp"
#include "reference/clause.hpp"
#include "reference/conversion.hpp"
#include "vectors/golden_store/vector_set.hpp"

namespace mxcert::report {

inline constexpr std::string_view report_schema = "mxcert-report-1";

/// The machine a run was made on. It does not name the machine.
struct Host {
    std::string system;  ///< "Linux 6.1.0-18-amd64"
    std::string machine; ///< "x86_64"
    std::string cpu;     ///< model name, "" if the system does not say
};
[[nodiscard]] Host this_host();

/// One run of `certify`. Every output format is a view of it.
struct Report {
    cases::Invocation invocation; ///< profiles: those that judged, also where none was asked for
    observe::BackendInfo info;
    bool from_record = false; ///< the answers are those of a record
    std::vector<verdict::Row> rows;
    std::string record_sha256;          ///< of its index; "" if they are not
    std::vector<std::string> outside;   ///< offered, and judged by none of the profiles
    std::vector<std::string> leave_out; ///< --leave-out
    std::vector<std::string> left_out;  ///< the offers it names
    std::vector<std::string> without;   ///< offered by the backend, and not in the record it is
    std::vector<std::string> missing;   ///< of a profile that is offered in part: "ocp-sat: fp32-e5m2"
    bool rows_named = false;            ///< --filter named the rows, here or when the answers were stored
    std::uint64_t seed = 1;
    unsigned jobs = 0;
    unsigned samples_per_step = 0;
    LevelOf level{};
    std::vector<std::string> filters;  ///< --filter
    std::vector<std::string> required; ///< --require
    std::string reproduce;             ///< --reproduce; "" if the run was not of one input
    std::size_t max_failures = 0;      ///< differences a row lists
    std::string selection;             ///< why not every row of the profiles was run: "--filter fp32-*"; "" if all were
    std::string suite;                 ///< what the few inputs of a small level see and do not see; "" at the others
    bool interrupted = false;          ///< stopped by a signal, or by --fail-fast
    bool failed_fast = false;          ///< by --fail-fast
    std::string started;               ///< UTC, "2026-01-31T12:00:00Z"
    double seconds = 0;
    Host host;
    std::optional<observe::TurnsSeen> turns{}; ///< of conversions and operations; none: nothing was asked in turn
    std::vector<Host> machines;                ///< all kinds that asked, where parts of several were merged; else none
    VectorSet vectors;
};

/// Rows with a status.
[[nodiscard]] std::size_t count(const Report& report, Status status);

/// Every clause that judged a row, by grade, each once, ascending.
struct GradedClauses {
    Grade grade = Grade::primary;
    std::vector<std::string> ids;
};
[[nodiscard]] std::vector<GradedClauses> graded_clauses(const std::vector<verdict::Row>& rows);

/// Exit code of `certify`: that of the rows; where it is 0 and only a part of a profile is offered, 5, unless --filter
/// named the rows.
[[nodiscard]] int exit_code(const Report& report);

/// Why what was compared is not all that there is to compare: something was left out, or a sample stands for inputs
/// that can be counted. "" if it is all.
[[nodiscard]] std::string why_incomplete(const Report& report);

/// Why the run is no certificate, though nothing failed: it is incomplete, a profile is offered in part, or one judged
/// nothing. "" if it is one.
[[nodiscard]] std::string why_no_certificate(const Report& report);

/// True if the run is a certificate: exit code 0, the whole of every profile, every input that can be counted.
[[nodiscard]] bool is_certificate(const Report& report);

/// The command that runs one input again, under the profile of its row.
[[nodiscard]] std::string again(const verdict::Row& row, Code input, const cases::Invocation& invocation);
/// The same for a row without inputs of its own: for a case of an operation, or, without a number, the whole row.
[[nodiscard]] std::string again_case(const verdict::Row& row, std::optional<std::uint64_t> number,
                                     const cases::Invocation& invocation);
/// Whether the command for the whole row is needed to see all of its failure again: nothing smaller shows it.
[[nodiscard]] bool is_shown_by_row(const verdict::Row& row);
/// The same for a case that was written down.
[[nodiscard]] std::string again_given(const verdict::Row& row, std::string_view text,
                                      const cases::Invocation& invocation);
/// The same for one of what a row found: for its input and random bits, its case, or the whole row.
[[nodiscard]] std::string again_finding(const verdict::Row& row, std::size_t finding,
                                        const cases::Invocation& invocation);
/// The commands of a row's faults in their order, each once.
[[nodiscard]] std::vector<std::string> commands_of_findings(const verdict::Row& row,
                                                            const cases::Invocation& invocation);

/// The JSON report (conformance/schema/report-1.json), LF at the end.
[[nodiscard]] std::string report_json(const Report& report);
/// The run for continuous integration: FAIL, MISTRUSTED, UNTESTED and required UNSUPPORTED failed, ERROR and INCOMPLETE
/// are errors, other UNSUPPORTED was skipped.
[[nodiscard]] Results report_results(const Report& report);
/// The same without rows and verdict, of whichever command: "certify", "gate".
[[nodiscard]] Results results_of_run(std::string_view command, const Report& report);
/// The ids of the bug classes that explain a row, those that explain most first.
[[nodiscard]] std::vector<std::string> bugs_named(const verdict::Row& row);
/// The command that shows the first thing that is wrong with a row again; "" if nothing does.
[[nodiscard]] std::string first_command(const verdict::Row& row, const cases::Invocation& invocation);

/// How text for people is printed.
struct View {
    bool color = false;
    bool all_rows = false; ///< each row is a line, however many there are, and lists are whole
    bool quiet = false;    ///< no line for what passed
    std::size_t width = 0; ///< columns of the terminal; 0: lines are as long as they are
};

/// The columns of the row lines.
struct RowColumns {
    bool profile = false;      ///< with a column for it
    std::size_t id_width = 36; ///< of the first; the names of operations are longer

    /// Makes room for the name of a conversion.
    void fit(const Conversion& conversion) { id_width = std::max(id_width, to_string(conversion).size()); }
};
/// The heading of the row lines, and one row; one that is longer than the terminal is wide takes further lines.
[[nodiscard]] std::string row_heading(const RowColumns& columns);
[[nodiscard]] std::string row_text(const verdict::Row& row, const RowColumns& columns, View view);
/// What is wrong with a row that did not pass: each difference with bits, values and clause, and how to run it again.
/// "" for a row that passed.
[[nodiscard]] std::string failure_text(const verdict::Row& row, const cases::Invocation& invocation);
/// The same for a terminal: lines are broken at spaces to its width, commands so that they can still be copied.
[[nodiscard]] std::string failure_text(const verdict::Row& row, const cases::Invocation& invocation, View view);
/// Lines about what was left out and how inputs were chosen; "" if there is nothing to say. Where the verdict is a
/// table on a terminal they are few: --rows and the report have all.
[[nodiscard]] std::string notes_text(const Report& report, View view);
/// What a run says in the end: lines, the first of which begins with a word such as PASS, and their colour.
struct Conclusion {
    std::string text;
    Status status = Status::pass;
};
[[nodiscard]] Conclusion conclusion_of(const Report& report, View view);
/// The last lines: what was left out, and the verdict. Unless `view.all_rows` long lists are cut, and many profiles are
/// a table.
[[nodiscard]] std::string verdict_text(const Report& report, View view);
/// The sandbox of the backend, with what of it was not in force: one line, "" where nothing ran.
[[nodiscard]] std::string sandbox_note(const Report& report);
/// All of the above, for a file.
[[nodiscard]] std::string summary_text(const Report& report);

} // namespace mxcert::report
