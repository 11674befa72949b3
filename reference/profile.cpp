// SPDX-License-Identifier: Apache-2.0
#include "reference/profile.hpp"

#include <algorithm>
#include <stdexcept>

#include "reference/near_names.hpp"

namespace mxcert {
namespace {

using Name = std::string_view;

// The formats of MXFP8, from and to those that compute with it.
constexpr Scope mxfp8[] = {
    {"fp64 fp32 fp16 bf16 e4m3 e5m2", "e4m3 e5m2"},
    {"fp64 fp32 fp16 bf16", "e8m0"},
    {"e4m3 e5m2 e8m0", "fp64 fp32 fp16 bf16"},
};
constexpr Name amax = "amax_fp32 amax_fp16 amax_bf16";
constexpr Name scales = "scale_e4m3 scale_e5m2";
constexpr Name by_scale = "fp32_by_e8m0 fp16_by_e8m0 bf16_by_e8m0";
constexpr Name times_scale = "e4m3_times_e8m0 e5m2_times_e8m0";
// The same with the scale of a block.
constexpr Scope mxfp8_blocks[] = {
    {"fp64 fp32 fp16 bf16 e4m3 e5m2", "e4m3 e5m2"},
    {"fp64 fp32 fp16 bf16", "e8m0"},
    {"e4m3 e5m2 e8m0", "fp64 fp32 fp16 bf16"},
    {amax, scales},
    {by_scale, "e4m3 e5m2"},
    {times_scale, "fp64 fp32 fp16 bf16"},
};
// Blocks alone.
constexpr Scope blocks[] = {
    {amax, scales},
    {by_scale, "e4m3 e5m2"},
    {times_scale, "fp32 fp16 bf16"},
};
// With the FNUZ variants.
constexpr Scope mxfp8_fnuz[] = {
    {"fp64 fp32 fp16 bf16 e4m3 e5m2 e4m3fnuz e5m2fnuz", "e4m3 e5m2 e4m3fnuz e5m2fnuz"},
    {"fp64 fp32 fp16 bf16", "e8m0"},
    {"e4m3 e5m2 e4m3fnuz e5m2fnuz e8m0", "fp64 fp32 fp16 bf16"},
};
// Those without the scale.
constexpr Scope elements_fnuz[] = {
    {"fp64 fp32 fp16 bf16 e4m3 e5m2 e4m3fnuz e5m2fnuz", "e4m3 e5m2 e4m3fnuz e5m2fnuz"},
    {"e4m3 e5m2 e4m3fnuz e5m2fnuz", "fp64 fp32 fp16 bf16"},
};
constexpr Name ocp_elements = "e4m3 e5m2";
constexpr Name elements = "e4m3 e5m2 e4m3fnuz e5m2fnuz"; // those with overflow modes
constexpr Name wide = "fp64 fp32 fp16 bf16";

// Every NaN code: the values of `nan` that give one, and "any".
constexpr Name any_nan[] = {"any", "canonical", "sign", "quiet", "quiet_sign", "payload_sign", "inverted_first"};
constexpr Name any_overflow_nan[] = {"any", "sign", "canonical"};
constexpr Name any_directed_overflow[] = {"special", "max"};
constexpr Name any_negative[] = {"magnitude", "zero", "nan"};
constexpr Name any_zero[] = {"smallest", "nan"};
constexpr Name any_lowest_binade[] = {"by_value", "up_above_smallest", "up_nonzero", "zero_below"};
constexpr Name any_scale_of_nan[] = {"canonical", "max", "zero"};
constexpr Name any_scale_of_zero[] = {"smallest", "nan", "one", "lowered"};
constexpr Name any_lowest_scale[] = {"by_value", "up_above_smallest", "up_nonzero"};
constexpr Name only_fp32_multiply[] = {"fp32_multiply"};
constexpr Name only_max[] = {"max"};
constexpr Name only_sign[] = {"sign"};
constexpr Name only_quiet[] = {"quiet"};
constexpr Name only_quiet_sign[] = {"quiet_sign"};
constexpr Name only_nan[] = {"nan"};
constexpr Name only_up_above_smallest[] = {"up_above_smallest"};
constexpr Name only_payload_sign[] = {"payload_sign"};

// OFP8-NAN-CODE, OFP8-DIRECTED-OVERFLOW, and what the MX specification leaves open in E8M0. Decoding is IEEE 754's,
// which keeps a directed rounding at the largest finite magnitude (7.4).
constexpr PermittedChoice ocp_permitted[] = {
    {Choice::nan, any_scale_of_nan, scales, ""},
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
    {Choice::nan, any_nan, "fp32", "e8m0"},
    {Choice::directed_overflow, only_max, "e8m0", ""},
};

// APFloat of LLVM 19.1.7: run. A NaN is made quiet and keeps its sign and as much of its payload as fits; that of the
// FNUZ formats has neither. There is no saturating mode; IEEE 754's rule for directed roundings holds. E8M0 came with
// LLVM 20.
constexpr PermittedChoice llvm_permitted[] = {
    {Choice::nan, only_sign, "e4m3", ""},
    {Choice::nan, only_payload_sign, "e5m2", ""},
    {Choice::nan, only_payload_sign, wide, "e5m2"},
    {Choice::nan, any_nan, wide, "e4m3"}, // the payload has three bits, of which no choice names all
    {Choice::nan, only_quiet, wide, "e4m3fnuz e5m2fnuz"},
    {Choice::directed_overflow, only_max, "", ""},
};

// ml_dtypes 0.6.0: run. Its E8M0 has neither zero nor sign, and says so with NaN; what lies above its smallest code
// goes to the second. It names its rounding nearest even for E8M0 too.
constexpr PermittedChoice ml_dtypes_permitted[] = {
    {Choice::nan, only_sign, "e4m3", ""},     {Choice::nan, only_quiet_sign, "e5m2", ""},
    {Choice::nan, only_quiet_sign, wide, ""}, {Choice::negative, only_nan, "e8m0", ""},
    {Choice::zero, only_nan, "e8m0", ""},     {Choice::lowest_binade, only_up_above_smallest, "e8m0", ""},
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

constexpr AmaxNan nan_ignored[] = {AmaxNan::ignored};
constexpr AmaxInf inf_counted[] = {AmaxInf::counted};

constexpr Provision ocp_provisions[] = {
    {"OFP8-RNE", "nearest_even", "", ocp_elements},
    {"OFP8-BOTH-MODES", "", "sat", ocp_elements},
    {"OFP8-BOTH-MODES", "", "nosat", ocp_elements},
};

constexpr Name ocp_source = "OCP OFP8 v1.0 5.2.1 and MX v1.0 5.4.1 (secondary readings; no clause from memory)";

constexpr Profile table[] = {
    {"ocp-sat",
     "OFP8 and E8M0 values, saturating mode",
     ocp_source,
     "sat",
     mxfp8_blocks,
     ocp_permitted,
     {},
     "ocp_floor"},
    {"ocp-nosat",
     "OFP8 and E8M0 values, non-saturating mode",
     ocp_source,
     "nosat",
     mxfp8_blocks,
     ocp_permitted,
     {},
     "ocp_floor"},
    {"ocp", "OFP8 and E8M0 values of both modes, and both modes offered", ocp_source, "sat nosat", mxfp8_blocks,
     ocp_permitted, ocp_provisions, "ocp_floor"},
    {"nvidia-cuda-host",
     "cuda_fp8 of CUDA 13.0, host path, to the bit",
     "NVIDIA CUDA 13.0 cuda_fp8.h and cuda_fp8.hpp (primary: read and run)",
     "sat nosat",
     mxfp8,
     nvidia_permitted,
     {}},
    {"nvidia-te",
     "Transformer Engine's scales, elements and values of MXFP8 blocks, to the bit",
     "TransformerEngine d0067d0 common/util/ptx_arch_spec.cuh and cast/mxfp8/quantize_mxfp8.cuh (primary: read)",
     "sat",
     blocks,
     te_permitted,
     {},
     "rceil",
     "nearest_even",
     "padded_128x4 padded_4x128 swizzle_128x4 swizzle_128x4_columnwise",
     nan_ignored,
     inf_counted},
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
     mxfp8_fnuz,
     ml_dtypes_permitted,
     {}},
    {"gfloat",
     "gfloat 0.5.2, its ndarray functions, to the bit",
     "gfloat 0.5.2 round_ndarray.py and encode_ndarray.py (primary: read and run)",
     "sat nosat",
     mxfp8,
     gfloat_permitted,
     {}},
};

/// Whether `name` is one of the names in a list separated by spaces.
bool listed(Name list, Name name) {
    while (!list.empty()) {
        const std::size_t space = list.find(' ');
        if (list.substr(0, space) == name) return true;
        list = space == Name::npos ? Name{} : list.substr(space + 1);
    }
    return false;
}

bool holds_for(const PermittedChoice& entry, const Conversion& conversion) {
    return (entry.targets.empty() || listed(entry.targets, conversion.to->name)) &&
           (entry.sources.empty() || listed(entry.sources, conversion.from->name));
}

} // namespace

std::span<const Profile> all_profiles() { return table; }

const Profile& find_profile(std::string_view name) {
    std::vector<Name> names;
    for (const Profile& profile : table) {
        if (profile.name == name) return profile;
        names.push_back(profile.name);
    }
    throw std::invalid_argument(unknown_name("profile", name, names));
}

bool covers(const Profile& profile, const Conversion& conversion) {
    // A stochastic rounding is no function of its input: no table of permitted outputs describes it.
    if (is_stochastic(conversion.rounding) || conversion.from == conversion.to) return false;
    const bool in_scope = std::any_of(profile.scopes.begin(), profile.scopes.end(), [&](const Scope& scope) {
        return listed(scope.sources, conversion.from->name) && listed(scope.targets, conversion.to->name);
    });
    if (!in_scope) return false;
    const Choices named = choices_of(conversion);
    if (conversion.to->element != nullptr && !listed(profile.scale_rules, value_name(named, Choice::rule)))
        return false;
    if (!profile.roundings.empty() && conversion.to->element == nullptr &&
        !listed(profile.roundings, value_name(named, Choice::rounding)))
        return false;
    // Conversions to E8M0 and to wide formats are judged either way. sat_finite is nobody's: no golden file has rows
    // for it.
    const bool has_modes = listed(elements, conversion.to->name) || conversion.to->element != nullptr;
    const Name modes = has_modes ? profile.overflow_modes : Name("sat nosat");
    return listed(modes, value_name(named, Choice::overflow));
}

bool covers(const Profile& profile, const Operation& operation) {
    if (operation.info->name == "layout") return listed(profile.layouts, operation.value("layout"));
    if (operation.info->name == "stochastic") {
        Conversion conversion = as_stochastic(operation).conversion;
        conversion.rounding = Rounding::nearest_even; // which formats and overflows are judged does not depend on it
        conversion.random_bits = 0;
        return profile.roundings.empty() && covers(profile, conversion);
    }
    if (operation.info->name == "dequantize") return covers(profile, as_dequantize(operation).value);
    const Quantize quantize = as_quantize(operation);
    return covers(profile, quantize.scale) && covers(profile, quantize.element);
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

} // namespace mxcert
