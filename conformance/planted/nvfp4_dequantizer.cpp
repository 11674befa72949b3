// SPDX-License-Identifier: Apache-2.0
// A plugin that dequantizes NVFP4, right or with the fault that --backend-option names: one of nvfp4_back_faults(), or
// one of those below.
#include <cstdint>

#include "conformance/planted/misplaced_blocks.hpp"
#include "conformance/planted/operations_api.hpp"
#include "conformance/suites/dequantize_nvfp4/way.hpp"

namespace {

using namespace mxcert;
using planted::fault;
using planted::is;

constexpr const char* attributes[] = {
    "recipe=te_nvfp4 target=bf16 block=1x16",
    "recipe=torchao_nvfp4 target=fp32 block=16x16",
    "recipe=compressed_tensors_nvfp4 target=fp16 block=16x1",
    "recipe=autoround_nvfp4_e5m3 target=bf16 block=1x16",
    "recipe=torchao_nvfp4_one_level target=fp16 block=1x16",
    "recipe=te_nvfp4_4over6 target=bf16 block=1x16",
};

std::int32_t run(const mxcert_run_args* args) {
    const DequantizeNvfp4 dequantize =
        as_dequantize_nvfp4(planted::operation_of("dequantize_nvfp4", attributes[args->operation]));
    suites::Nvfp4BackCase back_case{"",
                                    {{args->shape[0], args->shape[1]}, dequantize.block},
                                    planted::codes_of(args->inputs[0]),
                                    planted::codes_of(args->inputs[1]),
                                    dequantize.has_number() ? planted::codes_of(args->inputs[2]).front()
                                                            : formats::fp32.one_code()};
    if (is("refuses tails") && back_case.matrix.has_tail()) return MXCERT_UNSUPPORTED;
    static Code before = formats::fp32.one_code(); // of the tensor that was asked last
    if (is("the number of the tensor before")) std::swap(back_case.number, before);
    suites::Nvfp4BackWay way = suites::right_way(dequantize);
    for (const suites::Nvfp4BackFault& known : suites::nvfp4_back_faults())
        if (fault == known.name) known.plant(way);
    const mxcert_array& values = args->outputs[0];
    for (std::uint64_t block = 0; block < back_case.matrix.blocks(); ++block) {
        const BlockRange range = back_case.matrix.block(block);
        for (std::uint64_t lane = 0; lane < count(range.size, "values"); ++lane) {
            const std::uint64_t place = back_case.matrix.place(range, lane);
            Code code = suites::value_by(dequantize, way, back_case, block, place);
            // Under one scale of 256 one of 16 elements.
            if (is("one element under one scale") && back_case.scales[block] == 0x31 && back_case.elements[place] == 5)
                code ^= 1;
            frames::store(static_cast<std::byte*>(values.data) + place * values.width, code, values.width);
        }
    }
    planted::lose_signs_of_zeros(values);
    if (is("the last value of a matrix"))
        static_cast<std::uint8_t*>(values.data)[(values.count - 1) * values.width] ^= 1;
    return MXCERT_OK;
}

} // namespace

const mxcert_api* mxcert_get_api(std::uint32_t host_abi_major) {
    static constexpr auto operations = planted::operations_of("dequantize_nvfp4", attributes);
    static const mxcert_api api =
        planted::operations_api("nvfp4_dequantizer", "NVFP4 and back, with a fault", operations, run);
    return host_abi_major == MXCERT_ABI_MAJOR ? &api : nullptr;
}
