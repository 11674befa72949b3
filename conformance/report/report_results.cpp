// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "conformance/print/version.hpp"
#include "conformance/report/junit.hpp"
#include "conformance/report/report.hpp"

namespace mxcert::report {
namespace {

JunitCase::Outcome outcome(const verdict::Row& row) {
    using enum JunitCase::Outcome;
    switch (row.status) {
    case Status::pass: return passed;
    case Status::unsupported: return row.required ? failed : skipped;
    case Status::error:
    case Status::incomplete: return error;
    default: return failed;
    }
}

JunitCase junit_case(const verdict::Row& row, const cases::Invocation& invocation) {
    JunitCase junit_case{row.id, row.profile, row.seconds, outcome(row), {}, {}, {}};
    if (junit_case.outcome == JunitCase::Outcome::passed) return junit_case;
    junit_case.type = to_string(row.status);
    junit_case.message = row.reason.empty() ? junit_case.type : row.reason;
    junit_case.text = failure_text(row, invocation, false);
    return junit_case;
}

} // namespace

std::string report_junit(const Report& report) {
    JunitSuite suite{"mxcert certify " + report.info.name,
                     report.seconds,
                     report.started,
                     {{"mxcert", std::string(print::tool_version)},
                      {"vectors", report.vectors.version},
                      {"manifest_sha256", report.vectors.manifest_sha256},
                      {"backend", report.info.name + ' ' + report.info.version},
                      {"build_id", report.info.build_id},
                      {"profiles", fmt::format("{}", fmt::join(report.invocation.profiles, " "))},
                      {"seed", std::to_string(report.seed)},
                      {"exit_code", std::to_string(exit_code(report))}},
                     {}};
    for (const verdict::Row& row : report.rows) suite.cases.push_back(junit_case(row, report.invocation));
    return junit_xml(suite);
}

} // namespace mxcert::report
