// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <stdexcept>

#include "conformance/suites/scaling/trace_fault.hpp"

namespace mxcert::suites {

namespace {

/// Whether a machine gives this trace. Most differ at an early step, and a trace may be long.
bool gives(const Machine& machine, const Trace& trace) {
    Machine fresh = machine;
    return std::all_of(trace.begin(), trace.end(), [&](const TraceRow& row) {
        const Code amax[] = {row.amax};
        return run([&](Code code) { return fresh(code); }, amax).front() == row;
    });
}

} // namespace

TraceDiagnosis diagnose(const TraceCase& trace_case, const Trace& observed) {
    if (observed.size() != trace_case.amaxes.size())
        throw std::invalid_argument("the trace of " + trace_case.name + " has " +
                                    std::to_string(trace_case.amaxes.size()) + " steps, not " +
                                    std::to_string(observed.size()));
    std::size_t at = 0;
    for (const TraceRow& row : observed)
        if (row.amax != trace_case.amaxes[at++])
            throw std::invalid_argument("step " + std::to_string(at - 1) + " is not of the amax of " + trace_case.name);
    at = 0;
    const Trace seen = run(
        [&](Code) {
            const TraceRow& row = observed[at++];
            return recipe::Scales{row.scale, row.inverse};
        },
        trace_case.amaxes);
    const Trace golden = golden_trace(trace_case);
    TraceDiagnosis diagnosis;
    for (std::size_t i = 0; i < golden.size() && !diagnosis.first; ++i)
        if (seen[i] != golden[i]) diagnosis.first = i;
    if (!diagnosis.first) return diagnosis;
    for (const TraceFault& fault : trace_faults())
        if (const std::optional<Machine> machine = fault.plant(trace_case.choices); machine && gives(*machine, seen))
            diagnosis.faults.push_back(fault.name);
    return diagnosis;
}

} // namespace mxcert::suites
