// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdio>
#include <functional>

#include "conformance/certify/certify.hpp"
#include "conformance/cli/results/result_files.hpp"
#include "conformance/cli/running.hpp"
#include "conformance/evidence/surroundings.hpp"
#include "conformance/report/report.hpp"

// How a run is judged before people's eyes, and what it leaves: that of certify, and that of merge.
namespace mxcert::cli {

/// Where the lines of a run go.
struct RunLines {
    std::FILE* people = nullptr;
    report::View view;
    bool quiet = false;
    bool fail_fast = false; ///< stop after the first row that did not pass
};

/// Asks and judges what is planned, with a line for each row or family and the progress. Fills in the rows of the
/// report, and whether it was stopped.
void judge_run(observe::Subject& subject, const certify::Plan& plan, const verdict::CertifyOptions& certifying,
               Running& running, const RunLines& lines, report::Report& report);

/// The names of the files of --report beside report.html.
[[nodiscard]] const std::vector<std::string>& report_file_names();

/// Prints what failed and the verdict, and writes every file that was asked for. `surroundings`: of
/// the answers, for the statement.
void conclude_run(const report::Report& report, const ResultOptions& options, ResultFiles& files, const RunLines& lines,
                  const std::function<evidence::Surroundings()>& surroundings);

} // namespace mxcert::cli
