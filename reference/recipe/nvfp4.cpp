// SPDX-License-Identifier: Apache-2.0
#include "reference/recipe/nvfp4.hpp"

#include <array>
#include <stdexcept>
#include <string>

#include "reference/base/near_names.hpp"

namespace mxcert::recipe {
namespace {

constexpr Code fp32_min = 0x00800000; // 2^-126
constexpr Code fp32_2_to_minus_6 = 0x3C800000;
constexpr Code fp32_2_to_minus_9 = 0x3B000000;
constexpr Code of_256_times_6 = 0x44C00000;
constexpr Code of_448_times_6 = 0x45280000;
constexpr Code e4m3_eighth = 0x20;
constexpr Code e2m1_sign = 0x8;
constexpr Code e2m1_all = 0xF;

constexpr Nvfp4 te() {
    Nvfp4 choices;
    choices.unusable_is_one = true;
    choices.limited = true;
    return choices;
}

/// A range of 256 x 6 leaves room for scales that are 1.5 times as large.
constexpr Nvfp4 te_four_over_six(FourOverSix error, Code range) {
    Nvfp4 choices = te();
    choices.quotient = BlockQuotient::then_encode;
    choices.range = range;
    choices.four_over_six = error;
    return choices;
}

constexpr Nvfp4 torchao(TensorScale tensor) {
    Nvfp4 choices;
    choices.tensor = tensor;
    choices.quotient = BlockQuotient::then_decode;
    choices.least_quotient = fp32_2_to_minus_6;
    choices.element = ElementScale::times_quotient;
    choices.amax_nan = AmaxNan::propagated;
    choices.nan_open = e2m1_all;
    choices.factor = tensor == TensorScale::none ? Nvfp4Factor::scale : Nvfp4Factor::times_decode;
    return choices;
}

constexpr Nvfp4 modelopt() {
    Nvfp4 choices;
    choices.tensor = TensorScale::decode;
    choices.quotient = BlockQuotient::at_once;
    choices.zero_is_one = true;
    choices.least_quotient = fp32_2_to_minus_9;
    choices.element = ElementScale::over_product;
    choices.factor = Nvfp4Factor::times_decode;
    choices.minus_zero_is_zero = true;
    choices.amax_nan = AmaxNan::propagated;
    choices.zero_sign = ZeroSign::input_dropped;
    return choices;
}

constexpr Nvfp4 compressed_tensors(const Format& source) {
    Nvfp4 choices;
    choices.scales_in = &source;
    choices.reciprocal = true;
    choices.least_tensor_amax = fp32_min;
    choices.special_is_one = true;
    choices.quotient = BlockQuotient::then_encode;
    choices.zero_scale = e4m3_eighth;
    choices.element = ElementScale::over_quotient;
    choices.factor = Nvfp4Factor::over_encode;
    choices.amax_nan = AmaxNan::propagated;
    choices.nan = 0;
    choices.nan_open = e2m1_sign;
    choices.zero_sign = ZeroSign::input_dropped;
    return choices;
}

/// One level: the scale of a block is all there is.
constexpr Nvfp4 autoround_e5m3() {
    Nvfp4 choices;
    choices.tensor = TensorScale::none;
    choices.scale = &formats::ue5m3;
    choices.scale_carry_lost = true;
    choices.positive_scale_is_least = true;
    choices.nan_scale_is_zero = true;
    choices.zero_scale_is_open = true;
    choices.nan = 0;
    choices.nan_open = e2m1_sign;
    choices.element = ElementScale::over_product;
    choices.factor = Nvfp4Factor::scale;
    choices.amax_nan = AmaxNan::propagated;
    choices.zero_sign = ZeroSign::input_dropped;
    return choices;
}

constexpr std::string_view of_four_over_six = "Transformer Engine d0067d0 common/cast/nvfp4/quantize_4over6_nvfp4.cuh, "
                                              "without NVTE_NVFP4_4OVER6_ERR_USE_FAST_MATH: "
                                              "read";

constexpr std::array presets{
    Nvfp4Preset{"te_nvfp4", te(), Grade::primary,
                "Transformer Engine d0067d0 common/cast/nvfp4/core_nvfp4.cuh, quantize_transpose_nvfp4.cuh, "
                "dequantize_nvfp4.cuh: read"},
    Nvfp4Preset{"te_nvfp4_4over6", te_four_over_six(FourOverSix::absolute, of_256_times_6), Grade::primary,
                of_four_over_six},
    Nvfp4Preset{"te_nvfp4_4over6_mse", te_four_over_six(FourOverSix::square, of_256_times_6), Grade::primary,
                of_four_over_six},
    Nvfp4Preset{"te_nvfp4_4over6_448", te_four_over_six(FourOverSix::absolute, of_448_times_6), Grade::primary,
                of_four_over_six},
    Nvfp4Preset{"te_nvfp4_4over6_448_mse", te_four_over_six(FourOverSix::square, of_448_times_6), Grade::primary,
                of_four_over_six},
    Nvfp4Preset{
        "torchao_nvfp4", torchao(TensorScale::decode), Grade::primary,
        "torchao 0.18.0 prototype/mx_formats/nvfp4_tensor.py, nvfp4_quantize with per_tensor_scale: read and run"},
    Nvfp4Preset{
        "torchao_nvfp4_one_level", torchao(TensorScale::none), Grade::primary,
        "torchao 0.18.0 prototype/mx_formats/nvfp4_tensor.py, nvfp4_quantize without per_tensor_scale: read and run"},
    Nvfp4Preset{"modelopt_nvfp4", modelopt(), Grade::primary,
                "ModelOpt 0.47.0 torch/quantization/qtensor/nvfp4_tensor.py, the dynamic path: read and run"},
    Nvfp4Preset{"compressed_tensors_nvfp4", compressed_tensors(formats::fp32), Grade::primary,
                "compressed-tensors 0.20.0 quantization/utils/helpers.py, lifecycle/forward_helpers.py, on tensors of "
                "FP32: read and run"},
    Nvfp4Preset{"compressed_tensors_nvfp4_bf16", compressed_tensors(formats::bf16), Grade::primary,
                "the same on tensors of BF16, whose amaxes are divided in BF16: read and run"},
    Nvfp4Preset{
        "autoround_nvfp4_e5m3", autoround_e5m3(), Grade::primary,
        "AutoRound b9f3d00 data_type/nvfp.py, nvfp4_v2 with groups of 16, and export_to_autoround/qlinear_fp.py, "
        "pack: read and run"},
};

constexpr std::array<std::string_view, 3> tensor_words{"encode", "decode", "none"};
constexpr std::array<std::string_view, 4> quotient_words{"by_product", "then_encode", "then_decode", "at_once"};
constexpr std::array<std::string_view, 4> element_words{"times_inverse", "times_quotient", "over_product",
                                                        "over_quotient"};
constexpr std::array<std::string_view, 3> four_over_six_words{"off", "absolute", "square"};
constexpr std::array<std::string_view, 4> factor_words{"times_amax", "times_decode", "over_encode", "scale"};

} // namespace

std::span<const Nvfp4Preset> nvfp4_presets() { return presets; }

const Nvfp4Preset& nvfp4_preset(std::string_view name) { return find_named("recipe", name, presets); }

Code number_for(const Nvfp4& choices, const TensorScales& tensor) {
    switch (choices.factor) {
    case Nvfp4Factor::times_amax: return tensor.amax;
    case Nvfp4Factor::times_decode: return tensor.decode;
    case Nvfp4Factor::over_encode: return tensor.encode;
    case Nvfp4Factor::scale: break;
    }
    return formats::fp32.one_code();
}

void check_nvfp4(const Format& value, const CodeMatrix& values, Code tensor_amax) {
    if (&value != &formats::fp32 && &value != &formats::fp16 && &value != &formats::bf16)
        throw std::invalid_argument("values of " + std::string(value.name) + ": there are fp32, fp16 and bf16");
    if (values.codes.empty() || values.codes.size() != values.rows * values.columns)
        throw std::invalid_argument("a matrix of " + std::to_string(values.rows) + "x" +
                                    std::to_string(values.columns) + " has not " + std::to_string(values.codes.size()) +
                                    " values");
    if (tensor_amax > formats::fp32.magnitude_mask())
        throw std::invalid_argument("the amax of a tensor is a binary32 without sign");
}

std::string_view to_string(TensorScale value) { return tensor_words.at(static_cast<std::size_t>(value)); }
std::string_view to_string(BlockQuotient value) { return quotient_words.at(static_cast<std::size_t>(value)); }
std::string_view to_string(ElementScale value) { return element_words.at(static_cast<std::size_t>(value)); }
std::string_view to_string(FourOverSix value) { return four_over_six_words.at(static_cast<std::size_t>(value)); }
std::string_view to_string(Nvfp4Factor value) { return factor_words.at(static_cast<std::size_t>(value)); }

} // namespace mxcert::recipe
