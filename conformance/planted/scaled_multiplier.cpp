// SPDX-License-Identifier: Apache-2.0
// A plugin that multiplies matrices with an epilogue, right or with the fault that --backend-option names: one of
// scaled_faults() or matmul_faults(), or one of those below.
#include <cstdint>
#include <vector>

#include "conformance/planted/alike_outputs.hpp"
#include "conformance/planted/large_products.hpp"
#include "conformance/planted/operations_api.hpp"
#include "conformance/suites/matmul/faults.hpp"
#include "conformance/suites/scaled_matmul/faults.hpp"

namespace {

using namespace mxcert;
using planted::fault;
using planted::is;

constexpr const char* attributes[] = {
    "a=e4m3 b=e4m3 scales=tensor transpose=nt bias=bf16 epilogue=product output=bf16 d_scale=none amax=none "
    "accumulator=hopper_fp8_f32",
    "a=e5m2 b=e4m3 scales=line transpose=nn bias=fp32 epilogue=in_turn output=fp32 d_scale=none amax=none "
    "accumulator=exact",
    "a=e4m3 b=e4m3 scales=tensor transpose=nt bias=none epilogue=product output=e4m3 d_scale=fp32 amax=fp32 "
    "accumulator=fp32_multiply_add",
    "a=e2m1 b=e2m1 scales=nvfp4 transpose=nt bias=none epilogue=product output=bf16 d_scale=none amax=none "
    "accumulator=blackwell_mxf4nvf4",
};

std::int32_t run(const mxcert_run_args* args) {
    const ScaledMatmul scaled = as_scaled_matmul(planted::operation_of("scaled_matmul", attributes[args->operation]));
    cases::GivenCase given_case{{args->shape[0], args->shape[1], args->shape[2]}, {}};
    for (std::uint32_t i = 0; i < args->input_count; ++i)
        given_case.tensors.push_back(planted::codes_of(args->inputs[i]));
    const suites::ScaledCase scaled_case = suites::case_of(scaled, given_case);
    if (planted::takes_whole_tiles_alone() && suites::may_refuse(scaled.matmul, suites::product_of(scaled_case)))
        return MXCERT_UNSUPPORTED;
    // Faults of the product are those of "matmul".
    ScaledMatmul used = scaled;
    suites::ScaledCase multiplied = scaled_case;
    for (const suites::MatmulFault& known : suites::matmul_faults()) {
        if (fault != known.name) continue;
        const suites::MatmulCase product = suites::product_of(scaled_case);
        multiplied = suites::with_product(scaled_case, known.edited(scaled.matmul, product).value_or(product));
        used.matmul = known.read(scaled.matmul).value_or(scaled.matmul);
    }
    suites::MatmulCase long_sums = suites::product_of(multiplied);
    planted::damage_long_sums(long_sums);
    multiplied = suites::with_product(multiplied, long_sums);
    suites::ScaledWay way;
    for (const suites::ScaledFault& known : suites::scaled_faults())
        if (fault == known.name) known.plant(way);
    const suites::ScaledModel model(used);
    suites::ScaledAnswer answer = model.answer(scaled_case, model.sums(multiplied), way);
    if (planted::last_is_wrong(scaled_case.shape)) answer.d.back() ^= 1;
    if (is("whole tiles alone, NaN taken for 0"))
        for (Code& code : answer.d)
            if (scaled.output->is_nan(code)) code = 0;
    if (is("one element of one product") && scaled_case.shape.k == 33) answer.d[4] ^= 1;
    if (is("the amax of all but the last value") && answer.d.size() > 1) {
        std::vector<Code> sums = model.sums(scaled_case);
        sums.pop_back();
        answer.amax = model.answer(scaled_case, sums, way).amax;
    }
    const auto give = [&](const mxcert_array& array, std::size_t at, Code code) {
        frames::store(static_cast<std::byte*>(array.data) + at * array.width, code, static_cast<unsigned>(array.width));
    };
    for (std::size_t at = 0; at < answer.d.size(); ++at) give(args->outputs[0], at, answer.d[at]);
    planted::spoil_alike(*scaled.output, args->outputs[0]);
    if (scaled.has_amax) give(args->outputs[1], 0, answer.amax);
    return MXCERT_OK;
}

} // namespace

const mxcert_api* mxcert_get_api(std::uint32_t host_abi_major) {
    static constexpr auto operations = planted::operations_of("scaled_matmul", attributes);
    static const mxcert_api api =
        planted::operations_api("scaled_multiplier", "matrix products with an epilogue, with a fault", operations, run);
    return host_abi_major == MXCERT_ABI_MAJOR ? &api : nullptr;
}
