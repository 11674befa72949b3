// SPDX-License-Identifier: Apache-2.0
#include "conformance/suites/suite.hpp"

#include <iterator>

#include "conformance/suites/certify_cases.hpp"

namespace mxcert::suites {

std::vector<verdict::Row> Suite::certify(const SuiteRun& run) const {
    std::vector<verdict::Row> rows = tables(run);
    for (const SuitePart& part : parts(run.operation)) {
        if (!run.wanted(part.name)) continue;
        const std::unique_ptr<CasePart> asked_part = cases(run, part.name);
        if (asked_part == nullptr) continue;
        std::vector<verdict::Row> of_part = certify_cases(run, part.name, *asked_part);
        std::move(of_part.begin(), of_part.end(), std::back_inserter(rows));
    }
    return rows;
}

void Suite::ask(const SuiteRun& run) const {
    static_cast<void>(tables(run));
    for (const SuitePart& part : parts(run.operation)) {
        if (!run.wanted(part.name)) continue;
        if (const std::unique_ptr<CasePart> asked_part = cases(run, part.name)) ask_cases(run, part.name, *asked_part);
    }
}

AnswerRun Suite::stand_in(const Operation& /*operation*/) const {
    return [](const frames::RunCase& run_case) {
        frames::RunAnswer zeros;
        zeros.outputs = run_case.outputs;
        return zeros;
    };
}

} // namespace mxcert::suites
