// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <stdexcept>
#include <string>

#include "reference/recipe/float_block.hpp"

namespace mxcert::recipe {
namespace {

using formats::bf16;
using formats::fp32;

constexpr Code fp32_1e_4 = 0x3F1A36E2E0000000; // as binary64

constexpr FloatBlock nexus() {
    FloatBlock choices;
    choices.scaling.first = First::scale;
    choices.scaling.on_zero = Unusable::one;
    choices.apply = Apply::divide;
    return choices;
}

constexpr FloatBlock te(const Format* limit, bool power_of_two) {
    FloatBlock choices;
    choices.scaling.limit = limit;
    choices.scaling.power_of_two = power_of_two;
    choices.scaling.on_nan = choices.scaling.on_inf = choices.scaling.on_zero = Unusable::one;
    return choices;
}

constexpr FloatBlock deepseek() {
    FloatBlock choices;
    choices.scaling.first = First::scale;
    choices.apply = Apply::divide;
    return choices;
}

constexpr FloatBlock deepgemm(bool power_of_two) {
    FloatBlock choices;
    choices.scaling.first = First::scale;
    choices.scaling.least_amax = fp32_1e_4;
    choices.scaling.power_of_two = power_of_two;
    choices.amax_nan = AmaxNan::propagated;
    choices.overflow = Overflow::nosat;
    return choices;
}

constexpr Tile row(std::size_t length) { return {1, length}; }
constexpr Tile square{128, 128};
constexpr std::string_view nexus_source =
    "a description of to_mxfp8: scale = amax / FP8_max; what a zero block gives is our choice";
constexpr std::string_view te_source =
    "Transformer Engine 01c24fe, common/recipe/recipe_common.cuh; transpose/quantize_transpose_vector_blockwise.cu";
constexpr std::string_view deepgemm_source =
    "DeepGEMM 38939a4, deep_gemm/utils/math.py, per_token_cast_to_fp8, per_block_cast_to_fp8";

constexpr std::array presets{
    FloatBlockPreset{"nexus_16", nexus(), row(16), row(16), Grade::secondary, nexus_source},
    FloatBlockPreset{"nexus_32", nexus(), row(32), row(32), Grade::secondary, nexus_source},
    FloatBlockPreset{"nexus_64", nexus(), row(64), row(64), Grade::secondary, nexus_source},
    FloatBlockPreset{"te_float8_block", te(&fp32, true), row(128), square, Grade::primary, te_source},
    FloatBlockPreset{"te_float8_block_fp32_scales", te(&fp32, false), row(128), square, Grade::primary, te_source},
    // An inverse scale beyond binary32 becomes the largest value of the tensor's own format.
    FloatBlockPreset{"te_float8_block_fp32_scales_bf16", te(&bf16, false), row(128), square, Grade::primary, te_source},
    FloatBlockPreset{
        "deepseek_v3", deepseek(), row(128), square, Grade::primary,
        "DeepSeek-V3 d4c8543, inference/kernel.py, act_quant_kernel; the weights' tile by its dequantization"},
    FloatBlockPreset{"deepgemm", deepgemm(false), row(128), square, Grade::primary, deepgemm_source},
    FloatBlockPreset{"deepgemm_ue8m0", deepgemm(true), row(128), square, Grade::primary, deepgemm_source},
};

} // namespace

std::span<const FloatBlockPreset> float_block_presets() { return presets; }

const FloatBlockPreset& float_block_preset(std::string_view name) {
    std::string names;
    for (const FloatBlockPreset& preset : presets) {
        if (preset.name == name) return preset;
        names.append(names.empty() ? "" : ", ").append(preset.name);
    }
    throw std::invalid_argument("no recipe '" + std::string(name) + "': there are " + names);
}

} // namespace mxcert::recipe
