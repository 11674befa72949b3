// SPDX-License-Identifier: Apache-2.0
#include "reference/profile/profile.hpp"

#include <algorithm>
#include <stdexcept>

#include "reference/base/near_names.hpp"
#include "reference/base/word_list.hpp"
#include "reference/profile/profile_parts.hpp"

namespace mxcert {
namespace {

using profiles::amax;
using profiles::any_directed_overflow;
using profiles::any_lowest;
using profiles::any_lowest_binade;
using profiles::any_nan;
using profiles::any_negative;
using profiles::any_number_of_nan;
using profiles::any_overflow_nan;
using profiles::any_zero;
using profiles::any_zero_sign;
using profiles::by_scale;
using profiles::elements;
using profiles::fp6_fp4;
using profiles::inf_counted;
using profiles::mxfp8_blocks;
using profiles::Name;
using profiles::nan_ignored;
using profiles::narrow;
using profiles::only_max;
using profiles::only_payload_sign;
using profiles::only_quiet;
using profiles::only_sign;
using profiles::scales;
using profiles::times_scale;
using profiles::unsigned_scales;
using profiles::wide;

// The formats of MXFP8, from and to those that compute with it.
constexpr Scope mxfp8[] = {
    {"fp64 fp32 fp16 bf16 e4m3 e5m2", "e4m3 e5m2"},
    {"fp64 fp32 fp16 bf16", "e8m0"},
    {"e4m3 e5m2 e8m0", "fp64 fp32 fp16 bf16"},
};
// The same with FP6, FP4, INT8 and the scale of a block.
constexpr Scope mx[] = {
    {"fp64 fp32 fp16 bf16 e4m3 e5m2", "e4m3 e5m2"},
    {"fp64 fp32 fp16 bf16", "e8m0"},
    {"e4m3 e5m2 e8m0", "fp64 fp32 fp16 bf16"},
    {wide, narrow},
    {narrow, wide},
    {amax, scales},
    {by_scale, "e4m3 e5m2 e3m2 e2m3 e2m1 int8"},
    {times_scale, "fp64 fp32 fp16 bf16"},
};
// And what cuda_fp6.h and cuda_fp4.h convert, and the UE5M3 of CUDA 13.5's cuda_fp8.h.
constexpr Scope nvidia_host[] = {
    {"fp64 fp32 fp16 bf16 e4m3 e5m2", "e4m3 e5m2"},
    {"fp64 fp32 fp16 bf16", "e8m0"},
    {"e4m3 e5m2 e8m0", "fp64 fp32 fp16 bf16"},
    {wide, fp6_fp4, "nearest_even toward_zero"},
    {fp6_fp4, wide},
    {wide, "ue5m3", "nearest_even toward_zero up down"},
    {"ue5m3", wide},
};
// Scales without sign that are no powers of two.
constexpr Scope scales_without_sign[] = {
    {wide, unsigned_scales},
    {unsigned_scales, wide},
};
// With the FNUZ variants.
constexpr Scope mx_fnuz[] = {
    {"fp64 fp32 fp16 bf16 e4m3 e5m2 e4m3fnuz e5m2fnuz", "e4m3 e5m2 e4m3fnuz e5m2fnuz"},
    {wide, "e8m0 e3m2 e2m3 e2m1"},
    {"e4m3 e5m2 e4m3fnuz e5m2fnuz e8m0 e3m2 e2m3 e2m1", wide},
};
// Those without the scale.
constexpr Scope elements_fnuz[] = {
    {"fp64 fp32 fp16 bf16 e4m3 e5m2 e4m3fnuz e5m2fnuz", "e4m3 e5m2 e4m3fnuz e5m2fnuz"},
    {"e4m3 e5m2 e4m3fnuz e5m2fnuz", "fp64 fp32 fp16 bf16"},
};
constexpr Name ocp_elements = "e4m3 e5m2";

constexpr Name any_scale_of_nan[] = {"canonical", "max", "zero"};
constexpr Name any_scale_of_zero[] = {"smallest", "nan", "one", "lowered"};
constexpr Name any_lowest_scale[] = {"by_value", "up_above_smallest", "up_nonzero"};
constexpr Name only_fp32_multiply[] = {"fp32_multiply"};
constexpr Name only_quiet_sign[] = {"quiet_sign"};
constexpr Name only_nan[] = {"nan"};
constexpr Name only_zero_inverted[] = {"zero_inverted"};
constexpr Name only_up_above_smallest[] = {"up_above_smallest"};

// OFP8-NAN-CODE, OFP8-DIRECTED-OVERFLOW, and what the MX specification leaves open in E8M0. Decoding is IEEE 754's,
// which keeps a directed rounding at the largest finite magnitude (7.4).
constexpr PermittedChoice ocp_permitted[] = {
    {Choice::nan, any_scale_of_nan, scales, ""},
    {Choice::nan, any_number_of_nan, narrow, ""},
    {Choice::zero_sign, any_zero_sign, narrow, ""},
    {Choice::lowest, any_lowest, "int8", ""},
    {Choice::nan, any_nan, "", ""},
    {Choice::overflow_nan, any_overflow_nan, "", ""},
    {Choice::directed_overflow, only_max, wide, ""},
    {Choice::directed_overflow, any_directed_overflow, "", ""},
    {Choice::zero, any_scale_of_zero, scales, ""},
    {Choice::lowest_binade, any_lowest_scale, scales, ""},
    {Choice::negative, any_negative, "e8m0", ""},
    {Choice::zero, any_zero, "e8m0", ""},
    {Choice::lowest_binade, any_lowest_binade, "e8m0", ""},
};

// What CUDA 13.0's cuda_fp8 does when it is compiled for the host: read, and run on every kind of input. FP64 and E8M0
// to FP32 widen a NaN of a narrower format by the language's own conversion, so its payload is the compiler's.
constexpr PermittedChoice nvidia_permitted[] = {
    {Choice::nan, only_sign, "e4m3", "fp64"},
    {Choice::nan, only_payload_sign, "e5m2", "fp64"},
    {Choice::nan, any_nan, "fp64", ""},
    {Choice::nan, any_nan, "fp32", "e8m0 ue5m3"},
    {Choice::directed_overflow, only_max, "e8m0 ue5m3", ""},
    {Choice::nan, only_max, narrow, ""},
};

// PTX names UE4M3 as a scale of its products and converts nothing to it; cuda_fp8.h converts to UE5M3. What becomes of
// a sign they leave to whoever writes the codes.
constexpr PermittedChoice without_sign_permitted[] = {
    {Choice::nan, any_nan, "", ""},
    {Choice::negative, any_negative, unsigned_scales, ""},
    {Choice::directed_overflow, only_max, wide, ""},
    {Choice::directed_overflow, any_directed_overflow, "", ""},
};

// APFloat of LLVM 19.1.7: run. A NaN is made quiet and keeps its sign and as much of its payload as fits; that of the
// FNUZ formats has neither. There is no saturating mode; IEEE 754's rule for directed roundings holds. E8M0 came with
// LLVM 20.
constexpr PermittedChoice llvm_permitted[] = {
    {Choice::nan, only_sign, "e4m3", ""},
    {Choice::nan, only_payload_sign, "e5m2", ""},
    {Choice::nan, only_payload_sign, wide, "e5m2 e4m3"},
    {Choice::nan, only_quiet, wide, "e4m3fnuz e5m2fnuz"},
    {Choice::directed_overflow, only_max, "", ""},
};

// ml_dtypes 0.6.0: run. Its E8M0 has neither zero nor sign, and says so with NaN; what lies above its smallest code
// goes to the second. It names its rounding nearest even for E8M0 too.
constexpr PermittedChoice ml_dtypes_permitted[] = {
    {Choice::nan, only_sign, "e4m3", ""},          {Choice::nan, only_quiet_sign, "e5m2", ""},
    {Choice::nan, only_quiet_sign, wide, ""},      {Choice::negative, only_nan, "e8m0", ""},
    {Choice::zero, only_nan, "e8m0", ""},          {Choice::lowest_binade, only_up_above_smallest, "e8m0", ""},
    {Choice::nan, only_zero_inverted, narrow, ""},
};

// gfloat 0.5.2: read and run. Every NaN becomes the code of all ones, whatever its sign was: it promises a NaN, no
// code. Of negative values in a format without sign it says nothing.
constexpr PermittedChoice gfloat_permitted[] = {
    {Choice::nan, any_nan, "", ""},
    {Choice::overflow_nan, any_overflow_nan, "", ""},
    {Choice::directed_overflow, only_max, "", ""},
    {Choice::negative, any_negative, "e8m0", ""},
};

// Transformer Engine d0067d0: read. The amax times FP32's nearest to 1/448 or 1/57344, then to a power of two upward.
// A value times the inverse of its scale in FP32 gives the same element as the exact quotient, to nearest even. What a
// NaN becomes that is dequantized is the compiler's.
constexpr PermittedChoice te_permitted[] = {
    {Choice::arithmetic, only_fp32_multiply, scales, ""},
    {Choice::nan, any_nan, wide, ""},
};

// MXFP8Quantizer::get_scale_shape() of pytorch/csrc/quantizer.cpp: both sides of a tensor are whole blocks.
constexpr std::uint64_t te_block = 32;

constexpr Name te_blocks = "1x128 128x1 128x128";
constexpr Name wide_sources = "fp32 fp16 bf16";
// An inverse scale beyond binary32 becomes the largest value of the source's format: of FP16 none is.
constexpr FloatScope te_floats[] = {
    {"te_float8_block", wide_sources, "fp32", te_blocks},
    {"te_float8_block_fp32_scales", "fp32 fp16", "fp32", te_blocks},
    {"te_float8_block_fp32_scales_bf16", "bf16", "fp32", te_blocks},
};
constexpr FloatScope deepseek_floats[] = {
    {"deepseek_v3 deepgemm deepgemm_ue8m0", wide_sources, "fp32", te_blocks},
    {"deepgemm_ue8m0", wide_sources, "e8m0", te_blocks},
};
constexpr FloatScope nexus_floats[] = {
    {"nexus_16", wide_sources, "fp32", "1x16"},
    {"nexus_32", wide_sources, "fp32", "1x32"},
    {"nexus_64", wide_sources, "fp32", "1x64"},
};
constexpr FloatScope absmax_floats[] = {{"absmax", wide_sources, "fp32 fp16 bf16", ""}};

constexpr Provision ocp_provisions[] = {
    {"OFP8-RNE", "nearest_even", "", ocp_elements},
    {"OFP8-BOTH-MODES", "", "sat", ocp_elements},
    {"OFP8-BOTH-MODES", "", "nosat", ocp_elements},
};

constexpr Name ocp_source = "OCP OFP8 v1.0 5.2.1 and MX v1.0 5.4.1 (secondary readings; no clause from memory)";

/// A profile of matrix products alone.
constexpr Profile products(Name name, Name title, Name source) {
    Profile profile{name, title, source, "", {}, {}, {}};
    profile.products = true;
    return profile;
}

/// A profile of operations with float scales alone.
constexpr Profile floats(Name name, Name title, Name source, std::span<const FloatScope> scopes) {
    Profile profile{name, title, source, "", {}, {}, {}};
    profile.float_scopes = scopes;
    return profile;
}

constexpr Profile scalings(Name name, Name title, Name source, Name recipes) {
    Profile profile{name, title, source, "", {}, {}, {}};
    profile.recipes = recipes;
    return profile;
}

constexpr Profile nvfp4s(Name name, Name title, Name source, Name recipes) {
    Profile profile{name, title, source, "", {}, {}, {}};
    profile.nvfp4_recipes = recipes;
    return profile;
}

constexpr Profile profile_table[] = {
    {"ocp-sat",
     "OFP8, FP6, FP4, INT8 and E8M0 values, saturating mode",
     ocp_source,
     "sat",
     mx,
     ocp_permitted,
     {},
     "ocp_floor"},
    {"ocp-nosat",
     "OFP8, FP6, FP4, INT8 and E8M0 values, non-saturating mode",
     ocp_source,
     "nosat",
     mx,
     ocp_permitted,
     {},
     "ocp_floor"},
    {"ocp", "OFP8, FP6, FP4, INT8 and E8M0 values of both modes, and both modes offered", ocp_source, "sat nosat", mx,
     ocp_permitted, ocp_provisions, "ocp_floor"},
    {"ocp-sat-finite",
     "OFP8, FP6, FP4, INT8 and E8M0 values, saturating but for Inf, which stays Inf or becomes NaN",
     "OCP OFP8 v1.0 5.2.1 and MX v1.0 5.4.1 (secondary) for all but Inf; OFP8 has no such mode, newer AMD headers do",
     "sat_finite",
     mx,
     ocp_permitted,
     {},
     "ocp_floor"},
    {"nvidia-cuda-host",
     "cuda_fp8, cuda_fp6 and cuda_fp4 of CUDA 13.0, and UE5M3 of 13.5, host path, to the bit",
     "NVIDIA CUDA 13.0 cuda_fp8.h, cuda_fp6.h, cuda_fp4.h and their .hpp, 13.5 for UE5M3 (primary: read and run)",
     "sat nosat",
     nvidia_host,
     nvidia_permitted,
     {}},
    {"unsigned-scales",
     "UE4M3 and UE5M3, the scales without sign, of both modes",
     "PTX ISA 9.3 for UE4M3 (secondary), CUDA 13.5 cuda_fp8.h for UE5M3 (primary); negative values are left open",
     "sat nosat",
     scales_without_sign,
     without_sign_permitted,
     {}},
    {"nvidia-te",
     "Transformer Engine's MXFP8 blocks, and blocks with float scales, to the bit",
     "TransformerEngine d0067d0 common/util/ptx_arch_spec.cuh, common/cast/mxfp8 and pytorch/csrc/quantizer.cpp, "
     "01c24fe common/recipe/recipe_common.cuh (primary: read)",
     "sat",
     mxfp8_blocks,
     te_permitted,
     {},
     "rceil",
     "nearest_even",
     "padded_128x4 padded_4x128 swizzle_128x4 swizzle_128x4_columnwise",
     nan_ignored,
     inf_counted,
     te_floats,
     "te_delayed te_delayed_4 te_delayed_4_backward te_delayed_4_margin_1 te_delayed_4_margin_2 "
     "te_delayed_most_recent_4 te_current te_current_power_of_two",
     false,
     te_block,
     "te_nvfp4 te_nvfp4_4over6 te_nvfp4_4over6_mse te_nvfp4_4over6_448 te_nvfp4_4over6_448_mse",
     "relu srelu",
     "e4m3-fp32-128x128 e5m2-fp32-128x128 e4m3-e8m0-1x32 e4m3-e8m0-32x1 e2m1-nvfp4-16x16"},
    {"llvm",
     "APFloat of LLVM 19, to the bit",
     "LLVM 19.1.7 llvm::APFloat (primary: run)",
     "nosat",
     elements_fnuz,
     llvm_permitted,
     {}},
    {"ml_dtypes",
     "ml_dtypes 0.6.0, its casts in numpy, to the bit",
     "ml_dtypes 0.6.0 (primary: run)",
     "nosat",
     mx_fnuz,
     ml_dtypes_permitted,
     {}},
    {"gfloat",
     "gfloat 0.5.2, its ndarray functions, to the bit",
     "gfloat 0.5.2 round_ndarray.py and encode_ndarray.py (primary: read and run)",
     "sat nosat",
     mxfp8,
     gfloat_permitted,
     {}},
    scalings("torchao-float8", "torchao's float scales of a tensor, to the bit",
             "torchao 00141f4 float8/float8_utils.py and 09821f0 float8/stateful_float8_linear.py (primary: read)",
             "torchao_dynamic torchao_delayed"),
    scalings("tensor-scaling",
             "FP8 with a float scale a tensor: histories, averages, percentiles and margins, to the bit",
             "a description of FP8 training (secondary); what NaN, Inf and zero give is our choice",
             "factor_current factor_maximum_4 factor_maximum_4_backward factor_maximum_4_factor_3 "
             "factor_maximum_4_earlier factor_maximum_4_interval_3 factor_maximum_4_remember_3 "
             "factor_maximum_4_interval_2_remember_3 factor_running_average_remember_2 "
             "factor_maximum_4_finite factor_maximum_4_one "
             "factor_maximum_4_computed factor_maximum_4_scale_first factor_maximum_4_reciprocal "
             "factor_moving_average_4 factor_running_average factor_running_average_finite factor_nearest_rank_8 "
             "factor_linear_rank_8 factor_linear_rank_8_zeros factor_linear_rank_8_three_quarters "
             "te_delayed_4_margin_1_of_quotient"),
    floats("deepseek", "DeepSeek's blocks with float scales: DeepSeek-V3's formula and DeepGEMM, to the bit",
           "DeepSeek-V3 d4c8543 inference/kernel.py; DeepGEMM 38939a4 deep_gemm/utils/math.py (primary: read)",
           deepseek_floats),
    floats("nexus", "Nexus' to_mxfp8: blocks of 16, 32 and 64 with a float scale, to the bit",
           "a description of to_mxfp8 (secondary); what a block of zeros gives is our choice", nexus_floats),
    floats("absmax", "absmax scaling: a float scale a tensor, a channel, a block or a tile, to the bit",
           "descriptions of FP8 scaling: amax / FP8_max (secondary); what zeros give is our choice", absmax_floats),
    nvfp4s("torchao-nvfp4", "torchao's NVFP4, with a scale of the tensor and without, to the bit",
           "torchao 0.18.0 prototype/mx_formats/nvfp4_tensor.py, in torch 2.15.0 (primary: read and run)",
           "torchao_nvfp4 torchao_nvfp4_one_level"),
    nvfp4s("modelopt", "ModelOpt's NVFP4, the dynamic path, to the bit",
           "ModelOpt 0.47.0 torch/quantization/qtensor/nvfp4_tensor.py (primary: read and run)", "modelopt_nvfp4"),
    nvfp4s(
        "compressed-tensors", "compressed-tensors' NVFP4, as vLLM reads it, to the bit",
        "compressed-tensors 0.20.0 quantization/utils/helpers.py, lifecycle/forward_helpers.py (primary: read and run)",
        "compressed_tensors_nvfp4 compressed_tensors_nvfp4_bf16"),
    nvfp4s("autoround-nvfp4", "AutoRound's NVFP4 with scales in UE5M3, to the bit",
           "AutoRound b9f3d00 auto_round/data_type/nvfp.py, nvfp4_v2, and its pack (primary: read and run)",
           "autoround_nvfp4_e5m3"),
    products(
        "products", "Matrix products: the exact sum rounded once, or an accumulator as the backend declares it",
        "MX v1.0 6.1, 6.2 leave precision and order open (secondary); `mxcert accumulators` says what each rests on"),
};

bool holds_for(const PermittedChoice& entry, const Conversion& conversion) {
    return (entry.targets.empty() || listed(entry.targets, conversion.to->name)) &&
           (entry.sources.empty() || listed(entry.sources, conversion.from->name));
}

} // namespace

std::span<const Profile> all_profiles() {
    static const std::vector<Profile> joined = [] {
        std::vector<Profile> all(std::begin(profile_table), std::end(profile_table));
        for (const std::span<const Profile> others : {profiles::of_implementations(), profiles::of_instructions()})
            all.insert(all.end(), others.begin(), others.end());
        return all;
    }();
    return joined;
}

const Profile& find_profile(std::string_view name) { return find_named("profile", name, all_profiles()); }

bool covers(const Profile& profile, const Conversion& conversion) {
    if (conversion.from == conversion.to) return false;
    const Choices named = choices_of(conversion);
    std::string rounding(value_name(named, Choice::rounding));
    if (is_stochastic(conversion.rounding)) rounding += std::to_string(conversion.random_bits);
    const auto rounds = [&](const Scope& scope) {
        const Name judged = scope.roundings.empty() ? profile.roundings : scope.roundings;
        return judged.empty() || conversion.to->element != nullptr || listed(judged, rounding);
    };
    const auto overflows = [&](const Scope& scope) {
        return listed(scope.overflow.empty() ? judged_overflow(profile, *conversion.to) : scope.overflow,
                      value_name(named, Choice::overflow));
    };
    const bool in_scope = std::any_of(profile.scopes.begin(), profile.scopes.end(), [&](const Scope& scope) {
        return listed(scope.sources, conversion.from->name) && listed(scope.targets, conversion.to->name) &&
               rounds(scope) && overflows(scope);
    });
    return in_scope &&
           (conversion.to->element == nullptr || listed(profile.scale_rules, value_name(named, Choice::rule)));
}

Name judged_overflow(const Profile& profile, const Format& to) {
    // Conversions to E8M0 and to wide formats are judged in each: MX has no modes for them.
    if (to.flags_of != nullptr) return judged_overflow(profile, *to.flags_of);
    if (listed(narrow, to.name)) return "sat";
    const bool has_modes = listed(elements, to.name) || listed(unsigned_scales, to.name) || to.element != nullptr;
    return has_modes ? profile.overflow_modes : Name("sat nosat sat_finite");
}

bool covers(const Profile& profile, const Operation& operation) {
    if (operation.info->name == "quantize_float" || operation.info->name == "dequantize_float") {
        const auto has = [&](Name list, Name attribute) {
            return list.empty() || listed(list, operation.value(attribute));
        };
        const bool quantizes = operation.info->name == "quantize_float";
        return std::any_of(profile.float_scopes.begin(), profile.float_scopes.end(), [&](const FloatScope& scope) {
            return has(scope.scales, "scale") && has(scope.blocks, "block") &&
                   (!quantizes || (has(scope.recipes, "recipe") && has(scope.sources, "source")));
        });
    }
    if (operation.info->name == "matmul" || operation.info->name == "scaled_matmul" || operation.info->name == "linear")
        return profile.products;
    if (operation.info->name == "layout") return listed(profile.layouts, operation.value("layout"));
    if (operation.info->name == "quantize_nvfp4" || operation.info->name == "dequantize_nvfp4")
        return listed(profile.nvfp4_recipes, operation.value("recipe"));
    // What te_nvfp4 does to gradients first.
    if (operation.info->name == "hadamard") return listed(profile.nvfp4_recipes, "te_nvfp4");
    if (operation.info->name == "partial_cast") {
        std::string cast;
        for (const char* const attribute : {"element", "scale", "block"})
            cast.append(cast.empty() ? "" : "-").append(operation.value(attribute));
        return listed(profile.partial_casts, cast);
    }
    if (operation.info->name == "scaling") return listed(profile.recipes, operation.value("recipe"));
    if (operation.info->name == "stochastic") return covers(profile, as_stochastic(operation).conversion);
    if (operation.info->name == "dequantize") return covers(profile, as_dequantize(operation).value);
    const Quantize quantize =
        operation.info->name == "quantize_2d" ? as_quantize_2d(operation).quantize : as_quantize(operation);
    if (quantize.activation != Activation::none && !listed(profile.activations, to_string(quantize.activation)))
        return false;
    return covers(profile, quantize.scale) && covers(profile, quantize.element);
}

bool refuses(const Profile& profile, const Extent& tensor) {
    return profile.sides != 0 && (tensor.rows % profile.sides != 0 || tensor.columns % profile.sides != 0);
}

bool permits(const Profile& profile, const Conversion& conversion, Choice choice, std::string_view value) {
    const Choices named = choices_of(conversion); // rounding and overflow as named, the rest at their defaults
    if (choice != Choice::rounding && choice != Choice::overflow && choice != Choice::rule) {
        const auto entry =
            std::find_if(profile.permitted.begin(), profile.permitted.end(),
                         [&](const PermittedChoice& p) { return p.choice == choice && holds_for(p, conversion); });
        if (entry != profile.permitted.end())
            return std::find(entry->values.begin(), entry->values.end(), value) != entry->values.end();
    }
    return value == value_name(named, choice);
}

std::vector<std::string_view> permitted_values(const Profile& profile, const Conversion& conversion, Choice choice) {
    std::vector<std::string_view> values;
    if (permits(profile, conversion, choice, any_nan_code)) values.push_back(any_nan_code);
    for (const std::string_view value : info(choice).values)
        if (permits(profile, conversion, choice, value)) values.push_back(value);
    return values;
}

} // namespace mxcert
