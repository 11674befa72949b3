// SPDX-License-Identifier: Apache-2.0
// The operation "matmul".
#include "conformance/suites/matmul/suite.hpp"

#include "conformance/suites/matmul/cases.hpp"
#include "conformance/suites/matmul/faults.hpp"
#include "conformance/suites/matmul/group_faults.hpp"
#include "conformance/suites/matmul/identify.hpp"
#include "conformance/suites/matmul/products.hpp"

namespace mxcert::suites {
namespace {

class MatmulSuite final : public Suite {
  public:
    [[nodiscard]] std::string_view operation() const override { return "matmul"; }
    [[nodiscard]] std::vector<SuitePart> parts(const Operation& operation) const override {
        std::vector<SuitePart> parts{{"places"}, {"special"}};
        if (has_small_float_scales(as_matmul(operation))) parts.push_back({"scales"});
        parts.insert(parts.end(), {{"values"}, {"relations"}});
        return parts;
    }
    [[nodiscard]] std::unique_ptr<CasePart> cases(const SuiteRun& run, std::string_view part) const override {
        return matmul_part(run, part);
    }
    [[nodiscard]] std::vector<KnownFault> faults() const override {
        std::vector<KnownFault> all;
        for (const MatmulFault& fault : matmul_faults())
            all.push_back({find_bug_class(fault.bug_class), std::string(fault.name)});
        for (KnownFault& fault : known_group_faults()) all.push_back(std::move(fault));
        return all;
    }
    [[nodiscard]] std::vector<Identified> identify(observe::Subject& subject, const Operation& operation,
                                                   verdict::GoldenSource& /*golden*/) const override {
        return {identify_matmul(subject, operation)};
    }
    [[nodiscard]] std::string_view drawn_part() const override { return "values"; }
};

} // namespace

const Suite& matmul_suite() {
    static const MatmulSuite suite;
    return suite;
}

} // namespace mxcert::suites
