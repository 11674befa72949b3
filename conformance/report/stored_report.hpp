// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "conformance/cases/reproduce.hpp"
#include "conformance/files/json_members.hpp"

// A certificate, or any report of `certify`, run once more (docs/certify.md).
namespace mxcert::report {

/// How the run of a report was made, and the report itself.
struct StoredReport { // NOLINT(bugprone-exception-escape): moving JSON throws nothing
    cases::Invocation invocation;
    std::vector<std::string> filters;
    std::vector<std::string> leave_out;
    std::vector<std::string> required;
    std::string reproduce; ///< "" if the run was not of one input
    std::uint64_t seed = 1;
    unsigned samples_per_step = 0;
    LevelOf level{};
    std::size_t max_failures = 5;
    files::Json report;
};

/// Reads a report. Throws std::runtime_error that names the file and the place: no such report, a member missing or of
/// another kind, contents that do not give its checksum, or a run that was stopped or left out something that the
/// report does not say.
[[nodiscard]] StoredReport read_report(const std::filesystem::path& path);

/// The digest a report carries of itself: SHA-256 of the rest, printed without white space.
[[nodiscard]] std::string report_checksum(files::Json report);

/// One thing that is not as it was.
struct ReportChange {
    std::string where; ///< "fp32-e4m3-nearest_even-sat, ocp: observed_sha256"
    std::string was;
    std::string now;
};

/// What is not as it was.
struct ReportComparison {
    std::vector<ReportChange> results;      ///< what was tested, what it was held to, and what came out
    std::vector<ReportChange> surroundings; ///< the tool, the machine: they may differ
    std::size_t rows = 0;                   ///< rows that both have
};

/// Compares two reports; `before` may hold anything that read_report() lets pass. Ignored are times, the number of
/// workers, how the backend was named on the command line, and texts for people.
[[nodiscard]] ReportComparison compare_reports(const files::Json& before, const files::Json& after);

} // namespace mxcert::report
