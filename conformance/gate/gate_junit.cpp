// SPDX-License-Identifier: Apache-2.0
#include "conformance/gate/gate.hpp"
#include "conformance/print/text.hpp"
#include "conformance/report/junit.hpp"

namespace mxcert::gate {
namespace {

report::JunitCase junit_case(const GateRow& row, const cases::Invocation& invocation) {
    report::JunitCase one{
        row.name.second, row.name.first, row.now.seconds, report::JunitCase::Outcome::passed, {}, {}, {}};
    if (row.standing == Standing::same) return one;
    constexpr std::size_t ranges = 100;
    one.text = gate_row_text(row, invocation, ranges, false);
    if (row.standing == Standing::acknowledged) return one;
    one.outcome =
        row.standing == Standing::unfinished ? report::JunitCase::Outcome::error : report::JunitCase::Outcome::failed;
    one.message = one.text.substr(0, one.text.find('\n'));
    one.type = to_string(row.standing);
    return one;
}

} // namespace

std::string gate_junit(const std::vector<GateRow>& rows, const report::Report& report) {
    report::JunitSuite suite{"mxcert gate " + report.info.name, report.seconds, {}, {}, {}};
    for (const GateRow& row : rows) suite.cases.push_back(junit_case(row, report.invocation));
    return report::junit_xml(suite);
}

} // namespace mxcert::gate
