// SPDX-License-Identifier: Apache-2.0
#include "conformance/report/report.hpp"

#include <sys/utsname.h>

#include <algorithm>
#include <fstream>
#include <set>

#include <fmt/format.h>

#include "conformance/certify/leave_out.hpp"
#include "conformance/observe/subject.hpp"
#include "conformance/print/text.hpp"
#include "conformance/verdict/exit_code.hpp"
#include "reference/code_text.hpp"
#include "vectors/golden_store/golden_files.hpp"
#include "vectors/tables/permit.hpp"

namespace mxcert::report {
namespace {

// The model name of the first processor, where the system lists it.
std::string cpu_name() {
    std::ifstream file("/proc/cpuinfo");
    std::string line;
    while (std::getline(file, line)) {
        if (!line.starts_with("model name")) continue;
        const std::size_t at = line.find_first_not_of(" \t", line.find(':') + 1);
        return at == std::string::npos ? "" : line.substr(at);
    }
    return {};
}

bool is_needless_sample(const verdict::Row& row) {
    const Conversion* conversion = verdict::conversion_of(row);
    return row.sample && row.operation.empty() && conversion != nullptr && !observe::needs_points(*conversion);
}

// "4,294,967,296" and "2^64" as they are read.
std::string counted_in_all(const std::string& total) {
    return total.find('^') != std::string::npos ? total : print::grouped(std::stoull(total));
}

cases::Invocation under_profile_of(const verdict::Row& row, const cases::Invocation& invocation) {
    cases::Invocation this_invocation = invocation;
    if (!row.profile.empty()) this_invocation.profiles = {row.profile};
    return this_invocation;
}

/// Both rows of turns; none, so that all are asked, where there are no two.
std::vector<std::string> two_of(const verdict::TurnFindings& turns) {
    if (turns.rows.size() == 2 && turns.rows[0] != turns.rows[1]) return turns.rows;
    return {};
}

} // namespace

Host this_host() {
    Host host;
    ::utsname name{};
    if (::uname(&name) == 0) {
        host.system = std::string(name.sysname) + ' ' + name.release;
        host.machine = name.machine;
    }
    host.cpu = cpu_name();
    return host;
}

std::size_t count(const Report& report, Status status) {
    return static_cast<std::size_t>(std::count_if(report.rows.begin(), report.rows.end(),
                                                  [&](const verdict::Row& row) { return row.status == status; }));
}

std::vector<GradedClauses> graded_clauses(const std::vector<verdict::Row>& rows) {
    std::set<std::string> ids;
    for (const verdict::Row& row : rows) ids.insert(row.clauses.begin(), row.clauses.end());
    std::vector<GradedClauses> graded;
    for (const Grade grade : {Grade::primary, Grade::secondary, Grade::derived, Grade::memory}) {
        graded.push_back({grade, {}});
        for (const std::string& id : ids) {
            const Clause* clause = find_clause(id);
            // An id that is not in the table has no source at all.
            if ((clause == nullptr ? Grade::memory : clause->grade) == grade) graded.back().ids.push_back(id);
        }
    }
    return graded;
}

int exit_code(const Report& report) {
    const int code = verdict::exit_code(report.rows);
    return code == 0 && !report.missing.empty() && !report.rows_named ? verdict::exit_partial : code;
}

std::string why_incomplete(const Report& report) {
    if (!report.selection.empty()) return "only a part was run, " + report.selection;
    if (!report.without.empty())
        return fmt::format("the record is without {} of the backend, {} for one",
                           print::counted(report.without.size(), "offer"), report.without.front());
    if (is_small(report.level.level)) return "only a few inputs were tested, " + option_of(report.level);
    if (report.interrupted) return "the run was stopped";
    if (const std::string why = certify::why_not_left_out(report.left_out, report.level.level); !why.empty())
        return why;
    if (std::any_of(report.rows.begin(), report.rows.end(), is_needless_sample))
        return "chosen inputs were compared where every one can be";
    const auto in_ranges = std::find_if(report.rows.begin(), report.rows.end(), [](const verdict::Row& row) {
        const observe::Places* places = verdict::places_of(row);
        return places != nullptr && places->in_batches != 0 && places->in_batches < row.compared;
    });
    if (in_ranges != report.rows.end())
        return fmt::format("of {} the values are complete, the places on {} of {}", in_ranges->id,
                           print::grouped(verdict::places_of(*in_ranges)->in_batches),
                           print::grouped(in_ranges->compared));
    const auto sampled = [](const verdict::Row& row) { return verdict::is_sampled(row); };
    const auto first = std::find_if(report.rows.begin(), report.rows.end(), sampled);
    if (first == report.rows.end()) return {};
    return fmt::format(
        "{} a sample, {} for one ({} of {})",
        print::counted(static_cast<std::uint64_t>(std::count_if(first, report.rows.end(), sampled)), "row") +
            " compared",
        first->id, print::grouped(first->compared), first->total.empty() ? "more" : counted_in_all(first->total));
}

std::string why_no_certificate(const Report& report) {
    if (const std::string why = why_incomplete(report); !why.empty()) return why;
    if (!report.missing.empty()) return "a part of a profile is offered";
    // Each profile has to have judged a conversion or an operation: one that judged none would be certified by the
    // others.
    const bool all_judged = std::all_of(
        report.invocation.profiles.begin(), report.invocation.profiles.end(), [&](const std::string& profile) {
            return std::any_of(report.rows.begin(), report.rows.end(), [&](const verdict::Row& row) {
                return row.profile == profile && row.status == Status::pass &&
                       (verdict::conversion_of(row) != nullptr || !row.operation.empty());
            });
        });
    return all_judged ? "" : "a profile judged nothing";
}

bool is_certificate(const Report& report) { return exit_code(report) == 0 && why_no_certificate(report).empty(); }

std::string again(const verdict::Row& row, Code input, const cases::Invocation& invocation) {
    if (row.unstable) return again_case(row, {}, invocation);
    const cases::Invocation this_invocation = under_profile_of(row, invocation);
    if (!row.operation.empty())
        return cases::row_line(this_invocation, row.id, code_text(*verdict::conversion_of(row)->from, input));
    return cases::reproduction_line(this_invocation, {*verdict::conversion_of(row), input});
}

std::string again_case(const verdict::Row& row, std::optional<std::uint64_t> number,
                       const cases::Invocation& invocation) {
    const cases::Invocation this_invocation = under_profile_of(row, invocation);
    // What was asked alone and failed is what shows it again. Of a whole row that was asked, a case may do.
    const std::optional<cases::Reproduction>& reproduced = row.reproduced;
    if (reproduced && (!reproduced->operation || reproduced->number || !reproduced->given.empty()))
        return cases::reproduction_line(this_invocation, *reproduced);
    if (const auto* turns = std::get_if<verdict::TurnFindings>(&row.found))
        return cases::filter_line(this_invocation, two_of(*turns));
    if (row.operation.empty()) return cases::filter_line(this_invocation, {row.id});
    return cases::row_line(this_invocation, row.id, number ? std::to_string(*number) : "");
}

std::string again_finding(const verdict::Row& row, std::size_t finding, const cases::Invocation& invocation) {
    if (const verdict::CaseFindings* found = verdict::cases_of(row))
        return again_case(row, found->cases.empty() ? std::nullopt : std::optional(found->cases[finding]), invocation);
    if (row.unstable) return again_case(row, {}, invocation);
    const inputs::Point& point = verdict::points_of(row)[finding];
    cases::Reproduction reproduction{*verdict::conversion_of(row), point.input};
    reproduction.random = point.random;
    return cases::reproduction_line(under_profile_of(row, invocation), reproduction);
}

bool is_shown_by_row(const verdict::Row& row) {
    if (std::holds_alternative<verdict::TurnFindings>(row.found)) return true;
    if (verdict::conversion_of(row) == nullptr && row.operation.empty()) return false;
    if (row.unstable) return true;
    if (row.status != Status::fail && row.status != Status::mistrusted && row.status != Status::error) return false;
    const std::span<const observe::Culprit> culprits = verdict::culprits_of(row);
    return verdict::differences_of(row).empty() && verdict::wrong_of(row).empty() && !verdict::ended_by(row) &&
           std::none_of(culprits.begin(), culprits.end(), [](const observe::Culprit& c) { return c.inputs == 1; });
}

std::string again_given(const verdict::Row& row, std::string_view text, const cases::Invocation& invocation) {
    return cases::given_line(under_profile_of(row, invocation), row.id, text);
}

std::vector<std::string> commands_of_findings(const verdict::Row& row, const cases::Invocation& invocation) {
    std::vector<std::string> commands;
    for (std::size_t i = 0; i < verdict::wrong_of(row).size(); ++i) {
        std::string command = again_finding(row, i, invocation);
        if (commands.empty() || commands.back() != command) commands.push_back(std::move(command));
    }
    return commands;
}

} // namespace mxcert::report
