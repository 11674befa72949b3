// SPDX-License-Identifier: Apache-2.0
// The operation "scaling": the golden trace of a recipe, step by step.
#include "conformance/export/cases.hpp"
#include "conformance/export/operation_vectors.hpp"
#include "conformance/suites/scaling/trace_fault.hpp"
#include "vectors/cases/trace.hpp"
#include "vectors/tables/permit.hpp"

namespace mxcert::test_vectors {
namespace {

bool same_scales(const Trace& a, const Trace& b) {
    for (std::size_t step = 0; step < a.size(); ++step)
        if (!same(formats::fp32, a[step].scale, b[step].scale) ||
            !same(formats::fp32, a[step].inverse, b[step].inverse))
            return false;
    return true;
}

} // namespace

TestVectors scaling_vectors(const Operation& operation, const Profile& profile, verdict::GoldenSource& /*golden*/) {
    const TraceCase& trace_case = mxcert::trace_case(as_scaling(operation).name);
    const Trace trace = golden_trace(trace_case);
    TestVectors head = head_of(operation, profile);
    head.sizes = {"steps"};
    head.inputs = {{"amaxes", &formats::fp32}};
    head.outputs = {{"scales", &formats::fp32}, {"inverses", &formats::fp32}};
    TestVector test;
    test.comment = "the amaxes of a tensor, step by step, to the scale and the inverse scale of each step";
    test.inputs = {trace_case.amaxes};
    VectorAnswer& answer = test.answers.emplace_back();
    answer.outputs.assign(2, std::vector<Code>(trace.size()));
    for (std::size_t step = 0; step < trace.size(); ++step) {
        set_value(answer, 0, step, value_or_nan(trace[step].scale, formats::fp32));
        set_value(answer, 1, step, value_or_nan(trace[step].inverse, formats::fp32));
    }
    for (const suites::TraceFault& fault : suites::trace_faults()) {
        const std::optional<Machine> machine = fault.plant(trace_case.choices);
        if (machine && !same_scales(run(*machine, trace_case.amaxes), trace)) add_bug(test.bugs, "DELAYED_SCALING");
    }
    Collection collection(std::move(head));
    collection.add("trace", {trace.size()}, std::move(test));
    return collection.take();
}

} // namespace mxcert::test_vectors
