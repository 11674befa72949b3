// SPDX-License-Identifier: Apache-2.0
#include "conformance/certify_scaling.hpp"

#include <fmt/format.h>

#include "conformance/text.hpp"
#include "reference/number.hpp"
#include "vectors/permit.hpp"
#include "vectors/trace_fault.hpp"

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
bool finds_planted(const TraceCase& one, Trace trace) {
    trace.front().inverse ^= 1;
    return diagnose(one, trace).first == 0;
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

} // namespace

Row certify_scaling(Subject& subject, const Operation& operation, const CertifyOptions& options) {
    const TraceCase& one = trace_case(as_scaling(operation).name);
    const std::uint64_t steps = one.amaxes.size();
    RunCase asked;
    asked.shape = {steps, 0, 0, 0};
    asked.inputs = {Values(steps, bytes_of(fp32))};
    asked.outputs = {Values(steps, bytes_of(fp32)), Values(steps, bytes_of(fp32))};
    asked.row = "trace";
    asked.name = fmt::format("{} steps", steps);
    for (std::uint64_t step = 0; step < steps; ++step) asked.inputs[0].set(step, one.amaxes[step]);

    Row row;
    row.sample = true;
    const RunAnswer answer = subject.run(operation, asked);
    row.status = answer.status;
    row.reason = answer.reason;
    row.detail = answer.detail;
    row.unstable = is_unstable(answer.status);
    if (answer.status != Status::pass) return row;
    for (const Values& output : answer.outputs) row.observed_sha256 = digest_after(row.observed_sha256, output);
    row.compared = row.repeated = 2 * steps;
    const Trace got = trace_of(one, answer);
    const Trace wanted = golden_trace(one);
    for (std::size_t step = 0; step < steps; ++step) {
        const unsigned wrong = (same(fp32, got[step].scale, wanted[step].scale) ? 0U : 1U) +
                               (same(fp32, got[step].inverse, wanted[step].inverse) ? 0U : 1U);
        row.differing += wrong;
        if (wrong != 0 && row.faults.size() < options.max_failures)
            row.faults.push_back(step_text(step, got[step], wanted[step]));
    }
    const TraceDiagnosis found = diagnose(one, got);
    if (found.first.has_value() != (row.differing != 0) || (!found.first && !finds_planted(one, got))) {
        row.status = Status::untested;
        row.reason = "the comparison with the golden trace cannot be trusted";
    } else if (found.first) {
        row.status = Status::fail;
        row.known_as = known_as(found.faults);
        row.reason = fmt::format("{} wrong, from step {} on; {}", counted(row.differing, "scale"), *found.first,
                                 row.known_as.empty() ? "no fault that is known" : "it is " + text(row.known_as));
    }
    return row;
}

} // namespace mxcert
