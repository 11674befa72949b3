// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

#include "reference/profile/profile_rows.hpp"

// What the tables of profiles share: lists of formats and of values.
namespace mxcert::profiles {

using Name = std::string_view;

inline constexpr Name amax = "amax_fp32 amax_fp16 amax_bf16";
inline constexpr Name scales = "e8m0_for_e4m3 e8m0_for_e5m2 e8m0_for_e3m2 e8m0_for_e2m3 e8m0_for_e2m1 "
                               "e8m0_for_int8";
inline constexpr Name mxfp8_scales = "e8m0_for_e4m3 e8m0_for_e5m2";
inline constexpr Name by_scale = "fp32_by_e8m0 fp16_by_e8m0 bf16_by_e8m0";
inline constexpr Name times_scale = "e4m3_times_e8m0 e5m2_times_e8m0 e3m2_times_e8m0 e2m3_times_e8m0 e2m1_times_e8m0 "
                                    "int8_times_e8m0";
/// Those without INT8, which instructions of AMD do not have.
inline constexpr Name fp_times_scale =
    "e4m3_times_e8m0 e5m2_times_e8m0 e3m2_times_e8m0 e2m3_times_e8m0 e2m1_times_e8m0";
inline constexpr Name mxfp8_times_scale = "e4m3_times_e8m0 e5m2_times_e8m0";
/// Blocks alone: of every MX format, and of MXFP8.
inline constexpr Scope blocks[] = {
    {amax, scales},
    {by_scale, "e4m3 e5m2 e3m2 e2m3 e2m1 int8"},
    {times_scale, "fp32 fp16 bf16"},
};
inline constexpr Scope mxfp8_blocks[] = {
    {amax, mxfp8_scales},
    {by_scale, "e4m3 e5m2"},
    {mxfp8_times_scale, "fp32 fp16 bf16"},
};
inline constexpr Name elements = "e4m3 e5m2 e4m3fnuz e5m2fnuz"; // those with overflow modes
inline constexpr Name wide = "fp64 fp32 fp16 bf16";
inline constexpr Name narrow = "e3m2 e2m3 e2m1 int8"; // neither Inf nor NaN: what is beyond saturates
inline constexpr Name fp6_fp4 = "e3m2 e2m3 e2m1";
inline constexpr Name unsigned_scales = "ue4m3 ue5m3";
/// What a NaN becomes there (MX v1.0 5.3.2-5.3.4: implementation-defined).
inline constexpr Name any_number_of_nan[] = {"max", "max_sign", "zero", "zero_inverted"};
inline constexpr Name any_lowest[] = {"unused", "used"};
inline constexpr Name any_zero_sign[] = {"kept", "dropped"};
/// Every NaN code: the values of `nan` that give one, and "any".
inline constexpr Name any_nan[] = {"any",          "canonical",      "sign",     "quiet",     "quiet_sign",
                                   "payload_sign", "inverted_first", "negative", "fp32_ones", "bf16_ones"};
inline constexpr Name any_overflow_nan[] = {"any", "sign", "canonical", "negative"};
inline constexpr Name any_directed_overflow[] = {"special", "max"};
inline constexpr Name any_negative[] = {"magnitude", "zero", "nan"};
inline constexpr Name any_zero[] = {"smallest", "nan"};
inline constexpr Name any_lowest_binade[] = {"by_value", "up_above_smallest", "up_nonzero", "zero_below"};
inline constexpr Name only_max[] = {"max"};
inline constexpr Name only_sign[] = {"sign"};
inline constexpr Name only_quiet[] = {"quiet"};
inline constexpr Name only_payload_sign[] = {"payload_sign"};
inline constexpr Name only_canonical[] = {"canonical"};
inline constexpr AmaxNan nan_ignored[] = {AmaxNan::ignored};
inline constexpr AmaxNan nan_propagated[] = {AmaxNan::propagated};
inline constexpr AmaxInf inf_counted[] = {AmaxInf::counted};

/// Those of implementations: profile_implementations.cpp.
[[nodiscard]] std::span<const Profile> of_implementations();
/// Those of instruction sets: profile_instructions.cpp.
[[nodiscard]] std::span<const Profile> of_instructions();

} // namespace mxcert::profiles
