// SPDX-License-Identifier: Apache-2.0
#include "vectors/cases/trace.hpp"

#include "reference/exact/recipe/tensor_scaling.hpp"
#include "vectors/tables/csv_rows.hpp"
#include "vectors/tables/permit.hpp"

namespace mxcert {
namespace {

using formats::fp32;

constexpr const char* trace_header = "step,amax,scale,inverse";
constexpr Code quiet_nan = 0x7FC00000;

Code one_nan(Code code) { return fp32.is_nan(code) ? quiet_nan : code; }

} // namespace

Machine machine_of(const recipe::TensorScaling& choices) {
    return [choices, state = exact::start(choices)](Code amax) mutable { return exact::step(choices, state, amax); };
}

Trace run(const Machine& machine, std::span<const Code> amaxes) {
    // A copy: a machine remembers, and the next run begins where this one did.
    Machine fresh = machine;
    Trace trace;
    for (const Code amax : amaxes) {
        const recipe::Scales scales = fresh(amax);
        trace.push_back({amax, one_nan(scales.scale), one_nan(scales.inverse)});
    }
    return trace;
}

Trace golden_trace(const TraceCase& trace_case) { return run(machine_of(trace_case.choices), trace_case.amaxes); }

std::string write_trace(const Trace& trace) {
    std::string text = std::string(trace_header) + "\n";
    for (std::size_t i = 0; i < trace.size(); ++i) {
        text += std::to_string(i);
        for (const Code code : {trace[i].amax, trace[i].scale, trace[i].inverse}) text += "," + hex(code, fp32);
        text += "\n";
    }
    return text;
}

Trace parse_trace(std::string_view text, std::string_view name) {
    csv::Rows<4> rows(text, name, trace_header);
    Trace trace;
    while (rows.next()) {
        if (rows.field(0) != std::to_string(trace.size()))
            rows.fail("step '" + std::string(rows.field(0)) + "', not " + std::to_string(trace.size()));
        trace.push_back({rows.code(1, fp32), rows.code(2, fp32), rows.code(3, fp32)});
    }
    if (trace.empty()) throw csv::Error(name, "no rows");
    return trace;
}

std::vector<TraceText> traces() {
    std::vector<TraceText> texts;
    for (const TraceCase& trace_case : trace_cases())
        texts.push_back({trace_case.name + ".csv", write_trace(golden_trace(trace_case))});
    return texts;
}

} // namespace mxcert
