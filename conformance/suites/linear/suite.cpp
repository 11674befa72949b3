// SPDX-License-Identifier: Apache-2.0
// The operation "linear".
#include "conformance/suites/linear/suite.hpp"

#include "conformance/suites/linear/faults.hpp"
#include "conformance/suites/linear/layers.hpp"

namespace mxcert::suites {
namespace {

class LinearSuite final : public Suite {
  public:
    [[nodiscard]] std::string_view operation() const override { return "linear"; }
    [[nodiscard]] std::vector<SuitePart> parts(const Operation& /*operation*/) const override {
        return {{"values"}, {"special"}};
    }
    [[nodiscard]] std::unique_ptr<CasePart> cases(const SuiteRun& run, std::string_view part) const override {
        return linear_part(run, part);
    }
    [[nodiscard]] std::vector<KnownFault> faults() const override {
        std::vector<KnownFault> all;
        for (const LinearFault& fault : linear_faults()) all.push_back({find_bug_class(fault.bug_class), fault.name});
        return all;
    }
    [[nodiscard]] std::vector<Identified> identify(observe::Subject& /*subject*/, const Operation& operation,
                                                   verdict::GoldenSource& /*golden*/) const override {
        return {NotIdentified{to_string(operation),
                              "its recipe and its accumulator are not looked for; `mxcert certify` "
                              "names what is wrong with a layer"}};
    }
    [[nodiscard]] std::string_view drawn_part() const override { return "values"; }
};

} // namespace

const Suite& linear_suite() {
    static const LinearSuite suite;
    return suite;
}

} // namespace mxcert::suites
