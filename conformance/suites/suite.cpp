// SPDX-License-Identifier: Apache-2.0
#include "conformance/suites/suite.hpp"

#include <iterator>

#include "conformance/suites/certify_cases.hpp"

namespace mxcert::suites {

std::vector<verdict::Row> Suite::certify(const SuiteRun& run) const {
    std::vector<verdict::Row> rows = tables(run);
    for (const SuitePart& part : parts(run.operation)) {
        if (!run.wanted(part.name)) continue;
        const std::unique_ptr<CasePart> asked = cases(run, part.name);
        if (asked == nullptr) continue;
        std::vector<verdict::Row> of_part = certify_cases(run, part.name, *asked);
        std::move(of_part.begin(), of_part.end(), std::back_inserter(rows));
    }
    return rows;
}

void Suite::ask(const SuiteRun& run) const {
    static_cast<void>(tables(run));
    for (const SuitePart& part : parts(run.operation)) {
        if (!run.wanted(part.name)) continue;
        if (const std::unique_ptr<CasePart> asked = cases(run, part.name)) ask_cases(run, part.name, *asked);
    }
}

AnswerRun Suite::stand_in(const Operation& /*operation*/) const {
    return [](const frames::RunCase& asked) {
        frames::RunAnswer zeros;
        zeros.outputs = asked.outputs;
        return zeros;
    };
}

} // namespace mxcert::suites
