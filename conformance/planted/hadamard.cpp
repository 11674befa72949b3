// SPDX-License-Identifier: Apache-2.0
// A plugin that transforms groups of 16 values, right or with the fault that --backend-option names: one of
// hadamard_faults(), or one of those below.
#include <cstdint>

#include "conformance/planted/operations_api.hpp"
#include "conformance/suites/hadamard/way.hpp"

namespace {

using namespace mxcert;
using planted::fault;
using planted::is;

constexpr const char* attributes[] = {
    "source=bf16 target=bf16 signs=D7E8 axis=row direction=forward",
    "source=bf16 target=bf16 signs=D7E8 axis=column direction=inverse",
    "source=fp32 target=fp16 signs=1234 axis=column direction=forward",
    "source=fp16 target=fp32 signs=8001 axis=row direction=inverse",
};

std::int32_t run(const mxcert_run_args* args) {
    const HadamardTransform transform = as_hadamard(planted::operation_of("hadamard", attributes[args->operation]));
    const suites::TileCase tile_case{
        "", {}, {{args->shape[0], args->shape[1]}, transform.group}, planted::codes_of(args->inputs[0])};
    if (is("refuses sides that 16 does not divide") && suites::may_be_refused(tile_case)) return MXCERT_UNSUPPORTED;
    suites::HadamardWay way = suites::right_way(transform);
    for (const suites::HadamardFault& known : suites::hadamard_faults())
        if (fault == known.name) known.plant(way);
    if (is("the signs D7E9")) way.transform.signs = 0xD7E9;
    std::vector<Code> values = suites::values_by(transform, way, tile_case);
    const Format& target = *transform.target;
    const BlockRange last = tile_case.matrix.block(tile_case.matrix.blocks() - 1);
    for (std::uint64_t lane = 0; lane < recipe::hadamard_size; ++lane) {
        Code& code = values[tile_case.matrix.place(last, lane)];
        if (is("the last group of a matrix is zero")) code = 0;
    }
    for (std::uint64_t group = 0; group < tile_case.matrix.blocks(); ++group) {
        if (!is("sums one unit off in one group of 1024") || group % 1024 != 5) continue;
        Code& code = values[tile_case.matrix.place(tile_case.matrix.block(group), 9)];
        if (target.is_finite(code)) code ^= 1;
    }
    for (Code& code : values) {
        if (is("a NaN is zero") && target.is_nan(code)) code = 0;
        if (is("zeros are negative") && target.magnitude_of(code) == 0) code = target.sign_bit();
        // Twice what sums of any order may be off.
        if (is("sums off by more than any order") && target.is_finite(code) && target.magnitude_of(code) > 256)
            code += 4;
    }
    const mxcert_array& out = args->outputs[0];
    for (std::uint64_t at = 0; at < values.size(); ++at)
        frames::store(static_cast<std::byte*>(out.data) + at * out.width, values[at], out.width);
    return MXCERT_OK;
}

} // namespace

const mxcert_api* mxcert_get_api(std::uint32_t host_abi_major) {
    static constexpr auto operations = planted::operations_of("hadamard", attributes);
    static const mxcert_api api =
        planted::operations_api("hadamard", "Hadamard transforms of 16 values, with a fault", operations, run);
    return host_abi_major == MXCERT_ABI_MAJOR ? &api : nullptr;
}
