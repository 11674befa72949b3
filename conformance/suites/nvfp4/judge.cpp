// SPDX-License-Identifier: Apache-2.0
#include "conformance/suites/nvfp4/judge.hpp"

#include <fmt/format.h>

#include "reference/code_text.hpp"
#include "vectors/tables/permit.hpp"

namespace mxcert::suites {
namespace {

using formats::e2m1;
using formats::fp32;

// "" if the block is right.
std::string wrong_of_block(const QuantizeNvfp4& quantize, const Nvfp4Answer& expected, const TileCase& tile_case,
                           const std::vector<frames::Values>& outputs, std::uint64_t block) {
    const Format& format = *quantize.recipe->choices.scale;
    const Code scale = outputs[1].get(block);
    if (!same(format, scale, expected.scales[block]))
        return fmt::format("the scale is {}, not {}", code_text(format, scale),
                           code_text(format, expected.scales[block]));
    const BlockRange range = tile_case.matrix.block(block);
    const std::uint64_t lanes = count(range.size, "values");
    for (std::uint64_t lane = 0; lane < lanes; ++lane) {
        const std::uint64_t place = tile_case.matrix.place(range, lane);
        const Code element = outputs[0].get(place);
        if (expected.permits(place, element)) continue;
        const auto text = [&](Code code) { return code_text(e2m1, code & e2m1.last_code()); };
        std::string wanted = text(expected.elements[place]);
        if (!expected.upper.empty() && expected.upper[place] != expected.elements[place])
            wanted += " or " + text(expected.upper[place]);
        return fmt::format("row {}, column {} of it ({}) is {}, not {}, under the scale {}", lane / range.size.columns,
                           lane % range.size.columns, code_text(*quantize.source, tile_case.values[place]),
                           code_text(e2m1, element), wanted, code_text(format, scale));
    }
    return {};
}

} // namespace

Nvfp4Answer answer_of(Nvfp4Expected& expected, const TileCase& tile_case) {
    const Code tensor_amax = expected.amax_of(tile_case.values);
    Nvfp4Answer answer{expected.tensor_scale(tensor_amax), {}, std::vector<Code>(tile_case.values.size()), {}};
    const std::uint64_t blocks = tile_case.matrix.blocks();
    for (std::uint64_t block = 0; block < blocks; ++block) {
        const std::vector<Code> values = tile_case.values_of(block);
        const BlockRange range = tile_case.matrix.block(block);
        const Code scale = expected.scale_of(tensor_amax, values, range.size.columns);
        answer.scales.push_back(scale);
        for (std::uint64_t lane = 0; lane < values.size(); ++lane)
            answer.elements[tile_case.matrix.place(range, lane)] = expected.element(tensor_amax, scale, values[lane]);
    }
    return answer;
}

Nvfp4Answer random_answer_of(Nvfp4Expected& lower, Nvfp4Expected& upper, const TileCase& tile_case) {
    Nvfp4Answer answer = answer_of(lower, tile_case);
    answer.upper = answer_of(upper, tile_case).elements;
    return answer;
}

recipe::Nvfp4Preset with_rounding(const recipe::Nvfp4Preset& preset, Rounding rounding) {
    recipe::Nvfp4Preset other = preset;
    other.choices.rounding = rounding;
    return other;
}

std::vector<std::string> judge(const QuantizeNvfp4& quantize, const Nvfp4Answer& expected, const TileCase& tile_case,
                               const std::vector<frames::Values>& outputs) {
    std::vector<std::string> wrong;
    if (quantize.output != Nvfp4Output::none) {
        const Code scale = outputs[2].get(0);
        if (!same(fp32, scale, expected.tensor_scale))
            wrong.push_back(fmt::format("{}: the {} scale of the tensor is {}, not {}", tile_case.name,
                                        quantize.output == Nvfp4Output::encode_scale ? "encode" : "decode",
                                        code_text(fp32, scale), code_text(fp32, expected.tensor_scale)));
    }
    const std::uint64_t blocks = tile_case.matrix.blocks();
    for (std::uint64_t block = 0; block < blocks; ++block) {
        const std::string text = wrong_of_block(quantize, expected, tile_case, outputs, block);
        if (!text.empty()) wrong.push_back(fmt::format("{}, block {}: {}", tile_case.title(block), block, text));
    }
    return wrong;
}

} // namespace mxcert::suites
