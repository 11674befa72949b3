// SPDX-License-Identifier: Apache-2.0
#include "conformance/gate/gate.hpp"
#include "conformance/print/text.hpp"
#include "conformance/report/junit.hpp"

namespace mxcert::gate {
namespace {

report::JunitCase junit_case(const GateRow& row, const cases::Invocation& invocation) {
    report::JunitCase junit_case{
        row.name.second, row.name.first, row.now.seconds, report::JunitCase::Outcome::passed, {}, {}, {}};
    if (row.standing == Standing::same) return junit_case;
    constexpr std::size_t ranges = 100;
    junit_case.text = gate_row_text(row, invocation, ranges, false);
    if (row.standing == Standing::acknowledged) return junit_case;
    junit_case.outcome =
        row.standing == Standing::unfinished ? report::JunitCase::Outcome::error : report::JunitCase::Outcome::failed;
    junit_case.message = junit_case.text.substr(0, junit_case.text.find('\n'));
    junit_case.type = to_string(row.standing);
    return junit_case;
}

} // namespace

std::string gate_junit(const std::vector<GateRow>& rows, const report::Report& report) {
    report::JunitSuite suite{"mxcert gate " + report.info.name, report.seconds, {}, {}, {}};
    for (const GateRow& row : rows) suite.cases.push_back(junit_case(row, report.invocation));
    return report::junit_xml(suite);
}

} // namespace mxcert::gate
