// SPDX-License-Identifier: Apache-2.0
// The operation "dequantize_nvfp4".
#include "conformance/suites/dequantize_nvfp4/suite.hpp"

#include "conformance/suites/dequantize_nvfp4/identify.hpp"
#include "conformance/suites/dequantize_nvfp4/part.hpp"
#include "conformance/suites/dequantize_nvfp4/way.hpp"

namespace mxcert::suites {
namespace {

class DequantizeNvfp4Suite final : public Suite {
  public:
    [[nodiscard]] std::string_view operation() const override { return "dequantize_nvfp4"; }
    [[nodiscard]] std::vector<SuitePart> parts(const Operation& /*operation*/) const override {
        return {{"values", true}, {"blocks"}};
    }
    [[nodiscard]] std::unique_ptr<CasePart> cases(const SuiteRun& run, std::string_view part) const override {
        return nvfp4_back_part(run, part);
    }
    [[nodiscard]] std::vector<KnownFault> faults() const override {
        std::vector<KnownFault> all;
        for (const Nvfp4BackFault& fault : nvfp4_back_faults())
            all.push_back({find_bug_class(fault.bug_class), std::string(fault.name)});
        return all;
    }
    [[nodiscard]] std::vector<Identified> identify(observe::Subject& subject, const Operation& operation,
                                                   verdict::GoldenSource& /*golden*/) const override {
        return {identify_dequantize_nvfp4(subject, operation)};
    }
    [[nodiscard]] std::string_view drawn_part() const override { return "blocks"; }
    // A tensor has one of 2^31 numbers.
    [[nodiscard]] bool is_sampled(const Operation& operation, Level /*level*/) const override {
        return as_dequantize_nvfp4(operation).has_number();
    }
};

} // namespace

const Suite& dequantize_nvfp4_suite() {
    static const DequantizeNvfp4Suite suite;
    return suite;
}

} // namespace mxcert::suites
