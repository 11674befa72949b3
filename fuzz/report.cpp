// SPDX-License-Identifier: Apache-2.0
// A report that is to be run again, report.json or certificate.json, or of which what failed is. What is read can be
// compared with itself, and is the same.
#include <stdexcept>

#include "conformance/evidence/arithmetic.hpp"
#include "conformance/report/last_failed.hpp"
#include "conformance/report/stored_report.hpp"
#include "fuzz/scratch.hpp"
#include "fuzz/target.hpp"

namespace {

using namespace mxcert;

void run(std::string_view input) {
    static const fuzz::Scratch scratch;
    scratch.write("report.json", input);
    try {
        const report::LastFailed failed = report::read_last_failed(scratch.path() / "report.json");
        fuzz::require(failed.whole.empty() || !failed.rows.empty(), "a row that all must run for is one that failed");
    } catch (const std::runtime_error&) { // no report
    }
    report::StoredReport stored;
    try {
        stored = report::read_report(scratch.path() / "report.json");
    } catch (const std::runtime_error&) {
        return;
    }
    (void)evidence::contradiction(stored.report);
    const report::ReportComparison comparison = report::compare_reports(stored.report, stored.report);
    fuzz::require(comparison.rows != 0, "a report that is compared has rows");
    fuzz::require(comparison.results.empty() && comparison.surroundings.empty(), "a report is the same as itself");
}

const fuzz::Target registered{"report", run, fuzz::Form::json};

} // namespace
