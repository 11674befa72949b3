// SPDX-License-Identifier: Apache-2.0
// A plugin that quantizes to packed elements or to scales in a layout, and back, right or with the fault that
// --backend-option names: "the elements packed as PACKING", "the scales laid out as LAYOUT", or one of those below.
#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "conformance/planted/operations_api.hpp"
#include "reference/fast/convert.hpp"
#include "reference/fast/scale.hpp"

namespace {

using namespace mxcert;
using planted::fault;
using planted::is;

constexpr mxcert_operation operations[] = {
    {sizeof(mxcert_operation), "quantize",
     "source=bf16 element=e2m1 scale=e8m0 rule=ocp_floor rounding=nearest_even overflow=sat axis=row block=32 "
     "packing=low_first"},
    {sizeof(mxcert_operation), "quantize",
     "source=bf16 element=e3m2 scale=e8m0 rule=ocp_floor rounding=nearest_even overflow=sat axis=row block=32 "
     "packing=low_first"},
    {sizeof(mxcert_operation), "quantize",
     "source=fp32 element=e2m1 scale=e8m0 rule=ocp_floor rounding=nearest_even overflow=sat axis=column block=32 "
     "packing=high_first"},
    {sizeof(mxcert_operation), "dequantize", "element=e2m1 scale=e8m0 target=fp32 axis=row block=32 packing=low_first"},
    {sizeof(mxcert_operation), "dequantize",
     "element=e2m3 scale=e8m0 target=bf16 axis=row block=32 packing=high_first"},
    {sizeof(mxcert_operation), "quantize",
     "source=bf16 element=e4m3 scale=e8m0 rule=ocp_floor rounding=nearest_even overflow=sat axis=row block=32 "
     "layout=swizzle_128x4"},
    {sizeof(mxcert_operation), "quantize",
     "source=bf16 element=e2m1 scale=e8m0 rule=ocp_floor rounding=nearest_even overflow=sat axis=column block=32 "
     "packing=low_first layout=swizzle_128x4_columnwise"},
    {sizeof(mxcert_operation), "dequantize",
     "element=e4m3 scale=e8m0 target=fp32 axis=row block=32 layout=swizzle_128x4"},
};
constexpr std::uint64_t size = 32;

/// The packing of the elements, or that of the fault.
PackedElements packing_of(const Operation& operation) {
    PackedElements elements = planted::packing_of(operation);
    elements.block = size;
    return elements;
}

/// The layout of the scales: that of the fault where it has no more bytes.
ScaleMap layout_of(const Operation& operation, const Extent& extent) {
    const LaidOutScales scales = laid_out_scales(operation);
    const ScaleMap map(*scales.layout, scales.scales(extent, size));
    const std::string other = "the scales laid out as ";
    if (!fault.starts_with(other)) return map;
    const ScaleMap wrong(find_layout(fault.substr(other.size())), map.scales());
    return wrong.size() <= map.size() ? wrong : map;
}

void write_scales(const Operation& operation, const Extent& extent, const std::vector<std::uint8_t>& scales,
                  const mxcert_array& array) {
    const ScaleMap map = layout_of(operation, extent);
    const std::span buffer(static_cast<std::uint8_t*>(array.data), array.count);
    if (laid_out_scales(operation).is_linear() || !is("the padding of scales left"))
        std::fill(buffer.begin(), buffer.end(), is("the padding of scales 0x7F") ? 0x7F : 0x00);
    std::size_t next = 0;
    for (std::uint64_t row = 0; row < map.scales().rows; ++row)
        for (std::uint64_t column = 0; column < map.scales().columns; ++column)
            buffer[map.offset_of({row, column})] = scales[next++];
}

/// The number of the block of a value, of those in lines along rows or columns.
std::uint64_t block_of(Axis axis, const Extent& extent, std::uint64_t row, std::uint64_t column) {
    if (axis == Axis::column) return row / size * extent.columns + column;
    return row * ((extent.columns + size - 1) / size) + column / size;
}

void pack_all(const PackedElements& elements, const std::vector<std::uint8_t>& codes, std::uint64_t columns,
              std::uint8_t* bytes) {
    if (!elements.packs()) {
        std::copy(codes.begin(), codes.end(), bytes);
        return;
    }
    const std::uint64_t row_bytes = elements.row_bytes(columns);
    const bool has_tail = columns * static_cast<std::uint64_t>(elements.element->width()) % 8 != 0;
    for (std::uint64_t row = 0; row < codes.size() / columns; ++row) {
        const std::span to(bytes + row * row_bytes, row_bytes);
        const std::uint8_t last = to.back();
        pack_row(*elements.packing, *elements.element, std::span(codes).subspan(row * columns, columns), elements.block,
                 to);
        if (is("the last byte of a row left") && has_tail) to.back() = last;
        if (is("bits that hold no code set") && has_tail) to.back() = static_cast<std::uint8_t>(to.back() | 0x80U);
    }
}

std::int32_t quantize(const Operation& operation, const mxcert_run_args& args) {
    const Quantize quantize = as_quantize(operation);
    const Extent extent{args.shape[0], args.shape[1]};
    const PackedElements packed = packing_of(operation);
    if (packed.packing->order == PackingOrder::halves && extent.columns % size != 0) return MXCERT_UNSUPPORTED;
    const std::vector<Code> values = planted::codes_of(args.inputs[0]);
    const Format& source = *quantize.format.value;
    std::vector<Code> amaxes(count(laid_out_scales(operation).scales(extent, size), "scales"));
    std::vector<std::uint8_t> scales(amaxes.size());
    for (std::uint64_t i = 0; i < values.size(); ++i) {
        const Code magnitude = values[i] & source.magnitude_mask();
        Code& amax = amaxes[block_of(quantize.axis, extent, i / extent.columns, i % extent.columns)];
        if (magnitude <= source.inf_code()) amax = std::max(amax, magnitude);
    }
    for (std::uint64_t block = 0; block < amaxes.size(); ++block)
        scales[block] = static_cast<std::uint8_t>(
            fast::scale(*quantize.scale.from, *quantize.format.element, choices_of(quantize.scale), amaxes[block]));
    const Format& scaled = *quantize.element.from;
    std::vector<std::uint8_t> codes(values.size());
    for (std::uint64_t i = 0; i < values.size(); ++i) {
        const Code scale = scales[block_of(quantize.axis, extent, i / extent.columns, i % extent.columns)];
        codes[i] = static_cast<std::uint8_t>(fast::convert(
            scaled, *quantize.format.element, choices_of(quantize.element), scaled.code_of(scale, values[i])));
    }
    if (is("every third element of a row that of the one before"))
        for (std::uint64_t i = 0; i < codes.size(); ++i)
            if (i % extent.columns % 3 == 2) codes[i] = codes[i - 1];
    pack_all(packed, codes, extent.columns, static_cast<std::uint8_t*>(args.outputs[0].data));
    write_scales(operation, extent, scales, args.outputs[1]);
    return MXCERT_OK;
}

std::int32_t dequantize(const Operation& operation, const mxcert_run_args& args) {
    const Dequantize dequantize = as_dequantize(operation);
    const Extent extent{args.shape[0], args.shape[1]};
    const PackedElements packed = packing_of(operation);
    if (packed.packing->order == PackingOrder::halves && extent.columns % size != 0) return MXCERT_UNSUPPORTED;
    const std::vector<Code> codes = planted::codes_of(packed, args.inputs[0], extent.columns);
    const ScaleMap map = layout_of(operation, extent);
    const std::vector<std::uint8_t> scales = map.restore<std::uint8_t>(
        std::span(static_cast<const std::uint8_t*>(args.inputs[1].data), args.inputs[1].count).first(map.size()));
    const Format& times = *dequantize.value.from;
    for (std::uint64_t row = 0; row < extent.rows; ++row) {
        for (std::uint64_t column = 0; column < extent.columns; ++column) {
            const Code scale = scales[block_of(dequantize.axis, extent, row, column)];
            frames::store(static_cast<std::byte*>(args.outputs[0].data) +
                              (row * extent.columns + column) * args.outputs[0].width,
                          fast::convert(times, *dequantize.value.to, choices_of(dequantize.value),
                                        times.code_of(scale, codes[row * extent.columns + column])),
                          static_cast<unsigned>(args.outputs[0].width));
        }
    }
    return MXCERT_OK;
}

std::int32_t run(const mxcert_run_args* args) {
    const mxcert_operation& offered = operations[args->operation];
    const Operation operation = planted::operation_of(offered.name, offered.attributes);
    return operation.info->name == "quantize" ? quantize(operation, *args) : dequantize(operation, *args);
}

} // namespace

const mxcert_api* mxcert_get_api(std::uint32_t host_abi_major) {
    static const mxcert_api api = planted::operations_api(
        "packed_quantizer", "blocks with packed elements or scales in a layout, with a fault", operations, run);
    return host_abi_major == MXCERT_ABI_MAJOR ? &api : nullptr;
}
