// SPDX-License-Identifier: Apache-2.0
// The operations "quantize_float" and "dequantize_float".
#include "conformance/suites/float_blocks/suite.hpp"

#include "conformance/suites/float_blocks/float_diagnose.hpp"
#include "conformance/suites/float_blocks/float_parts.hpp"
#include "conformance/suites/float_blocks/identify_float.hpp"

namespace mxcert::suites {
namespace {

class QuantizeFloatSuite final : public Suite {
  public:
    [[nodiscard]] std::string_view operation() const override { return "quantize_float"; }
    [[nodiscard]] std::vector<SuitePart> parts(const Operation& operation) const override {
        // The only value of a block of one is its amax: its elements are cases.
        if (as_quantize_float(operation).block == BlockShape{1, 1}) return {{"scale", true}, {"blocks"}};
        return {{"scale", true}, {"elements", true}, {"blocks"}};
    }
    [[nodiscard]] std::unique_ptr<CasePart> cases(const SuiteRun& run, std::string_view part) const override {
        return quantize_float_part(run, part);
    }
    [[nodiscard]] std::vector<KnownFault> faults() const override { return float_faults(); }
    [[nodiscard]] std::vector<Identified> identify(observe::Subject& subject, const Operation& operation,
                                                   verdict::GoldenSource& /*golden*/) const override {
        return {identify_quantize_float(subject, operation)};
    }
    [[nodiscard]] std::string_view drawn_part() const override { return "blocks"; }
    // Pairs of a value and a scale of 16 bits or more.
    [[nodiscard]] bool is_sampled(const Operation& /*operation*/, Level /*level*/) const override { return true; }
};

class DequantizeFloatSuite final : public Suite {
  public:
    [[nodiscard]] std::string_view operation() const override { return "dequantize_float"; }
    [[nodiscard]] std::vector<SuitePart> parts(const Operation& /*operation*/) const override {
        return {{"values", true}, {"blocks"}};
    }
    [[nodiscard]] std::unique_ptr<CasePart> cases(const SuiteRun& run, std::string_view part) const override {
        return dequantize_float_part(run, part);
    }
    [[nodiscard]] std::vector<KnownFault> faults() const override { return {}; } // no verdict names one
    [[nodiscard]] std::vector<Identified> identify(observe::Subject& subject, const Operation& operation,
                                                   verdict::GoldenSource& /*golden*/) const override {
        return {identify_dequantize_float(subject, operation)};
    }
    [[nodiscard]] std::string_view drawn_part() const override { return "blocks"; }
    [[nodiscard]] bool is_sampled(const Operation& operation, Level /*level*/) const override {
        return operation.value("scale") != "e8m0";
    }
};

} // namespace

const Suite& quantize_float_suite() {
    static const QuantizeFloatSuite suite;
    return suite;
}

const Suite& dequantize_float_suite() {
    static const DequantizeFloatSuite suite;
    return suite;
}

} // namespace mxcert::suites
