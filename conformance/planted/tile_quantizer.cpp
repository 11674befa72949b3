// SPDX-License-Identifier: Apache-2.0
// A plugin that quantizes in tiles, right or with the fault that --backend-option names: one of tile_faults(), or one
// of those below.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "conformance/planted/operations_api.hpp"
#include "conformance/suites/quantize_2d/faults.hpp"
#include "reference/fast/convert.hpp"
#include "reference/fast/scale.hpp"

namespace {

using namespace mxcert;
using planted::fault;
using planted::is;

constexpr const char* attributes[] = {
    "source=bf16 element=e4m3 scale=e8m0 rule=rceil rounding=nearest_even overflow=sat tile=32x32",
    "source=fp32 element=e5m2 scale=e8m0 rule=ocp_floor rounding=nearest_even overflow=sat tile=16x16",
};

const suites::TileFault& way() {
    static constexpr suites::TileFault right{"", "", suites::seen_by_tile, suites::seen_by_tile};
    for (const suites::TileFault& known : suites::tile_faults())
        if (fault == known.name) return known;
    return right;
}

/// What a scale is made of; "the amax without place 517" overlooks one value of a tile.
std::vector<Code> seen_by_scale(const Quantize2d& quantize, const suites::TileCase& tile_case, Axis axis,
                                const Place& place) {
    std::vector<Code> values = way().given(quantize, tile_case, axis, place);
    const std::string overlooks = "the amax without place ";
    if (!fault.starts_with(overlooks)) return values;
    const std::size_t at = std::strtoul(fault.c_str() + overlooks.size(), nullptr, 10);
    if (at < values.size()) values[at] = 0;
    return values;
}

/// NaN left out, as Transformer Engine does.
Code scale_of(const Quantize2d& quantize, const std::vector<Code>& values) {
    const Format& format = *quantize.quantize.format.value;
    Code amax = 0;
    for (const Code value : values) {
        const Code magnitude = value & format.magnitude_mask();
        if (magnitude <= format.inf_code()) amax = std::max(amax, magnitude);
    }
    Choices rule = choices_of(quantize.quantize.scale);
    if (rule.rule == ScaleRule::rceil) rule.arithmetic = Arithmetic::fp32_multiply;
    return fast::scale(*quantize.quantize.scale.from, *quantize.quantize.format.element, rule, amax);
}

std::int32_t run(const mxcert_run_args* args) {
    if (is("crash")) std::abort();
    const Quantize2d quantize = as_quantize_2d(planted::operation_of("quantize_2d", attributes[args->operation]));
    const Extent extent{args->shape[0], args->shape[1]};
    const BlockShape& tile = quantize.tile;
    if (is("refuses tails") && (extent.rows % tile.rows != 0 || extent.columns % tile.columns != 0))
        return MXCERT_UNSUPPORTED;
    const suites::TileCase tile_case{"", {}, {extent, tile}, planted::codes_of(args->inputs[0])};
    const Format& scaled = *quantize.quantize.element.from;
    const Choices element = choices_of(quantize.quantize.element);
    for (const Axis axis : {Axis::row, Axis::column}) {
        const bool rows = axis == Axis::row;
        auto* elements = static_cast<std::uint8_t*>(args->outputs[rows ? 0 : 2].data);
        auto* scales = static_cast<std::uint8_t*>(args->outputs[rows ? 1 : 3].data);
        const Extent of_scales = rows ? quantize.row_scales(extent) : quantize.column_scales(extent);
        const BlockShape block = rows ? shapes::rowwise(tile.columns) : shapes::columnwise(tile.rows);
        for (std::uint64_t number = 0; number < count(of_scales, "scales"); ++number) {
            const BlockRange range = block_at(extent, block, {number / of_scales.columns, number % of_scales.columns});
            const Code scale = scale_of(quantize, seen_by_scale(quantize, tile_case, axis, range.first));
            Code used = way().used == way().given
                            ? scale
                            : scale_of(quantize, way().used(quantize, tile_case, axis, range.first));
            scales[number] = static_cast<std::uint8_t>(scale);
            if (is("a scale one too large in the last column") && !rows && number + 1 == count(of_scales, "scales"))
                ++scales[number];
            if (is("scales along columns not written") && !rows) scales[number] = 0x7F;
            for (std::uint64_t lane = 0; lane < count(range.size, "values"); ++lane) {
                const std::uint64_t row = range.first.row + lane / range.size.columns;
                const std::uint64_t column = range.first.column + lane % range.size.columns;
                const std::uint64_t at = row * extent.columns + column;
                std::uint64_t to = at;
                if (is("elements along columns transposed") && !rows) {
                    const std::uint64_t turned = column * extent.rows + row;
                    to = turned;
                }
                elements[to] = static_cast<std::uint8_t>(fast::convert(
                    scaled, *quantize.quantize.format.element, element, scaled.code_of(used, tile_case.values[at])));
            }
        }
    }
    if (is("one element along columns"))
        static_cast<std::uint8_t*>(args->outputs[2].data)[args->outputs[2].count / 2] ^= 1;
    return MXCERT_OK;
}

} // namespace

const mxcert_api* mxcert_get_api(std::uint32_t host_abi_major) {
    static constexpr auto operations = planted::operations_of("quantize_2d", attributes);
    static const mxcert_api api = planted::operations_api(
        "tile_quantizer", "blocks of rows and columns with one scale, with a fault", operations, run);
    return host_abi_major == MXCERT_ABI_MAJOR ? &api : nullptr;
}
