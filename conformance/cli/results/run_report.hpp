// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "conformance/certify/certify.hpp"
#include "conformance/cli/backend_options.hpp"
#include "conformance/cli/running.hpp"
#include "conformance/report/report.hpp"

// What the report of a run says of the run, whichever command makes it.
namespace mxcert::cli {

/// The report before the run: what was asked for, by whom, where and when. `max_failures`: differences a row lists.
[[nodiscard]] report::Report begun_report(const std::string& backend, const BackendOptions& run,
                                          const verdict::CertifyOptions& certifying);

/// How the run judges: as it was asked to, with the filters of a subject that asks a part where none were given, and
/// with the seed of the report, the level and the stop flag of the run. The level goes to the report, too. Tells of
/// filters that match nothing.
[[nodiscard]] verdict::CertifyOptions run_options(const verdict::CertifyOptions& asked, const observe::Subject& subject,
                                                  const Running& running, report::Report& report);

/// Plans the run at the level of the report, and adds to the report what it is asked of, what judges it, and what is
/// not in it. A profile that nobody asked for by name and that has nothing to judge is dropped. Throws
/// std::invalid_argument for a pattern of --leave-out that names nothing, and what make_plan() throws.
[[nodiscard]] certify::Plan planned_run(const observe::Subject& subject, const verdict::CertifyOptions& certifying,
                                        verdict::GoldenSource& golden, report::Report& report);

} // namespace mxcert::cli
