// SPDX-License-Identifier: Apache-2.0
#include "conformance/suites/scaling/traces.hpp"

#include <algorithm>
#include <optional>
#include <stdexcept>

#include <fmt/format.h>

#include "conformance/print/text.hpp"
#include "conformance/suites/scaling/trace_fault.hpp"
#include "reference/code_text.hpp"
#include "vectors/tables/permit.hpp"

namespace mxcert::suites {
namespace {

using formats::fp32;

/// The amaxes of a training run that never ends: more steps than 16 bits count, in a seeded order, those of the golden
/// trace that are finite among them.
TraceCase long_case(const TraceCase& traced, std::uint64_t seed) {
    constexpr std::uint64_t steps = (std::uint64_t{1} << 16U) + 1;
    constexpr int binades = 24;
    TraceCase trace_case{traced.name, traced.choices, {}};
    for (std::uint64_t step = 0; step < steps; ++step) {
        const std::uint64_t word = SplitMix64::at(seed, step);
        const Code known = traced.amaxes[(word >> 40U) % traced.amaxes.size()];
        const Code exponent = static_cast<Code>(fp32.bias - binades / 2) + (word >> 32U) % binades;
        const bool takes_known = word % 16 == 0 && !fp32.is_nan(known) && known != fp32.inf_code();
        trace_case.amaxes.push_back(takes_known ? known : exponent << 23U | (word >> 4U & fp32.fraction_mask()));
    }
    return trace_case;
}

Trace trace_of(const TraceCase& trace_case, const std::vector<frames::Values>& outputs) {
    Trace trace;
    for (std::size_t step = 0; step < trace_case.amaxes.size(); ++step)
        trace.push_back({trace_case.amaxes[step], outputs[0].get(step), outputs[1].get(step)});
    return trace;
}

frames::RunCase run_of(const TraceCase& trace_case) {
    const std::uint64_t steps = trace_case.amaxes.size();
    frames::RunCase run;
    run.shape = {steps, 0, 0, 0};
    run.inputs = {frames::Values(steps, frames::bytes_of(fp32))};
    run.outputs = {frames::Values(steps, frames::bytes_of(fp32)), frames::Values(steps, frames::bytes_of(fp32))};
    for (std::uint64_t step = 0; step < steps; ++step) run.inputs[0].set(step, trace_case.amaxes[step]);
    return run;
}

std::string step_text(std::size_t step, const TraceRow& row, const TraceRow& wanted) {
    const auto code = [](Code bits) { return code_text(fp32, bits); };
    return fmt::format("step {}, amax {}: scale {} and inverse scale {}, not {} and {}", step, code(row.amax),
                       code(row.scale), code(row.inverse), code(wanted.scale), code(wanted.inverse));
}

Findings compare(const Trace& trace, const Trace& wanted) {
    Findings findings;
    findings.compared = 2 * wanted.size();
    for (std::size_t step = 0; step < wanted.size(); ++step) {
        const unsigned wrong = (same(fp32, trace[step].scale, wanted[step].scale) ? 0U : 1U) +
                               (same(fp32, trace[step].inverse, wanted[step].inverse) ? 0U : 1U);
        findings.differing += wrong;
        if (wrong != 0) findings.wrong.push_back(step_text(step, trace[step], wanted[step]));
    }
    return findings;
}

class Traces final : public CasePart {
  public:
    explicit Traces(const SuiteRun& run)
        : one_(trace_case(as_scaling(run.operation).name)), seed_(run.options.seed),
          small_(is_small(run.options.level)) {}

    void for_each_question(const std::function<bool(const Question&)>& ask) override {
        // A recipe that fails the short trace is not asked the long one.
        if (ask(question(one_)) && !small_ && !found_) ask(question(long_case(one_, seed_)));
    }
    [[nodiscard]] Question given(const cases::GivenCase& /*one*/) override {
        throw std::logic_error("a trace cannot be written down");
    }
    [[nodiscard]] bool is_sample() const override { return true; }
    [[nodiscard]] std::string failed(const verdict::Row& row) const override {
        return fmt::format("{} wrong, from step {} on", print::counted(row.differing, "scale"),
                           found_->first.value_or(0));
    }
    [[nodiscard]] std::vector<KnownFault> known_as(std::size_t /*judge*/) override {
        std::vector<KnownFault> known;
        for (const std::string_view fault : found_->faults)
            known.push_back({find_bug_class("DELAYED_SCALING"), std::string(fault)});
        return known;
    }

  private:
    [[nodiscard]] Question question(const TraceCase& trace) {
        auto trace_case = std::make_shared<const TraceCase>(trace);
        auto wanted = std::make_shared<Trace>(); // made when an answer comes: it takes its time
        Question question;
        question.name = fmt::format("{} steps", trace_case->amaxes.size());
        question.judged = {&fp32, &fp32};
        question.runs = [trace_case] { return std::vector<frames::RunCase>{run_of(*trace_case)}; };
        question.judge = [trace_case, wanted](std::size_t /*all*/, const std::vector<frames::Values>& outputs) {
            if (wanted->empty()) *wanted = golden_trace(*trace_case);
            return compare(trace_of(*trace_case, outputs), *wanted);
        };
        question.keep = [this, trace_case](std::size_t /*all*/, const std::vector<frames::Values>& outputs,
                                           const Findings& findings) {
            const TraceDiagnosis diagnosis = diagnose(*trace_case, trace_of(*trace_case, outputs));
            if (diagnosis.first.has_value() == findings.wrong.empty())
                throw std::logic_error("the comparison with the golden trace cannot be trusted");
            if (!findings.wrong.empty()) found_ = diagnosis;
        };
        return question;
    }

    const TraceCase& one_;
    std::uint64_t seed_;
    bool small_;
    std::optional<TraceDiagnosis> found_; ///< of a trace that is wrong
};

} // namespace

std::unique_ptr<CasePart> scaling_traces(const SuiteRun& run) { return std::make_unique<Traces>(run); }

} // namespace mxcert::suites
