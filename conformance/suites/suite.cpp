// SPDX-License-Identifier: Apache-2.0
#include "conformance/suites/suite.hpp"

#include <iterator>
#include <stdexcept>

#include <fmt/format.h>

#include "conformance/print/text.hpp"
#include "conformance/suites/certify_cases.hpp"

namespace mxcert {

std::string SuiteRun::id(std::string_view part) const { return fmt::format("{}/{}", to_string(operation), part); }

bool SuiteRun::wanted(std::string_view part) const { return selected(options.filters, id(part)); }

GivenCase CasePart::draw(SplitMix64& /*random*/) { throw std::logic_error("no case of this part can be drawn"); }

std::string CasePart::left_out(const std::vector<std::string>& refused) const {
    return refused.empty() ? "" : fmt::format("refused, as it may: {}", fmt::join(refused, "; "));
}

std::vector<Row> Suite::certify(const SuiteRun& run) const {
    std::vector<Row> rows = certify_tables(run);
    for (const SuitePart& part : parts(run.operation)) {
        if (!run.wanted(part.name)) continue;
        const std::unique_ptr<CasePart> asked = cases(run, part.name);
        if (asked == nullptr) continue;
        std::vector<Row> of_part = certify_cases(run, part.name, *asked);
        std::move(of_part.begin(), of_part.end(), std::back_inserter(rows));
    }
    return rows;
}

void Suite::ask(const SuiteRun& run) const {
    ask_tables(run);
    for (const SuitePart& part : parts(run.operation)) {
        if (!run.wanted(part.name)) continue;
        if (const std::unique_ptr<CasePart> asked = cases(run, part.name)) ask_cases(run, part.name, *asked);
    }
}

RunAnswer Suite::stand_in(const Operation& /*operation*/, const RunCase& asked) const {
    RunAnswer zeros;
    zeros.outputs = asked.outputs;
    return zeros;
}

} // namespace mxcert
