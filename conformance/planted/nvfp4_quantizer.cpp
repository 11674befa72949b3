// SPDX-License-Identifier: Apache-2.0
// A plugin that quantizes to NVFP4, right or with the fault that --backend-option names: one of nvfp4_faults(), "the
// recipe NAME" of somebody else, or one of those below.
#include <cstdint>
#include <string>

#include "conformance/planted/operations_api.hpp"
#include "conformance/planted/random_elements.hpp"
#include "conformance/suites/nvfp4/faults.hpp"
#include "reference/base/random.hpp"

namespace {

using namespace mxcert;
using planted::fault;
using planted::is;

constexpr const char* attributes[] = {
    "source=fp32 recipe=te_nvfp4 block=1x16 tensor_scale=decode",
    "source=bf16 recipe=torchao_nvfp4 block=16x16 tensor_scale=decode",
    "source=bf16 recipe=modelopt_nvfp4 block=1x16 tensor_scale=decode",
    "source=bf16 recipe=compressed_tensors_nvfp4_bf16 block=1x16 tensor_scale=encode",
    "source=fp16 recipe=torchao_nvfp4_one_level block=16x1 tensor_scale=none",
    "source=bf16 recipe=te_nvfp4_4over6 block=1x16 tensor_scale=decode",
    "source=fp32 recipe=te_nvfp4_4over6_448_mse block=16x16 tensor_scale=encode",
    "source=bf16 recipe=autoround_nvfp4_e5m3 block=1x16 tensor_scale=none",
    "source=bf16 recipe=te_nvfp4 block=16x1 tensor_scale=decode hadamard=D7E8",
    "source=bf16 recipe=te_nvfp4 block=1x16 tensor_scale=decode rounding=stochastic_a16",
    "source=bf16 recipe=te_nvfp4 block=16x1 tensor_scale=decode hadamard=D7E8 rounding=stochastic_a16",
    "source=bf16 recipe=te_nvfp4 block=1x16 tensor_scale=decode rounding=stochastic_a16_pairs",
    "source=bf16 recipe=te_nvfp4 block=16x1 tensor_scale=decode hadamard=D7E8 rounding=stochastic_a16_pairs",
};

suites::Nvfp4Way way_of(const QuantizeNvfp4& quantize) {
    suites::Nvfp4Way way{quantize.recipe->choices};
    const std::string recipe = "the recipe ";
    if (fault.starts_with(recipe)) way.choices = recipe::nvfp4_preset(fault.substr(recipe.size())).choices;
    for (const suites::Nvfp4Fault& known : suites::nvfp4_faults())
        if (fault == known.name) known.plant(way);
    for (const suites::Nvfp4Fault& known : suites::nvfp4_transform_faults())
        if (quantize.hadamard && fault == known.name) known.plant(way);
    for (const suites::Nvfp4Fault& known : suites::nvfp4_random_faults())
        if (quantize.random && fault == known.name) known.plant(way);
    way.in_one_sum = is("the errors of a tile in one sum");
    return way;
}

/// The scale of the tensor, by a fault of fewer values than there are.
suites::Nvfp4Tensor tensor_of(const QuantizeNvfp4& quantize, const suites::TileCase& tile_case,
                              const suites::Nvfp4Matrix& matrix, const suites::Nvfp4Way& way) {
    suites::TileCase seen = tile_case;
    const std::uint64_t count = seen.values.size();
    if (is("the amax of the first 2^18 values"))
        for (std::uint64_t i = 1U << 18U; i < count; ++i) seen.values[i] = 0;
    else if (is("the amax without the last 8 values of a tensor") && count > 64)
        for (std::uint64_t i = count - 8; i < count; ++i) seen.values[i] = 0;
    else
        return matrix.tensor_of(way);
    return suites::Nvfp4Matrix(quantize, seen).tensor_of(way);
}

std::int32_t run(const mxcert_run_args* args) {
    const QuantizeNvfp4 quantize =
        as_quantize_nvfp4(planted::operation_of("quantize_nvfp4", attributes[args->operation]));
    const Extent extent{args->shape[0], args->shape[1]};
    const suites::TileCase tile_case{"", {}, {extent, quantize.block}, planted::codes_of(args->inputs[0])};
    if (is("refuses tails") && tile_case.matrix.has_tail()) return MXCERT_UNSUPPORTED;
    const suites::Nvfp4Matrix matrix(quantize, tile_case);
    const suites::Nvfp4Way way = way_of(quantize);
    suites::Nvfp4Tensor tensor = tensor_of(quantize, tile_case, matrix, way);
    static suites::Nvfp4Tensor before; // of the tensor that was asked last
    if (is("the scale of the tensor before")) std::swap(tensor, before);
    static std::uint64_t calls = 0; // before this one
    ++calls;
    auto* elements = static_cast<std::uint8_t*>(args->outputs[0].data);
    auto* scales = static_cast<std::uint8_t*>(args->outputs[1].data);
    const std::uint64_t blocks = matrix.matrix().blocks();
    for (std::uint64_t block = 0; block < blocks; ++block) {
        suites::Nvfp4Way of_block = way;
        if (way.scales_at_random)
            of_block.choices.scale_rounding =
                mxcert::SplitMix64::at(calls, block) % 2 == 0 ? Rounding::up : Rounding::toward_zero;
        suites::Nvfp4Block made = matrix.block_of(of_block, tensor, block);
        if (quantize.random && way.choices.rounding == quantize.recipe->choices.rounding)
            planted::round_at_random(matrix, way, tensor, block, calls, quantize.random->pairs, made);
        scales[matrix.scale_place(way, block)] = static_cast<std::uint8_t>(made.scale);
        const BlockRange range = matrix.matrix().block(block);
        for (std::uint64_t lane = 0; lane < made.elements.size(); ++lane) {
            auto element = static_cast<std::uint8_t>(made.elements[lane] & formats::e2m1.last_code());
            if (is("lanes of a pair exchanged") && (lane ^ 1U) < made.elements.size())
                element = static_cast<std::uint8_t>(made.elements[lane ^ 1U] & formats::e2m1.last_code());
            if (is("a scale of 448 that makes the largest element 4") && made.scale == 0x7E && element == 0x7)
                element = 0x6;
            if (is("elements beyond row 16 and column 128 are zero") && extent.rows > 16 && extent.columns > 128)
                element = 0;
            if (is("partial blocks beyond row 4 are zero") && extent.rows > 4 &&
                range.size.columns < quantize.block.columns)
                element = 0;
            elements[matrix.matrix().place(range, lane)] = element;
        }
    }
    if (quantize.output != Nvfp4Output::none) {
        auto given_out = static_cast<std::uint32_t>(matrix.given_out(way, tensor));
        // In three of four tensors of one binade in 64.
        if (is("the scale of a tensor one ulp off") && (given_out >> 23U) % 64 == 5 && given_out % 4 != 0) ++given_out;
        *static_cast<std::uint32_t*>(args->outputs[2].data) = given_out;
    }
    if (is("one element in the last column")) elements[extent.columns - 1] ^= 1;
    return MXCERT_OK;
}

} // namespace

const mxcert_api* mxcert_get_api(std::uint32_t host_abi_major) {
    static constexpr auto operations = planted::operations_of("quantize_nvfp4", attributes);
    static const mxcert_api api =
        planted::operations_api("nvfp4_quantizer", "quantizers to NVFP4, with a fault", operations, run);
    return host_abi_major == MXCERT_ABI_MAJOR ? &api : nullptr;
}
