// SPDX-License-Identifier: Apache-2.0
#include "conformance/cli/replay_verdict.hpp"

#include <fmt/format.h>

#include "conformance/cli/commands.hpp"
#include "conformance/print/text.hpp"

namespace mxcert::cli {
namespace {

void print(std::FILE* people, const char* heading, const std::vector<ReplayChange>& changes) {
    if (changes.empty()) return;
    fmt::print(people, "{} ({}):\n", heading, changes.size());
    for (const ReplayChange& change : changes)
        fmt::print(people, "  {}: was {}, is {}\n", printable(change.where), printable(change.was),
                   printable(change.now));
}

} // namespace

int replay_verdict(const ReplayedReport& replayed, const Report& report, std::FILE* people) {
    const ReplayComparison comparison = compare_reports(replayed.report, Json::parse(report_json(report)));
    fmt::print(people, "\n");
    print(people, "Other surroundings", comparison.surroundings);
    print(people, "Not as it was", comparison.results);
    if (!comparison.results.empty()) {
        fmt::print(people, "DIFFERENT: the run does not repeat what the report says\n");
        return exit_failed;
    }
    fmt::print(people, "SAME: {} repeated, with the same statuses, counts and digests\n",
               counted(comparison.rows, "row"));
    return exit_ok;
}

} // namespace mxcert::cli
