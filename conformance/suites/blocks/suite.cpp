// SPDX-License-Identifier: Apache-2.0
// The operations "quantize" and "dequantize".
#include "conformance/suites/blocks/suite.hpp"

#include <algorithm>
#include <utility>

#include "conformance/suites/activation/faults.hpp"
#include "conformance/suites/activation/identify.hpp"
#include "conformance/suites/blocks/ask.hpp"
#include "conformance/suites/blocks/block_cases.hpp"
#include "conformance/suites/blocks/block_tables.hpp"
#include "conformance/suites/blocks/explain_scales.hpp"
#include "conformance/suites/blocks/identify.hpp"
#include "conformance/suites/blocks/join_faults.hpp"
#include "conformance/suites/blocks/moved_faults.hpp"
#include "conformance/suites/blocks/requantized.hpp"
#include "vectors/tables/tabulate.hpp"

namespace mxcert::suites {
namespace {

bool has_activation(const Operation& operation) { return as_quantize(operation).activation != Activation::none; }

class QuantizeSuite final : public Suite {
  public:
    [[nodiscard]] std::string_view operation() const override { return "quantize"; }
    [[nodiscard]] std::vector<SuitePart> parts(const Operation& operation) const override {
        if (has_activation(operation)) return {{"values"}, {"blocks"}};
        // The only value of a block of one is its amax: its elements are cases.
        if (as_quantize(operation).block == 1) return {{"scale", true}, {"blocks"}};
        return {{"scale", true}, {"elements", true}, {"blocks"}};
    }
    [[nodiscard]] std::unique_ptr<CasePart> cases(const SuiteRun& run, std::string_view part) const override {
        if (part == "values") return quantize_activated(run);
        return part == drawn_part() ? quantize_blocks(run) : nullptr;
    }
    [[nodiscard]] std::vector<KnownFault> faults() const override {
        std::vector<KnownFault> all;
        for (const ActivationFault& fault : activation_faults())
            all.push_back({find_bug_class(fault.bug_class), std::string(fault.name)});
        for (const JoinFault& fault : join_faults())
            all.push_back({find_bug_class(fault.bug_class), std::string(fault.name)});
        for (KnownFault& fault : moved_faults()) all.push_back(std::move(fault));
        all.push_back({find_bug_class("REQUANTIZED"), std::string(requantized)});
        all.push_back({find_bug_class("AMAX_LANES"), std::string(amax_of_lanes)});
        return all;
    }
    [[nodiscard]] std::vector<Identified> identify(observe::Subject& subject, const Operation& operation,
                                                   verdict::GoldenSource& golden) const override {
        if (has_activation(operation)) return {identify_activation(subject, operation, golden)};
        FoundQuantizer found = identify_quantize(subject, operation, golden);
        return {std::move(found.scale), std::move(found.elements), std::move(found.blocks)};
    }
    [[nodiscard]] std::string_view drawn_part() const override { return "blocks"; }
    [[nodiscard]] bool is_sampled(const Operation& operation, Level level) const override {
        if (has_activation(operation)) return true;
        return !is_narrow(as_quantize(operation)) && !asks_every_pair(level);
    }
    [[nodiscard]] std::vector<std::string_view> swept(const Operation& operation, Level level) const override {
        if (has_activation(operation) || is_narrow(as_quantize(operation))) return {};
        const bool has_elements = as_quantize(operation).block != 1;
        if (asks_every_value(level) && has_elements) return {"elements"};
        if (!asks_every_pair(level)) return {};
        if (has_elements) return {"scale", "elements"};
        return {"scale"};
    }
    [[nodiscard]] AnswerRun stand_in(const Operation& operation) const override;

  private:
    [[nodiscard]] std::vector<verdict::Row> tables(const SuiteRun& run) const override {
        // With an activation the scale is no function of an amax alone that a table could ask: these are cases.
        return has_activation(run.operation) ? std::vector<verdict::Row>() : quantize_tables(run);
    }
};

// The scales of a quantizer that is right, for the questions that go by them: one block a line, whose amax is its
// largest value.
AnswerRun QuantizeSuite::stand_in(const Operation& operation) const {
    const Quantize quantize = as_quantize(operation);
    return [part = drawn_part(), zeros = Suite::stand_in(operation), quantize,
            scale_of = tabulate(*quantize.scale.from, *quantize.scale.to, choices_of(quantize.scale))](
               const frames::RunCase& run_case) {
        frames::RunAnswer answer = zeros(run_case);
        if (run_case.row == part) return answer;
        const bool rows = quantize.axis == Axis::row;
        const BlockMatrix matrix{quantize.axis, rows ? run_case.shape[0] : run_case.shape[1],
                                 rows ? run_case.shape[1] : run_case.shape[0], run_case.shape[2]};
        for (std::uint64_t line = 0; line < matrix.lines; ++line) {
            Code amax = 0;
            for (std::uint64_t at = 0; at < matrix.length; ++at)
                amax = std::max(amax, run_case.inputs[0].get(matrix.place(line, at)) &
                                          quantize.format.value->magnitude_mask());
            answer.outputs[1].set(matrix.scale_place(line, 0), scale_of.steps[find_step(scale_of, amax)].code);
        }
        return answer;
    };
}

class DequantizeSuite final : public Suite {
  public:
    [[nodiscard]] std::string_view operation() const override { return "dequantize"; }
    [[nodiscard]] std::vector<SuitePart> parts(const Operation& /*operation*/) const override {
        return {{"values", true}, {"blocks"}};
    }
    [[nodiscard]] std::unique_ptr<CasePart> cases(const SuiteRun& run, std::string_view part) const override {
        return part == drawn_part() ? dequantize_blocks(run) : nullptr;
    }
    [[nodiscard]] std::vector<KnownFault> faults() const override { return {}; } // those of "quantize"
    [[nodiscard]] std::vector<Identified> identify(observe::Subject& subject, const Operation& operation,
                                                   verdict::GoldenSource& golden) const override {
        FoundDequantizer found = identify_dequantize(subject, operation, golden);
        return {std::move(found.values), std::move(found.blocks)};
    }
    [[nodiscard]] std::string_view drawn_part() const override { return "blocks"; }

  private:
    [[nodiscard]] std::vector<verdict::Row> tables(const SuiteRun& run) const override {
        return dequantize_tables(run);
    }
};

} // namespace

const Suite& quantize_suite() {
    static const QuantizeSuite suite;
    return suite;
}

const Suite& dequantize_suite() {
    static const DequantizeSuite suite;
    return suite;
}

} // namespace mxcert::suites
