// SPDX-License-Identifier: Apache-2.0
// The operation "quantize_nvfp4".
#include "conformance/suites/nvfp4/suite.hpp"

#include "conformance/suites/nvfp4/faults.hpp"
#include "conformance/suites/nvfp4/identify.hpp"
#include "conformance/suites/nvfp4/part.hpp"
#include "conformance/suites/nvfp4/random_elements.hpp"
#include "conformance/suites/stochastic/distribution.hpp"

namespace mxcert::suites {
namespace {

class QuantizeNvfp4Suite final : public Suite {
  public:
    [[nodiscard]] std::string_view operation() const override { return "quantize_nvfp4"; }
    [[nodiscard]] std::vector<SuitePart> parts(const Operation& operation) const override {
        std::vector<SuitePart> parts{{"scale"}, {"elements"}, {"blocks"}};
        // It is seen in the scales of blocks, too.
        if (as_quantize_nvfp4(operation).recipe->choices.tensor != recipe::TensorScale::none)
            parts.insert(parts.begin(), {"tensor", true});
        if (as_quantize_nvfp4(operation).random) parts.push_back({distribution});
        return parts;
    }
    [[nodiscard]] std::unique_ptr<CasePart> cases(const SuiteRun& run, std::string_view part) const override {
        return part == distribution ? nullptr : nvfp4_part(run, part);
    }
    [[nodiscard]] std::vector<KnownFault> faults() const override {
        std::vector<KnownFault> all;
        for (const Nvfp4Fault& fault : nvfp4_faults())
            all.push_back({find_bug_class(fault.bug_class), std::string(fault.name)});
        for (const Nvfp4Fault& fault : nvfp4_transform_faults())
            all.push_back({find_bug_class(fault.bug_class), std::string(fault.name)});
        for (const Nvfp4Fault& fault : nvfp4_random_faults())
            all.push_back({find_bug_class(fault.bug_class), std::string(fault.name)});
        for (KnownFault& fault : faults_of_blocks()) all.push_back(std::move(fault));
        for (const recipe::Nvfp4Preset& preset : recipe::nvfp4_presets())
            all.push_back({find_bug_class("SCALING_RECIPE"), "the recipe " + std::string(preset.name)});
        return all;
    }
    [[nodiscard]] std::vector<Identified> identify(observe::Subject& subject, const Operation& operation,
                                                   verdict::GoldenSource& /*golden*/) const override {
        return {identify_nvfp4(subject, operation)};
    }
    [[nodiscard]] std::string_view drawn_part() const override { return "blocks"; }
    // A tensor has an amax of 16 bits or more, and its blocks have theirs.
    [[nodiscard]] bool is_sampled(const Operation& /*operation*/, Level /*level*/) const override { return true; }
    [[nodiscard]] bool draws_randomly(const Operation& operation) const override {
        return as_quantize_nvfp4(operation).random.has_value();
    }

  private:
    static constexpr std::string_view distribution = "distribution";

    [[nodiscard]] std::vector<verdict::Row> tables(const SuiteRun& run) const override {
        if (!as_quantize_nvfp4(run.operation).random || !run.wanted(distribution) || run.profiles.empty()) return {};
        return rows_of_all(run, distribution, certify_random_elements(run));
    }
};

} // namespace

const Suite& quantize_nvfp4_suite() {
    static const QuantizeNvfp4Suite suite;
    return suite;
}

} // namespace mxcert::suites
