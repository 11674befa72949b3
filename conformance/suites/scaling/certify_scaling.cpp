// SPDX-License-Identifier: Apache-2.0
#include "conformance/suites/scaling/certify_scaling.hpp"

#include <fmt/format.h>

#include "conformance/print/text.hpp"
#include "conformance/suites/scaling/trace_fault.hpp"
#include "reference/base/random.hpp"
#include "reference/exact/number.hpp"
#include "vectors/tables/permit.hpp"

namespace mxcert {
namespace {

using formats::fp32;

Trace trace_of(const TraceCase& one, const RunAnswer& answer) {
    Trace trace;
    for (std::size_t step = 0; step < one.amaxes.size(); ++step)
        trace.push_back({one.amaxes[step], answer.outputs[0].get(step), answer.outputs[1].get(step)});
    return trace;
}

// A judge that finds nothing must find a wrong bit: a verdict is only given by one that can fail. The first scale of a
// recipe is a number.
bool finds_planted(const TraceCase& one, TraceRow first) {
    first.inverse ^= 1;
    return diagnose({one.name, one.choices, {first.amax}}, {first}).first == 0;
}

std::string step_text(std::size_t step, const TraceRow& got, const TraceRow& wanted) {
    const auto code = [](Code bits) { return code_text(fp32, bits); };
    return fmt::format("step {}, amax {}: scale {} and inverse scale {}, not {} and {}", step, code(got.amax),
                       code(got.scale), code(got.inverse), code(wanted.scale), code(wanted.inverse));
}

std::vector<KnownFault> known_as(const std::vector<std::string_view>& faults) {
    std::vector<KnownFault> known;
    for (const std::string_view fault : faults)
        known.push_back({find_bug_class("DELAYED_SCALING"), std::string(fault)});
    return known;
}

/// The amaxes of a training run that never ends: more steps than 16 bits count, in a seeded order, those of the golden
/// trace that are finite among them.
TraceCase long_case(const TraceCase& one, std::uint64_t seed) {
    constexpr std::uint64_t steps = (std::uint64_t{1} << 16U) + 1;
    constexpr int binades = 24;
    TraceCase made{one.name, one.choices, {}};
    for (std::uint64_t step = 0; step < steps; ++step) {
        const std::uint64_t word = SplitMix64::at(seed, step);
        const Code known = one.amaxes[(word >> 40U) % one.amaxes.size()];
        const Code exponent = static_cast<Code>(fp32.bias - binades / 2) + (word >> 32U) % binades;
        const bool takes_known = word % 16 == 0 && !fp32.is_nan(known) && known != fp32.inf_code();
        made.amaxes.push_back(takes_known ? known : exponent << 23U | (word >> 4U & fp32.fraction_mask()));
    }
    return made;
}

/// Asks for a trace and compares it. Whether it was right.
bool compare(Subject& subject, const Operation& operation, const CertifyOptions& options, const TraceCase& one,
             Row& row) {
    const std::uint64_t steps = one.amaxes.size();
    RunCase asked;
    asked.shape = {steps, 0, 0, 0};
    asked.inputs = {Values(steps, bytes_of(fp32))};
    asked.outputs = {Values(steps, bytes_of(fp32)), Values(steps, bytes_of(fp32))};
    asked.row = "trace";
    asked.name = fmt::format("{} steps", steps);
    for (std::uint64_t step = 0; step < steps; ++step) asked.inputs[0].set(step, one.amaxes[step]);

    const RunAnswer answer = subject.run(operation, asked);
    row.status = answer.status;
    row.reason = answer.reason;
    row.detail = answer.detail;
    row.unstable = is_unstable(answer.status);
    if (answer.status != Status::pass) return false;
    for (const Values& output : answer.outputs) row.observed_sha256 = digest_after(row.observed_sha256, output);
    row.compared += 2 * steps;
    row.repeated += 2 * steps;
    const Trace got = trace_of(one, answer);
    const Trace wanted = golden_trace(one);
    std::uint64_t differing = 0;
    for (std::size_t step = 0; step < steps; ++step) {
        const unsigned wrong = (same(fp32, got[step].scale, wanted[step].scale) ? 0U : 1U) +
                               (same(fp32, got[step].inverse, wanted[step].inverse) ? 0U : 1U);
        differing += wrong;
        if (wrong != 0 && row.faults.size() < options.max_failures)
            row.faults.push_back(step_text(step, got[step], wanted[step]));
    }
    row.differing += differing;
    const TraceDiagnosis found = diagnose(one, got);
    if (found.first.has_value() != (differing != 0) || (!found.first && !finds_planted(one, got.front()))) {
        row.status = Status::untested;
        row.reason = "the comparison with the golden trace cannot be trusted";
    } else if (found.first) {
        row.status = Status::fail;
        row.known_as = known_as(found.faults);
        row.reason = fmt::format("{} wrong, from step {} on; {}", counted(row.differing, "scale"), *found.first,
                                 row.known_as.empty() ? "no fault that is known" : "it is " + text(row.known_as));
    }
    return row.status == Status::pass;
}

} // namespace

Row certify_scaling(Subject& subject, const Operation& operation, const CertifyOptions& options) {
    const TraceCase& one = trace_case(as_scaling(operation).name);
    Row row;
    row.sample = true;
    if (compare(subject, operation, options, one, row) && !is_small(options.level))
        (void)compare(subject, operation, options, long_case(one, options.seed), row);
    return row;
}

} // namespace mxcert
