// SPDX-License-Identifier: Apache-2.0
// The operation "hadamard".
#include "conformance/suites/hadamard/suite.hpp"

#include "conformance/suites/hadamard/identify.hpp"
#include "conformance/suites/hadamard/part.hpp"
#include "conformance/suites/hadamard/way.hpp"

namespace mxcert::suites {
namespace {

class HadamardSuite final : public Suite {
  public:
    [[nodiscard]] std::string_view operation() const override { return "hadamard"; }
    [[nodiscard]] std::vector<SuitePart> parts(const Operation& /*operation*/) const override {
        return {{"places"}, {"sums"}, {"values"}};
    }
    [[nodiscard]] std::unique_ptr<CasePart> cases(const SuiteRun& run, std::string_view part) const override {
        return hadamard_part(run, part);
    }
    [[nodiscard]] std::vector<KnownFault> faults() const override {
        std::vector<KnownFault> all;
        for (const HadamardFault& fault : hadamard_faults())
            all.push_back({find_bug_class(fault.bug_class), std::string(fault.name)});
        return all;
    }
    [[nodiscard]] std::vector<Identified> identify(observe::Subject& subject, const Operation& operation,
                                                   verdict::GoldenSource& /*golden*/) const override {
        return {identify_hadamard(subject, operation)};
    }
    [[nodiscard]] std::string_view drawn_part() const override { return "values"; }
};

} // namespace

const Suite& hadamard_suite() {
    static const HadamardSuite suite;
    return suite;
}

} // namespace mxcert::suites
