// SPDX-License-Identifier: Apache-2.0
#include "conformance/cli/replay_verdict.hpp"

#include <fmt/format.h>

#include "conformance/cli/commands.hpp"
#include "conformance/print/text.hpp"

namespace mxcert::cli {
namespace {

void print(std::FILE* people, const char* heading, const std::vector<report::ReplayChange>& changes) {
    if (changes.empty()) return;
    fmt::print(people, "{} ({}):\n", heading, changes.size());
    for (const report::ReplayChange& change : changes)
        fmt::print(people, "  {}: was {}, is {}\n", print::printable(change.where), print::printable(change.was),
                   print::printable(change.now));
}

} // namespace

int replay_verdict(const report::ReplayedReport& replayed, const report::Report& report, std::FILE* people) {
    const report::ReplayComparison comparison =
        report::compare_reports(replayed.report, files::Json::parse(report::report_json(report)));
    fmt::print(people, "\n");
    print(people, "Other surroundings", comparison.surroundings);
    print(people, "Changed", comparison.results);
    if (!comparison.results.empty()) {
        fmt::print(people, "DIFFERENT: the run does not repeat what the report says\n");
        return exit_failed;
    }
    fmt::print(people, "SAME: {} repeated, with the same statuses, counts and digests\n",
               print::counted(comparison.rows, "row"));
    return exit_ok;
}

} // namespace mxcert::cli
