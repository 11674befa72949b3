// SPDX-License-Identifier: Apache-2.0
#include "conformance/suites/blocks/table_cases.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "conformance/inputs/interleave.hpp"
#include "reference/base/random.hpp"
#include "reference/code_text.hpp"
#include "vectors/tables/permit.hpp"

namespace mxcert::suites {

QuantizeCase scale_case(const Quantize& quantize, unsigned block, std::span<const Code> amaxes,
                        std::span<const std::uint64_t> numbers) {
    const Code sign = quantize.format.value->sign_bit();
    QuantizeCase quantize_case{fmt::format("amaxes from {}", code_text(*quantize.scale.from, amaxes.front())),
                               std::vector<std::string>(amaxes.size()),
                               {quantize.axis, amaxes.size(), block, block},
                               {}};
    quantize_case.values.reserve(amaxes.size() * block);
    for (std::size_t i = 0; i < amaxes.size(); ++i) {
        const Code amax = amaxes[i];
        for (std::uint64_t lane = 0; lane < block; ++lane) {
            const std::uint64_t word = lane + numbers[i] / block;
            const Code magnitude = lane == numbers[i] % block ? amax : SplitMix64::at(amax, word) % (amax + 1);
            quantize_case.values.push_back(magnitude | ((word & 1) != 0 ? sign : 0));
        }
    }
    return quantize_case;
}

AmaxOrder::AmaxOrder(const Quantize& quantize, std::span<const Code> all, std::uint64_t first) {
    amaxes.reserve(all.size());
    numbers.reserve(all.size());
    for (const std::uint32_t at : inputs::spread_binades(all, *quantize.scale.from)) {
        amaxes.push_back(all[at]);
        numbers.push_back(first + at);
    }
}

ElementOrder::ElementOrder(const Format& by_scale, std::span<const Code> all, unsigned block) {
    const std::uint64_t in_block = block - 1;
    std::vector<Line> new_lines;
    std::vector<std::uint32_t> classes;
    codes.reserve(all.size());
    places.reserve(all.size());
    for (std::size_t begin = 0; begin < all.size();) {
        const Code scale = by_scale.scale_of(all[begin]);
        std::size_t end = begin;
        while (end < all.size() && by_scale.scale_of(all[end]) == scale) ++end;
        const std::uint64_t n = end - begin;
        const std::uint64_t walk = inputs::walk_of(n);
        for (std::uint64_t i = 0, at = 0; i < n; ++i, at = (at + walk) % n) {
            codes.push_back(all[begin + at]);
            places.push_back(static_cast<std::uint32_t>(begin + at));
        }
        for (std::uint64_t done = 0; done < n; done += in_block) {
            new_lines.push_back(
                {static_cast<std::uint32_t>(begin + done), static_cast<std::uint32_t>(std::min(in_block, n - done))});
            classes.push_back(static_cast<std::uint32_t>(scale));
        }
        begin = end;
    }
    lines.reserve(new_lines.size());
    for (const std::uint32_t at : inputs::spread(classes)) lines.push_back(new_lines[at]);
}

ElementCase element_case(const Quantize& quantize, unsigned block, const ElementOrder& order, std::size_t first,
                         std::span<const Code> amax_of_scale) {
    const Format& scaled = *quantize.element.from;
    const Code sign = quantize.format.value->sign_bit();
    const std::size_t here = std::min<std::size_t>(blocks_at_once, order.lines.size() - first);
    ElementCase element_case;
    QuantizeCase& blocks = element_case.blocks;
    blocks.name = fmt::format("values from {}", code_text(scaled, order.codes[order.lines[first].first]));
    for (std::size_t line = 0; line < here; ++line) {
        const auto codes =
            std::span(order.codes).subspan(order.lines[first + line].first, order.lines[first + line].count);
        element_case.counts.push_back(codes.size());
        // No common step with the signs: each lane has both.
        element_case.amax_lanes.push_back((first + line) / 2 % block);
        blocks.values.resize((line + 1) * block,
                             amax_of_scale[scaled.scale_of(codes.front())] | (line % 2 != 0 ? sign : 0));
        for (std::uint64_t k = 0; k < block - 1; ++k)
            blocks.values[line * block + element_case.lane_of(line, k)] =
                scaled.value_of(codes[std::min<std::uint64_t>(k, codes.size() - 1)]);
    }
    blocks.lines.resize(element_case.counts.size());
    blocks.matrix = {quantize.axis, element_case.counts.size(), block, block};
    return element_case;
}

ValuePlaces::ValuePlaces(const Dequantize& dequantize, unsigned the_block)
    : elements(dequantize.element->last_code() + 1), scales(dequantize.value.from->scale->last_code() + 1),
      block(the_block), blocks((elements + the_block - 1) / the_block), turns(scales) {
    for (std::uint32_t turn = 0; turn < scales; ++turn) turns[inputs::far_apart(turn, scales)] = turn;
}

DequantizeCase value_case(const Dequantize& dequantize, unsigned block) {
    const ValuePlaces places(dequantize, block);
    DequantizeCase dequantize_case{
        "every element under every scale", {dequantize.axis, places.scales * places.blocks, block, block}, {}, {}};
    dequantize_case.elements.resize(dequantize_case.matrix.elements());
    for (Code scale = 0; scale < places.scales; ++scale) {
        for (Code element = 0; element < places.blocks * block; ++element)
            dequantize_case.elements[places.line(scale, element) * block + places.lane(scale, element)] =
                std::min<Code>(element, places.elements - 1);
    }
    for (std::uint64_t line = 0; line < dequantize_case.matrix.lines; ++line)
        dequantize_case.scales.push_back(inputs::far_apart(line % places.scales, places.scales));
    return dequantize_case;
}

} // namespace mxcert::suites
