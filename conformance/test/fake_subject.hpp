// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "conformance/observe/subject.hpp"
#include "vectors/tables/tabulate.hpp"

namespace mxcert::test {

using observe::BareSubject;

/// An implementation made of step tables, with answers that a test can spoil.
class FakeSubject final : public BareSubject {
  public:
    FakeSubject() {
        info().name = "fake";
        info().version = "1";
        info().description = "step tables";
    }

    /// Offers a conversion that does what the exact model does.
    StepTable& offer(const std::string& id) {
        const Conversion conversion = parse_conversion(id);
        info().conversions.push_back(conversion);
        StepTable& table = tables[id];
        static std::map<std::string, StepTable> known; // tests offer the same one many times
        const auto [at, fresh] = known.try_emplace(id);
        if (fresh) at->second = tabulate(*conversion.from, *conversion.to, choices_of(conversion));
        table = at->second;
        return table;
    }

    [[nodiscard]] observe::Observation observe(const Conversion& conversion,
                                               const observe::Permitted& /*permitted*/) override {
        observe::Observation seen;
        seen.conversion = conversion;
        seen.status = status;
        if (status != Status::pass) {
            seen.reason = "as the test wants";
            return seen;
        }
        seen.table = tables.at(to_string(conversion));
        seen.inputs = conversion.from->last_code() + 1;
        return seen;
    }

    [[nodiscard]] observe::Observation observe_points(const Conversion& conversion,
                                                      const std::vector<inputs::Point>& inputs,
                                                      const PermitTable* /*permitted*/) override {
        observe::Observation seen;
        seen.conversion = conversion;
        seen.status = Status::pass;
        const StepTable& table = tables.at(to_string(conversion));
        for (inputs::Point point : inputs) {
            point.got = table.steps[find_step(table, point.input)].code;
            seen.points.push_back(point);
        }
        if (drop_last) seen.points.pop_back();
        seen.inputs = seen.points.size();
        return seen;
    }
    std::map<std::string, StepTable> tables;
    Status status = Status::pass; ///< what observe() ends with
    bool drop_last = false;       ///< observe_points() loses one answer
};

} // namespace mxcert::test
