// SPDX-License-Identifier: Apache-2.0
// The operation "scaling".
#include "conformance/suites/scaling/suite.hpp"

#include "conformance/suites/scaling/trace_fault.hpp"
#include "conformance/suites/scaling/traces.hpp"

namespace mxcert::suites {
namespace {

class ScalingSuite final : public Suite {
  public:
    [[nodiscard]] std::string_view operation() const override { return "scaling"; }
    [[nodiscard]] std::vector<SuitePart> parts(const Operation& /*operation*/) const override { return {{"trace"}}; }
    [[nodiscard]] std::unique_ptr<CasePart> cases(const SuiteRun& run, std::string_view /*part*/) const override {
        return scaling_traces(run);
    }
    [[nodiscard]] std::vector<KnownFault> faults() const override {
        std::vector<KnownFault> all;
        for (const TraceFault& fault : trace_faults())
            all.push_back({find_bug_class("DELAYED_SCALING"), std::string(fault.name)});
        return all;
    }
    [[nodiscard]] std::vector<Identified> identify(observe::Subject& /*subject*/, const Operation& operation,
                                                   verdict::GoldenSource& /*golden*/) const override {
        return {NotIdentified{to_string(operation),
                              "its recipe is not looked for; `mxcert certify` names what is wrong "
                              "with a trace"}};
    }
};

} // namespace

const Suite& scaling_suite() {
    static const ScalingSuite suite;
    return suite;
}

} // namespace mxcert::suites
