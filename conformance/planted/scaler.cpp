// SPDX-License-Identifier: Apache-2.0
// A plugin that scales a tensor as Transformer Engine does, right or with the fault that --backend-option names.
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>

#include "conformance/planted/operations_api.hpp"
#include "conformance/suites/scaling/trace_fault.hpp"

namespace {

using namespace mxcert;
using planted::fault;

Machine machine() {
    const TraceCase& traced = trace_case("te_delayed_4_margin_2");
    for (const suites::TraceFault& planted : suites::trace_faults())
        if (planted.name == fault) return planted.plant(traced.choices).value_or(machine_of(traced.choices));
    return machine_of(traced.choices);
}

std::int32_t run(const mxcert_run_args* args) {
    static Machine remembered = machine();
    static const int ends_badly = fault == "ends badly" ? std::atexit([] { std::abort(); }) : 0;
    (void)ends_badly;
    Machine fresh = machine();
    Machine& used = fault == "remembers the run before" ? remembered : fresh;
    const auto* amaxes = static_cast<const std::uint32_t*>(args->inputs[0].data);
    auto* scales = static_cast<std::uint32_t*>(args->outputs[0].data);
    auto* inverses = static_cast<std::uint32_t*>(args->outputs[1].data);
    const std::uint64_t steps = args->shape[0] - (fault == "stops early" ? 1 : 0);
    for (std::uint64_t step = 0; step < steps; ++step) {
        if (fault == "a step counter of 16 bits" && step != 0 && step % 65'536 == 0) used = machine();
        const recipe::Scales given_scales = used(amaxes[step]);
        scales[step] = static_cast<std::uint32_t>(given_scales.scale);
        inverses[step] = static_cast<std::uint32_t>(given_scales.inverse);
    }
    if (fault == "last bit of the last step") inverses[steps - 1] ^= 1;
    return fault == "refuses" ? MXCERT_UNSUPPORTED : MXCERT_OK;
}

constexpr mxcert_operation operations[] = {
    {sizeof(mxcert_operation), "scaling", "recipe=te_delayed_4_margin_2"},
};

} // namespace

const mxcert_api* mxcert_get_api(std::uint32_t host_abi_major) {
    static const mxcert_api api =
        planted::operations_api("scaler", "scaling of a tensor with a fault", operations, run);
    return host_abi_major == MXCERT_ABI_MAJOR ? &api : nullptr;
}
