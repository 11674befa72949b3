// SPDX-License-Identifier: Apache-2.0
#include "conformance/evidence/arithmetic.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "conformance/report/report.hpp"
#include "conformance/verdict/exit_code.hpp"

namespace mxcert::evidence {
namespace {

/// The counts of a row.
struct ReadRow {
    verdict::Row row; ///< id, profile, status, required, sample, open, compared, total, differing, clauses
    std::string kind;
    bool has_wrong = false; ///< it lists answers that are wrong
};

constexpr Status statuses[] = {Status::pass,        Status::fail,  Status::mistrusted, Status::untested,
                               Status::unsupported, Status::error, Status::incomplete};

Status status_of(const files::Members& row) {
    const std::string text = row.text("status");
    for (const Status status : statuses)
        if (to_string(status) == text) return status;
    row.fail("status", "is no status");
}

ReadRow read_row(const files::Json& json, std::size_t number) {
    const files::Members members(json, fmt::format("rows[{}]", number));
    ReadRow read;
    read.row.id = members.text("id");
    read.row.profile = members.text("profile");
    read.row.status = status_of(members);
    read.row.required = members.flag("required");
    read.row.sample = members.flag("sample");
    read.row.open = members.flag("open");
    read.row.total = members.text("total");
    read.row.compared = members.number("compared");
    read.row.repeated = members.number("repeated");
    read.row.differing = members.number("differing");
    read.row.clauses = members.texts("clauses");
    read.kind = members.text("kind");
    read.has_wrong = members.number("ranges") != 0 || !members.array("differences").empty() ||
                     !members.array("findings").empty() || !members.array("culprits").empty();
    return read;
}

/// "65536" and "2^40" as numbers; nothing of "2^64", which no count reaches, and of "".
std::optional<std::uint64_t> number_of(std::string_view total) {
    const bool is_power = total.starts_with("2^");
    if (is_power) total.remove_prefix(2);
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(total.data(), total.data() + total.size(), number);
    if (total.empty() || error != std::errc{} || end != total.data() + total.size()) return {};
    if (!is_power) return number;
    if (number >= 64) return {};
    return std::uint64_t{1} << number;
}

bool is_judged(const ReadRow& read) { return read.kind == "conversion" || read.kind == "operation"; }

std::string wrong_with(const ReadRow& read) {
    const verdict::Row& row = read.row;
    const bool passed = row.status == Status::pass;
    const std::optional<std::uint64_t> total = number_of(row.total);
    if (passed && (row.differing != 0 || read.has_wrong)) return "is PASS and lists wrong answers";
    if (passed && is_judged(read) && row.compared == 0) return "is PASS and compared nothing";
    if (passed && read.kind == "conversion" && !row.sample && row.clauses.empty())
        return "is PASS and no clause judged it";
    if (row.differing > row.compared) return "has more wrong answers than answers";
    if (row.open) return row.total.empty() ? "" : "is open and has a total";
    if (total && row.compared > *total) return fmt::format("compared {} of {} inputs", row.compared, *total);
    if (passed && !row.sample && total && row.compared != *total)
        return fmt::format("is no sample and compared {} of {} inputs", row.compared, *total);
    if (passed && !row.sample && read.kind == "conversion" && !total)
        return fmt::format("is no sample of {} inputs, which nobody can ask", row.total);
    return {};
}

std::string wrong_with_certificate(const files::Members& report, const std::vector<ReadRow>& rows) {
    if (report.number("exit_code") != 0) return "'certificate' is true, and the exit code is not 0";
    if (!report.flag("complete")) return "'certificate' is true, and 'complete' is not";
    if (!report.array("missing").empty()) return "'certificate' is true, and a profile is offered in part";
    for (const std::string& profile : report.texts("profiles"))
        if (std::none_of(rows.begin(), rows.end(), [&](const ReadRow& read) {
                return read.row.profile == profile && read.row.status == Status::pass && is_judged(read);
            }))
            return fmt::format("'certificate' is true, and the profile {} judged nothing", profile);
    return {};
}

std::string wrong_with_complete(const files::Members& report, const std::vector<ReadRow>& rows) {
    if (!report.text("selection").empty()) return "'complete' is true, and something was left out: 'selection'";
    if (report.flag("interrupted")) return "'complete' is true, and the run was stopped";
    if (is_small(parse_level(report.text("level")).level)) return "'complete' is true, and a few inputs were asked";
    for (const ReadRow& read : rows)
        if (verdict::is_sampled(read.row)) return fmt::format("'complete' is true, and {} is a sample", read.row.id);
    return {};
}

std::string wrong_with_counts(const files::Members& report, const std::vector<verdict::Row>& rows) {
    const files::Members counts = report.object("counts");
    for (const Status status : statuses) {
        const auto count = static_cast<std::uint64_t>(
            std::count_if(rows.begin(), rows.end(), [=](const verdict::Row& row) { return row.status == status; }));
        const std::string name(to_string(status));
        if (counts.number(name.c_str()) != count)
            return fmt::format("'counts' has {} {}, and the rows {}", counts.number(name.c_str()), name, count);
    }
    const files::Members clauses = report.object("clauses");
    for (const report::GradedClauses& graded : report::graded_clauses(rows)) {
        const std::string grade(to_string(graded.grade));
        if (clauses.texts(grade.c_str()) != graded.ids)
            return fmt::format("'clauses' has others of grade {} than the rows", grade);
    }
    const int code = verdict::exit_code(rows);
    const std::uint64_t said = report.number("exit_code");
    const bool is_partial = code == 0 && said == verdict::exit_partial && !report.array("missing").empty();
    if (said != static_cast<std::uint64_t>(code) && !is_partial)
        return fmt::format("'exit_code' is {}, and the rows give {}", said, code);
    return {};
}

} // namespace

std::string contradiction(const files::Json& json) try {
    const files::Members report(json, "the report");
    std::vector<ReadRow> rows;
    std::vector<verdict::Row> plain;
    for (const files::Json& row : report.array("rows")) {
        rows.push_back(read_row(row, rows.size()));
        plain.push_back(rows.back().row);
        if (const std::string wrong = wrong_with(rows.back()); !wrong.empty())
            return fmt::format("row {} of {} {}", rows.back().row.id, rows.back().row.profile, wrong);
    }
    std::string wrong = wrong_with_counts(report, plain);
    if (wrong.empty() && report.flag("certificate")) wrong = wrong_with_certificate(report, rows);
    if (wrong.empty() && report.flag("complete")) wrong = wrong_with_complete(report, rows);
    return wrong;
} catch (const std::runtime_error& error) {
    return error.what();
}

} // namespace mxcert::evidence
