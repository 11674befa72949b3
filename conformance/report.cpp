// SPDX-License-Identifier: Apache-2.0
#include "conformance/report.hpp"

#include <sys/utsname.h>

#include <algorithm>
#include <fstream>
#include <set>

#include "conformance/subject.hpp"
#include "vectors/golden_files.hpp"
#include "vectors/permit.hpp"

namespace mxcert {
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

bool is_needless_sample(const Row& row) {
    return row.sample && row.operation.empty() && row.conversion.from != nullptr && !needs_points(row.conversion);
}

Invocation under_profile_of(const Row& row, const Invocation& invocation) {
    Invocation one = invocation;
    if (!row.profile.empty()) one.profiles = {row.profile};
    return one;
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

VectorSet this_vector_set() { return {std::string(vectors_version), manifest_sha256(golden_folder())}; }

std::size_t count(const Report& report, Status status) {
    return static_cast<std::size_t>(
        std::count_if(report.rows.begin(), report.rows.end(), [&](const Row& row) { return row.status == status; }));
}

std::vector<GradedClauses> graded_clauses(const std::vector<Row>& rows) {
    std::set<std::string> ids;
    for (const Row& row : rows) ids.insert(row.clauses.begin(), row.clauses.end());
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

bool is_certificate(const Report& report) {
    if (exit_code(report.rows) != 0 || !report.selection.empty() || report.interrupted) return false;
    if (is_small(report.level.level)) return false;
    // A sample stands for a source only where that is too wide to be run.
    if (std::any_of(report.rows.begin(), report.rows.end(), is_needless_sample)) return false;
    // Each profile has to have judged a conversion or an operation: one that judged none would be certified by the
    // others.
    return std::all_of(report.invocation.profiles.begin(), report.invocation.profiles.end(),
                       [&](const std::string& profile) {
                           return std::any_of(report.rows.begin(), report.rows.end(), [&](const Row& row) {
                               return row.profile == profile && row.status == Status::pass &&
                                      (row.conversion.from != nullptr || !row.operation.empty());
                           });
                       });
}

std::string again(const Row& row, Code input, const Invocation& invocation) {
    const Invocation one = under_profile_of(row, invocation);
    if (!row.operation.empty()) return row_line(one, row.id, hex(input, *row.conversion.from));
    return reproduction_line(one, {row.conversion, input});
}

std::string again_case(const Row& row, std::optional<std::uint64_t> number, const Invocation& invocation) {
    const Invocation one = under_profile_of(row, invocation);
    // A rounding with given random bits is a function of two numbers, of which --reproduce takes one.
    if (row.operation.empty()) return filter_line(one, row.id);
    return row_line(one, row.id, number ? std::to_string(*number) : "");
}

bool is_shown_by_row(const Row& row) {
    if (row.conversion.from == nullptr && row.operation.empty()) return false;
    if (row.unstable) return true;
    if (row.status != Status::fail && row.status != Status::mistrusted && row.status != Status::error) return false;
    return row.differences.empty() && row.faults.empty() && !row.ended_by &&
           std::none_of(row.culprits.begin(), row.culprits.end(), [](const Culprit& c) { return c.inputs == 1; });
}

std::string again_given(const Row& row, std::string_view given, const Invocation& invocation) {
    return given_line(under_profile_of(row, invocation), row.id, given);
}

std::vector<std::string> commands_of_faults(const Row& row, const Invocation& invocation) {
    std::vector<std::string> commands;
    for (std::size_t i = 0; i < row.faults.size(); ++i) {
        std::string command =
            again_case(row, row.cases.empty() ? std::nullopt : std::optional(row.cases[i]), invocation);
        if (commands.empty() || commands.back() != command) commands.push_back(std::move(command));
    }
    return commands;
}

} // namespace mxcert
