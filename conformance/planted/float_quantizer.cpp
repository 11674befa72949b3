// SPDX-License-Identifier: Apache-2.0
// A plugin with float scales, right or with the fault that --backend-option names. Rows are cut into blocks; the
// arithmetic of a block is the fast model's, with choices that a fault may change.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "conformance/planted/misplaced_blocks.hpp"
#include "conformance/planted/operations_api.hpp"
#include "reference/exact/exact.hpp"
#include "reference/fast/recipe/float_block.hpp"

namespace {

using namespace mxcert;
using planted::is;

constexpr Code nan = 0x7FC00000;

std::uint64_t size = 32; // NOLINT: of a block, set by each run

/// 0: absmax with FP32 scales, 1: absmax with FP16 scales, 2: deepgemm, 3: te_float8_block_fp32_scales.
recipe::FloatBlock choices_of(std::uint32_t operation) {
    const char* const names[] = {"absmax", "absmax", "deepgemm", "te_float8_block_fp32_scales"};
    recipe::FloatBlock choices = recipe::float_block_preset(names[operation]).choices;
    if (operation == 1) choices.scaling.kept = &formats::fp16;
    if (is("multiplies")) choices.apply = recipe::Apply::multiply;
    if (is("divides")) choices.apply = recipe::Apply::divide;
    if (is("reciprocal quotient")) choices.scaling.quotient = recipe::Quotient::reciprocal;
    if (is("NaN propagates")) choices.amax_nan = AmaxNan::propagated;
    if (is("no least amax")) choices.scaling.least_amax = 0;
    if (is("Inf gives one")) choices.scaling.on_inf = recipe::Unusable::one;
    if (is("no limit")) choices.scaling.limit = nullptr;
    if (is("zeros divided")) choices.scaling.on_zero = recipe::Unusable::computed;
    if (is("another recipe")) choices = recipe::float_block_preset("deepseek_v3").choices;
    return choices;
}

/// The values that make the amax of the block of `columns` values at `first` of a row.
std::vector<Code> seen_by(const std::vector<Code>& matrix, std::uint64_t row, std::uint64_t first, std::uint64_t last,
                          std::uint64_t columns) {
    const auto at = [&](std::uint64_t column) {
        return matrix.begin() + static_cast<std::ptrdiff_t>(row * columns + column);
    };
    if (is("whole matrix")) return matrix;
    if (is("tail shares") && last - first < size && first > 0) return {at(first - size), at(first)};
    std::vector<Code> codes(at(first), at(last));
    if (is("without lane 7") && codes.size() > 7) codes.erase(codes.begin() + 7);
    return codes;
}

template <class Scale> void quantize(const mxcert_run_args& args) {
    const std::uint64_t rows = args.shape[0];
    const std::uint64_t columns = args.shape[1];
    const auto* values = static_cast<const std::uint32_t*>(args.inputs[0].data);
    const std::vector<Code> matrix(values, values + rows * columns);
    auto* elements = static_cast<std::uint8_t*>(args.outputs[0].data);
    auto* scales = static_cast<Scale*>(args.outputs[1].data);
    const std::uint64_t blocks = (columns + size - 1) / size;
    const recipe::FloatBlock choices = choices_of(args.operation);
    for (std::uint64_t row = 0; row < rows; ++row) {
        for (std::uint64_t b = 0; b < blocks; ++b) {
            const std::uint64_t first = b * size;
            const std::uint64_t last = std::min(columns, first + size);
            // Whole blocks alone are misplaced.
            const std::uint64_t number = row * blocks + b;
            const bool is_whole = columns % size == 0;
            const std::uint64_t taken = is_whole ? planted::block_taken(number, rows * blocks) : number;
            const std::uint64_t scaled_by = is_whole ? planted::scale_taken(number, rows * blocks) : number;
            const std::vector<Code> seen = seen_by(matrix, scaled_by / blocks, scaled_by % blocks * size,
                                                   std::min(columns, scaled_by % blocks * size + size), columns);
            const auto scales_by = [&](const recipe::FloatBlock& float_block) {
                return fast::quantize(float_block, formats::fp32, shapes::per_row, {1, seen.size(), seen})
                    .scales.front();
            };
            recipe::Scales of_block = scales_by(choices);
            const auto begin = matrix.begin() + static_cast<std::ptrdiff_t>(row * columns);
            if (is("a NaN spreads along its line") && b != 0 &&
                std::any_of(begin, begin + static_cast<std::ptrdiff_t>(first),
                            [](Code value) { return formats::fp32.is_nan(value); }))
                of_block.scale = of_block.inverse = nan;
            Code scale = fast::scale_to(args.operation == 1 ? formats::fp16 : formats::fp32, of_block.scale);
            if (is("inverse given out")) scale = of_block.inverse;
            if (is("swapped")) {
                std::swap(of_block.scale, of_block.inverse);
                scale = of_block.scale;
            }
            if (is("scale not rounded")) {
                recipe::FloatBlock unrounded = choices;
                unrounded.scaling.kept = &formats::fp32;
                of_block = scales_by(unrounded);
            }
            if (!(is("scale not written") && row + 1 == rows && b + 1 == blocks))
                scales[is("scales transposed") ? b * rows + row : row * blocks + b] = static_cast<Scale>(scale);
            for (std::uint64_t column = first; column < last; ++column) {
                const std::uint64_t lane = column - first;
                const std::uint64_t to = is("lanes swapped") && (column ^ 1) < columns
                                             ? column ^ 1
                                             : first + planted::lane_given(number, lane);
                if (is("tail not written") && last - first < size && column + 1 == last) continue;
                elements[row * columns + to] = static_cast<std::uint8_t>(fast::element_of(
                    choices, formats::fp32, of_block,
                    matrix[planted::element_taken(taken / blocks * columns + taken % blocks * size + lane)]));
            }
        }
    }
}

template <class Value> void dequantize(const mxcert_run_args& args, const Format& target) {
    const std::uint64_t rows = args.shape[0];
    const std::uint64_t columns = args.shape[1];
    const auto* elements = static_cast<const std::uint8_t*>(args.inputs[0].data);
    const auto* scales = static_cast<const std::uint32_t*>(args.inputs[1].data);
    auto* values = static_cast<Value*>(args.outputs[0].data);
    const std::uint64_t blocks = (columns + size - 1) / size;
    for (std::uint64_t row = 0; row < rows; ++row) {
        for (std::uint64_t column = 0; column < columns; ++column) {
            const std::uint64_t b = column / size;
            const std::uint64_t number = row * blocks + b;
            const bool is_whole = columns % size == 0;
            Code scale = scales[is("scales transposed") ? b * rows + row
                                : is_whole              ? planted::scale_taken(number, rows * blocks)
                                                        : number];
            const std::uint64_t taken = is_whole ? planted::block_taken(number, rows * blocks) : number;
            const std::uint64_t from =
                taken / blocks * columns + taken % blocks * size + planted::lane_given(number, column - b * size);
            if (is("flushes") && (scale & 0x7F800000) == 0) scale = 0;
            recipe::FloatQuantized quantized;
            quantized.elements = {1, 1, std::vector<Code>(1, elements[planted::element_taken(from)])};
            quantized.scales.push_back({scale, recipe::unity});
            Code value = fast::dequantize({}, shapes::per_tensor, quantized, target).codes.front();
            if (is("rounds once")) {
                Choices nosat;
                nosat.overflow = Overflow::nosat;
                value = exact::convert(formats::fp64, target, nosat,
                                       fast::dequantize({}, shapes::per_tensor, quantized, formats::fp64).codes.front())
                            .code;
            }
            values[row * columns + column] = static_cast<Value>(value);
        }
    }
    planted::lose_signs_of_zeros(args.outputs[0]);
}

std::int32_t run(const mxcert_run_args* args) {
    size = args->operation == 2 || args->operation == 3 ? 128 : 32;
    if (is("refuses tails") && args->shape[1] % size != 0) return MXCERT_UNSUPPORTED;
    if (args->operation == 4)
        dequantize<std::uint32_t>(*args, formats::fp32);
    else if (args->operation == 5)
        dequantize<std::uint16_t>(*args, formats::bf16);
    else if (args->operation == 1)
        quantize<std::uint16_t>(*args);
    else
        quantize<std::uint32_t>(*args);
    return MXCERT_OK;
}

constexpr mxcert_operation operations[] = {
    {sizeof(mxcert_operation), "quantize_float", "source=fp32 element=e4m3 scale=fp32 recipe=absmax block=1x32"},
    {sizeof(mxcert_operation), "quantize_float", "source=fp32 element=e4m3 scale=fp16 recipe=absmax block=1x32"},
    {sizeof(mxcert_operation), "quantize_float", "source=fp32 element=e4m3 scale=fp32 recipe=deepgemm block=1x128"},
    {sizeof(mxcert_operation), "quantize_float",
     "source=fp32 element=e4m3 scale=fp32 recipe=te_float8_block_fp32_scales block=1x128"},
    {sizeof(mxcert_operation), "dequantize_float", "element=e4m3 scale=fp32 target=fp32 block=1x32"},
    {sizeof(mxcert_operation), "dequantize_float", "element=e4m3 scale=fp32 target=bf16 block=1x32"},
};

} // namespace

const mxcert_api* mxcert_get_api(std::uint32_t host_abi_major) {
    static const mxcert_api api =
        planted::operations_api("float_quantizer", "float scales with a fault", operations, run);
    return host_abi_major == MXCERT_ABI_MAJOR ? &api : nullptr;
}
