// SPDX-License-Identifier: Apache-2.0
// The operation "scaled_matmul".
#include "conformance/suites/scaled_matmul/suite.hpp"

#include "conformance/suites/matmul/faults.hpp"
#include "conformance/suites/scaled_matmul/faults.hpp"
#include "conformance/suites/scaled_matmul/identify.hpp"
#include "conformance/suites/scaled_matmul/part.hpp"

namespace mxcert::suites {
namespace {

class ScaledMatmulSuite final : public Suite {
  public:
    [[nodiscard]] std::string_view operation() const override { return "scaled_matmul"; }
    [[nodiscard]] std::vector<SuitePart> parts(const Operation& /*operation*/) const override {
        return {{"places"}, {"special"}, {"values"}};
    }
    [[nodiscard]] std::unique_ptr<CasePart> cases(const SuiteRun& run, std::string_view part) const override {
        return scaled_matmul_part(run, part);
    }
    [[nodiscard]] std::vector<KnownFault> faults() const override {
        std::vector<KnownFault> all;
        for (const ScaledFault& fault : scaled_faults())
            all.push_back({find_bug_class(fault.bug_class), std::string(fault.name)});
        for (const MatmulFault& fault : matmul_faults())
            all.push_back({find_bug_class(fault.bug_class), std::string(fault.name)});
        return all;
    }
    [[nodiscard]] std::vector<Identified> identify(observe::Subject& subject, const Operation& operation,
                                                   verdict::GoldenSource& /*golden*/) const override {
        return {identify_scaled_matmul(subject, operation)};
    }
    [[nodiscard]] std::string_view drawn_part() const override { return "values"; }
};

} // namespace

const Suite& scaled_matmul_suite() {
    static const ScaledMatmulSuite suite;
    return suite;
}

} // namespace mxcert::suites
