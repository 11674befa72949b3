// SPDX-License-Identifier: Apache-2.0
#include "conformance/suites/float_blocks/float_judge.hpp"

#include <fmt/format.h>

#include "reference/code_text.hpp"
#include "vectors/tables/permit.hpp"

namespace mxcert::suites {
namespace {

std::string lane_text(const BlockRange& block, std::uint64_t lane) {
    if (block.size.rows == 1 || block.size.columns == 1) return fmt::format("lane {}", lane);
    return fmt::format("row {}, column {} of it", lane / block.size.columns, lane % block.size.columns);
}

// "" if the block is right.
std::string fault_of(const QuantizeFloat& quantize, const FloatExpected::Block& expected, const BlockRange& block,
                     const FloatSample& sample) {
    const Format& scale = *quantize.scale;
    const Format& element = *quantize.choices.scaling.element;
    if (!same(scale, sample.scale, expected.scale))
        return fmt::format("the scale is {}, not {}", code_text(scale, sample.scale), code_text(scale, expected.scale));
    for (std::size_t lane = 0; lane < sample.elements.size(); ++lane)
        if (!same(element, sample.elements[lane], expected.elements[lane]))
            return fmt::format("{} ({}) is {}, not {}, under the scale {}", lane_text(block, lane),
                               code_text(*quantize.source, sample.values[lane]),
                               code_text(element, sample.elements[lane]), code_text(element, expected.elements[lane]),
                               code_text(scale, sample.scale));
    return {};
}

} // namespace

std::vector<BlockFault> judge(const QuantizeFloat& quantize, FloatExpected& expected, const FloatCase& float_case,
                              const std::vector<frames::Values>& outputs, FloatSamples& samples) {
    const Extent scales = float_case.matrix.scales();
    std::vector<BlockFault> faults;
    for (std::uint64_t number = 0; number < outputs[1].count(); ++number) {
        const BlockRange block = float_case.matrix.block(number);
        const bool scale_alone = !float_case.amaxes.empty();
        FloatSample sample;
        sample.scale = outputs[1].get(number);
        FloatExpected::Block wanted;
        if (scale_alone) {
            wanted.scale = expected.scale_of_amax(float_case.amaxes[number]);
            sample.values = {float_case.amaxes[number]};
        } else {
            const std::uint64_t lanes = count(block.size, "values");
            for (std::uint64_t lane = 0; lane < lanes; ++lane) {
                const std::uint64_t place = float_case.matrix.place(block, lane);
                sample.values.push_back(float_case.values.get(place));
                sample.elements.push_back(outputs[0].get(place));
            }
            wanted = expected.block(sample.values);
        }
        std::string text = fault_of(quantize, wanted, block, sample);
        sample.right = text.empty();
        if (!text.empty()) faults.push_back({number / scales.columns, number % scales.columns, std::move(text)});
        samples.add(std::move(sample));
    }
    return faults;
}

std::vector<BlockFault> judge(const DequantizeFloat& dequantize, FloatValues& expected,
                              const FloatDequantizeCase& float_dequantize_case,
                              const std::vector<frames::Values>& outputs) {
    const Extent scales = float_dequantize_case.matrix.scales();
    std::vector<BlockFault> faults;
    for (std::uint64_t number = 0; number < float_dequantize_case.scales.count(); ++number) {
        const BlockRange block = float_dequantize_case.matrix.block(number);
        const Code scale = float_dequantize_case.scales.get(number);
        const std::vector<Code>& under = expected.under(scale);
        const std::uint64_t lanes = count(block.size, "values");
        for (std::uint64_t lane = 0; lane < lanes; ++lane) {
            const std::uint64_t place = float_dequantize_case.matrix.place(block, lane);
            const Code element = float_dequantize_case.elements.get(place);
            const Code wanted = under[element];
            const Code answer = outputs[0].get(place);
            if (same(*dequantize.target, answer, wanted)) continue;
            faults.push_back(
                {number / scales.columns, number % scales.columns,
                 fmt::format("{} ({} under the scale {}) is {}, not {}", lane_text(block, lane),
                             code_text(*dequantize.element, element), code_text(*dequantize.scale, scale),
                             code_text(*dequantize.target, answer), code_text(*dequantize.target, wanted))});
            break;
        }
    }
    return faults;
}

} // namespace mxcert::suites
