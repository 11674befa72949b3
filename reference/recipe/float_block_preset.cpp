// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <stdexcept>
#include <vector>

#include "reference/base/near_names.hpp"
#include "reference/recipe/float_block.hpp"

namespace mxcert::recipe {
namespace {

using formats::bf16;
using formats::fp32;

constexpr Code fp32_1e_4 = 0x3F1A36E2E0000000; // as binary64

/// amax / largest, as descriptions have it.
constexpr FloatBlock absmax() {
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

using shapes::per_tensor;
using shapes::rowwise;

constexpr BlockShape square = shapes::tile(128);
constexpr std::string_view nexus_source =
    "a description of to_mxfp8: scale = amax / FP8_max; what a zero block gives is our choice";
constexpr std::string_view te_source =
    "Transformer Engine 01c24fe, common/recipe/recipe_common.cuh; transpose/quantize_transpose_vector_blockwise.cu";
constexpr std::string_view deepgemm_source =
    "DeepGEMM 38939a4, deep_gemm/utils/math.py, per_token_cast_to_fp8, per_block_cast_to_fp8";

constexpr std::string_view absmax_source =
    "descriptions of FP8 with a scale a tensor, a channel or a block: scale = amax / FP8_max; what zeros give is our "
    "choice";

constexpr std::array presets{
    FloatBlockPreset{"absmax", absmax(), per_tensor, per_tensor, Grade::secondary, absmax_source},
    FloatBlockPreset{"nexus_16", absmax(), rowwise(16), rowwise(16), Grade::secondary, nexus_source},
    FloatBlockPreset{"nexus_32", absmax(), rowwise(32), rowwise(32), Grade::secondary, nexus_source},
    FloatBlockPreset{"nexus_64", absmax(), rowwise(64), rowwise(64), Grade::secondary, nexus_source},
    FloatBlockPreset{"te_float8_block", te(&fp32, true), rowwise(128), square, Grade::primary, te_source},
    FloatBlockPreset{"te_float8_block_fp32_scales", te(&fp32, false), rowwise(128), square, Grade::primary, te_source},
    // An inverse scale beyond binary32 becomes the largest value of the tensor's own format.
    FloatBlockPreset{"te_float8_block_fp32_scales_bf16", te(&bf16, false), rowwise(128), square, Grade::primary,
                     te_source},
    FloatBlockPreset{
        "deepseek_v3", deepseek(), rowwise(128), square, Grade::primary,
        "DeepSeek-V3 d4c8543, inference/kernel.py, act_quant_kernel; the weights' tile by its dequantization"},
    FloatBlockPreset{"deepgemm", deepgemm(false), rowwise(128), square, Grade::primary, deepgemm_source},
    FloatBlockPreset{"deepgemm_ue8m0", deepgemm(true), rowwise(128), square, Grade::primary, deepgemm_source},
};

} // namespace

std::span<const FloatBlockPreset> float_block_presets() { return presets; }

const FloatBlockPreset& float_block_preset(std::string_view name) { return find_named("recipe", name, presets); }

} // namespace mxcert::recipe
