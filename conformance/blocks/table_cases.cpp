// SPDX-License-Identifier: Apache-2.0
#include "conformance/blocks/table_cases.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "reference/random.hpp"
#include "vectors/permit.hpp"

namespace mxcert {

QuantizeCase scale_case(const Quantize& quantize, unsigned block, std::span<const Code> amaxes, std::uint64_t number) {
    const Code sign = quantize.format.value->sign_bit();
    QuantizeCase made{fmt::format("amaxes from {}", hex(amaxes.front(), *quantize.scale.from)),
                      std::vector<std::string>(amaxes.size()),
                      {quantize.axis, amaxes.size(), block, block},
                      {}};
    made.values.reserve(amaxes.size() * block);
    for (const Code amax : amaxes) {
        for (std::uint64_t lane = 0; lane < block; ++lane) {
            const std::uint64_t word = lane + number / block;
            const Code magnitude = lane == number % block ? amax : SplitMix64::at(amax, word) % (amax + 1);
            made.values.push_back(magnitude | ((word & 1) != 0 ? sign : 0));
        }
        ++number;
    }
    return made;
}

ElementCase element_case(const Quantize& quantize, unsigned block, std::span<const Code> codes,
                         std::span<const Code> amax_of_scale, std::uint64_t number) {
    const Format& by = *quantize.element.from;
    const Code sign = quantize.format.value->sign_bit();
    ElementCase made;
    QuantizeCase& blocks = made.blocks;
    blocks.name = fmt::format("values from {}", hex(codes.front(), by));
    for (std::size_t done = 0; done < codes.size() && made.counts.size() < blocks_at_once;) {
        const Code scale = by.scale_of(codes[done]);
        std::uint64_t count = 0;
        while (count < block - 1 && done + count < codes.size() && by.scale_of(codes[done + count]) == scale) ++count;
        const std::uint64_t line = made.counts.size();
        made.counts.push_back(count);
        made.amax_lanes.push_back((number + done + line) % block);
        blocks.values.resize((line + 1) * block, amax_of_scale[scale] | (line % 2 != 0 ? sign : 0));
        for (std::uint64_t k = 0; k < block - 1; ++k)
            blocks.values[line * block + made.lane_of(line, k)] = by.value_of(codes[done + std::min(k, count - 1)]);
        done += count;
    }
    blocks.lines.resize(made.counts.size());
    blocks.matrix = {quantize.axis, made.counts.size(), block, block};
    return made;
}

ValuePlaces::ValuePlaces(const Dequantize& dequantize, unsigned block)
    : elements(dequantize.element->last_code() + 1), scales(dequantize.value.from->scale->last_code() + 1),
      block(block), blocks((elements + block - 1) / block) {}

DequantizeCase value_case(const Dequantize& dequantize, unsigned block) {
    const ValuePlaces places(dequantize, block);
    DequantizeCase made{
        "every element under every scale", {dequantize.axis, places.scales * places.blocks, block, block}, {}, {}};
    made.elements.resize(made.matrix.elements());
    for (Code scale = 0; scale < places.scales; ++scale) {
        for (Code element = 0; element < places.blocks * block; ++element)
            made.elements[places.line(scale, element) * block + places.lane(scale, element)] =
                std::min<Code>(element, places.elements - 1);
        made.scales.insert(made.scales.end(), places.blocks, scale);
    }
    return made;
}

} // namespace mxcert
