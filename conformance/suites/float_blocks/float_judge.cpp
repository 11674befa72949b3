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
std::string fault_of(const QuantizeFloat& quantize, const FloatExpected::Block& wanted, const BlockRange& block,
                     const FloatCase& float_case, const std::vector<frames::Values>& outputs, Code given_scale) {
    const Format& scale = *quantize.scale;
    const Format& element = *quantize.choices.scaling.element;
    if (!same(scale, given_scale, wanted.scale))
        return fmt::format("the scale is {}, not {}", code_text(scale, given_scale), code_text(scale, wanted.scale));
    for (std::size_t lane = 0; lane < wanted.elements.size(); ++lane) {
        const std::uint64_t place = float_case.matrix.place(block, lane);
        const Code given = outputs[0].get(place);
        if (same(element, given, wanted.elements[lane])) continue;
        return fmt::format("{} ({}) is {}, not {}, under the scale {}", lane_text(block, lane),
                           code_text(*quantize.source, float_case.values.get(place)), code_text(element, given),
                           code_text(element, wanted.elements[lane]), code_text(scale, given_scale));
    }
    return {};
}

/// Values of the block out of an array of the matrix.
std::vector<Code> gathered(const FloatCase& float_case, const BlockRange& block, const frames::Values& values) {
    std::vector<Code> codes(count(block.size, "values"));
    for (std::uint64_t lane = 0; lane < codes.size(); ++lane)
        codes[lane] = values.get(float_case.matrix.place(block, lane));
    return codes;
}

FloatSample sample_of(const FloatCase& float_case, std::uint64_t number, const std::vector<frames::Values>& outputs,
                      bool right) {
    const Code scale = outputs[1].get(number);
    if (!float_case.amaxes.empty()) return {{float_case.amaxes[number]}, scale, {}, right};
    const BlockRange block = float_case.matrix.block(number);
    return {gathered(float_case, block, float_case.values), scale, gathered(float_case, block, outputs[0]), right};
}

} // namespace

std::vector<FloatExpected::Block> wanted_of(FloatExpected& expected, const FloatCase& float_case) {
    std::vector<FloatExpected::Block> wanted;
    const std::uint64_t blocks = float_case.matrix.blocks();
    wanted.reserve(blocks);
    for (std::uint64_t number = 0; number < blocks; ++number) {
        if (float_case.amaxes.empty())
            wanted.push_back(expected.block(gathered(float_case, float_case.matrix.block(number), float_case.values)));
        else
            wanted.push_back({expected.scale_of_amax(float_case.amaxes[number]), {}});
    }
    return wanted;
}

std::vector<BlockFault> judge(const QuantizeFloat& quantize, const std::vector<FloatExpected::Block>& wanted,
                              const FloatCase& float_case, const std::vector<frames::Values>& outputs,
                              FloatSamples* samples) {
    const Extent scales = float_case.matrix.scales();
    std::vector<BlockFault> faults;
    for (std::uint64_t number = 0; number < wanted.size(); ++number) {
        const BlockRange block = float_case.matrix.block(number);
        std::string text = fault_of(quantize, wanted[number], block, float_case, outputs, outputs[1].get(number));
        const bool right = text.empty();
        if (!right) faults.push_back({number / scales.columns, number % scales.columns, std::move(text)});
        if (samples == nullptr) continue;
        if (FloatSample* const kept = samples->next(right)) *kept = sample_of(float_case, number, outputs, right);
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
