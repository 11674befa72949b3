// SPDX-License-Identifier: Apache-2.0
// Profiles of what implementations and other standards do, most of them made by reading.
#include "reference/profile/profile_parts.hpp"

namespace mxcert::profiles {
namespace {

constexpr Name only_fp32_divide[] = {"fp32_divide"};
constexpr Name only_fp32_log2[] = {"fp32_log2"};
constexpr Name only_next_power[] = {"next_power"};
constexpr Name only_before_rounding[] = {"before_rounding"};
constexpr Name only_fp16_nearest_even[] = {"fp16_nearest_even"};
constexpr Name sign_dropped[] = {"dropped", "input_dropped"};
constexpr Name any_zero_sign[] = {"kept", "dropped", "input_dropped"};

// MX 6.3, and where it is silent the answers that this project proposes: an amax of the finite values and Inf, the
// smallest scale for what is too small and for zero, the largest for Inf. Which NaN code comes out stays open.
constexpr PermittedChoice ocp_floor_permitted[] = {
    {Choice::nan, only_canonical, scales, ""},
    {Choice::nan, any_number_of_nan, narrow, ""},
    {Choice::nan, any_nan, "", ""},
};

// torchao's MX formats: the package 0.18.0 and, behind it, a commit of August 2026 that differs in its scales. Both are
// read, and run in eager mode. The amax is that of FP32 whatever the values are. FP16 is dequantized with scales in
// FP16 (docs/implementations.md), which no choice says: not judged.
constexpr Scope torchao_blocks[] = {
    {"amax_fp32 amax_bf16", mxfp8_scales},
    {"fp32_by_e8m0 bf16_by_e8m0", "e4m3 e5m2"},
    {mxfp8_times_scale, "fp64 fp32 bf16"},
};
constexpr Name only_second[] = {"second"};
constexpr Name only_one[] = {"one"};

// 0.18.0. An Inf is read by its exponent field as any other number, as is what EVEN rounds to it. Under the scale 0x00
// a value is divided by 2^-126, "just the minimum normal value".
constexpr PermittedChoice torchao_permitted[] = {
    {Choice::inf_amax, only_next_power, scales, ""},
    {Choice::smallest_scale, only_second, "e4m3 e5m2", ""},
    {Choice::nan, only_canonical, scales, ""},
    {Choice::nan, any_nan, "", ""},
};
// RCEIL: the quotient in FP32; its power of two as the instruction cvt.rp.satfinite.ue8m0x2 gives it. Under the scale
// 0x00 a value is not divided at all.
constexpr PermittedChoice torchao_rceil_permitted[] = {
    {Choice::arithmetic, only_fp32_divide, scales, ""},
    {Choice::smallest_scale, only_one, "e4m3 e5m2", ""},
    {Choice::nan, only_canonical, scales, ""},
    {Choice::nan, any_nan, "", ""},
};
// The eager path of RCEIL looks for that power by a logarithm in FP32, and misses it close to a power of two.
constexpr PermittedChoice torchao_eager_permitted[] = {
    {Choice::arithmetic, only_fp32_log2, scales, ""},
    {Choice::smallest_scale, only_one, "e4m3 e5m2", ""},
    {Choice::nan, only_canonical, scales, ""},
    {Choice::nan, any_nan, "", ""},
};

// 36027d8, which says 0.19.0. An amax of Inf, and one that EVEN rounds to Inf, gives the scale 0xFF: sat_finite. The
// scale 0x00 is 2^-127 for elements too. RCEIL multiplies by FP32's nearest to 1/448 or 1/57344 and reads the bits of
// the product, as the instruction cvt.rp.ue8m0x2 does.
constexpr PermittedChoice torchao_2026_08_permitted[] = {
    {Choice::nan, only_canonical, scales, ""},
    {Choice::nan, any_nan, "", ""},
};
constexpr Name only_fp32_multiply[] = {"fp32_multiply"};
constexpr PermittedChoice torchao_2026_08_rceil_permitted[] = {
    {Choice::arithmetic, only_fp32_multiply, scales, ""},
    {Choice::nan, only_canonical, scales, ""},
    {Choice::nan, any_nan, "", ""},
};

// gfloat 0.5.2, the block functions on arrays of FP32, and of FP64 for BF16: read and run. floor(log2) in the type of
// the array; a NaN makes the scale NaN.
constexpr Scope gfloat_blocks[] = {
    {"amax_fp32 amax_bf16", mxfp8_scales},
    {"fp32_by_e8m0 bf16_by_e8m0", "e4m3 e5m2"},
    {mxfp8_times_scale, "fp64"},
};
constexpr PermittedChoice gfloat_blocks_permitted[] = {
    {Choice::arithmetic, only_fp32_log2, scales, "amax_fp32"},
    {Choice::nan, only_canonical, scales, ""},
    {Choice::nan, any_nan, "", ""},
};

// microxcaling 7bc4195, its Python path on FP32 tensors: read. The shared exponent is the floor of log2 in FP32, of
// 2^-126 where the amax is zero; an Inf makes it NaN, as a NaN does. Elements are clamped, "nearest" takes ties away
// from zero. It gives values and no codes. Zeros lose their sign, in the CUDA extension those that come of rounding
// too.
constexpr Scope microxcaling_blocks[] = {
    {"amax_fp32", mxfp8_scales},
    {"fp32_by_e8m0", "e4m3 e5m2"},
    {mxfp8_times_scale, "fp32"},
};
constexpr PermittedChoice microxcaling_permitted[] = {
    {Choice::arithmetic, only_fp32_log2, scales, ""},
    {Choice::nan, only_canonical, scales, ""},
    {Choice::nan, any_nan, "", ""},
    {Choice::zero_sign, sign_dropped, "e4m3 e5m2", ""},
};

// TOSA's conversion helpers: read. An amax of zero gives 2^-127, NaN and Inf a scale that is NaN. Elements do not
// saturate.
constexpr PermittedChoice tosa_permitted[] = {
    {Choice::nan, only_canonical, scales, ""},
    {Choice::nan, any_nan, "", ""},
    {Choice::overflow_nan, any_overflow_nan, "", ""},
};

// AMD Quark 0.13, even_round(): read. It clamps the exponent to 127, so Inf gives the largest scale; 2^-126 stands for
// an amax of zero. Whether a NaN reaches the amax depends on the observer. It gives values and no codes.
constexpr Scope quark_blocks[] = {
    {amax, mxfp8_scales},
    {by_scale, "e4m3 e5m2"},
    {mxfp8_times_scale, "fp32 fp16 bf16"},
};
constexpr PermittedChoice quark_permitted[] = {
    {Choice::nan, only_canonical, scales, ""},
    {Choice::nan, any_nan, "", ""},
    {Choice::zero_sign, any_zero_sign, "e4m3 e5m2", ""},
};

// amd_hip_fp8.h of ROCm, its software path: read, and its FP32 conversions run. Overflow is decided by the value
// before it is rounded. Older headers (clr f9f995c) saturate Inf where finite values saturate, newer ones (rocm-systems
// 10f7149) never do: sat and sat_finite. Both shift the significand of a value 2^64 or more below the target's smallest
// normal one by at least the 64 bits of the word, which C++ leaves undefined: GCC 12 gives a wrong code for 82,837,502
// FP32 inputs of E4M3 with -O2, for 83,886,078 with -O0. The profile demands zero there; a compiled header fails it,
// and the bug class SHIFT_OVERFLOW names the deviation.
//
// amd_hip_fp4.h and amd_hip_fp6.h (rocm-systems 20d6c1c), from_float() and to_float() of amd_hip_ocp_host.hpp: read,
// and run, transcribed to what GCC 12 compiles, on every FP32, FP16 and BF16 input. They round once to nearest even,
// whatever rounding is asked for, and saturate; a NaN is the largest magnitude with its sign. FP64 goes through FP32
// there and is rounded twice: it is not judged.
constexpr Scope amd_ocp[] = {
    {"fp64 fp32 fp16 bf16", "e4m3 e5m2", "nearest_even"},
    {"e4m3 e5m2", "fp32 fp16 bf16"},
    {"fp32 fp16 bf16", "e3m2 e2m3 e2m1", "nearest_even"},
    {"e3m2 e2m3 e2m1", "fp32 fp16 bf16"},
};
constexpr Name only_max_sign[] = {"max_sign"};
constexpr Scope amd_fnuz[] = {
    {"fp64 fp32 fp16 bf16", "e4m3fnuz e5m2fnuz", "nearest_even"},
    {"e4m3fnuz e5m2fnuz", "fp32 fp16 bf16"},
};
constexpr PermittedChoice amd_permitted[] = {
    {Choice::overflow_test, only_before_rounding, elements, ""},
    {Choice::nan, only_max_sign, "e3m2 e2m3 e2m1", ""},
    {Choice::nan, only_sign, "e4m3 e5m2", ""},
    {Choice::nan, any_nan, "", ""},
    {Choice::overflow_nan, any_overflow_nan, "", ""},
};

// ONNX Cast: the operator's tables. A NaN keeps its sign. Of E8M0 they leave negative values open. The reference
// implementation sends what is below 2^-126 to either of the two codes. Where it does not saturate, the table of
// "nearest" has NaN for zero and for what is above the largest value: the reference and ONNX Runtime read it
// differently, and of other roundings it says nothing, so both are permitted. To the FNUZ formats the tables and the
// page about float8 contradict each other about Inf: not judged.
constexpr Scope onnx_cast[] = {
    {"fp64 fp32 fp16 bf16", "e4m3 e5m2", "nearest_even"},
    {"fp64 fp32 fp16 bf16", "e8m0", "up toward_zero nearest_away"},
    {"e4m3 e5m2 e8m0", "fp64 fp32 fp16 bf16"},
};
constexpr Name any_overflow_test[] = {"after_rounding", "before_rounding"};
constexpr PermittedChoice onnx_permitted[] = {
    {Choice::overflow_test, any_overflow_test, "e8m0", ""},
    {Choice::nan, only_sign, "e4m3 e5m2", ""},
    {Choice::nan, any_nan, wide, ""},
    {Choice::overflow_nan, any_overflow_nan, "", ""},
    {Choice::directed_overflow, any_directed_overflow, "e8m0", ""},
    {Choice::directed_overflow, only_max, "", ""},
    {Choice::negative, any_negative, "e8m0", ""},
    {Choice::zero, any_zero, "e8m0", ""},
    {Choice::lowest_binade, any_lowest_binade, "e8m0", ""},
};

// oneDNN 3f27bec: read. FP32 becomes FP16 and that FP8: two roundings. E8M0 is the exponent field. The scale of its
// dynamic blocks is here; their elements are not, because a NaN among them becomes the largest negative value, which no
// choice says.
constexpr Scope onednn[] = {
    {"fp32 fp16 bf16", "e4m3 e5m2", "nearest_even"},
    {"fp32", "e8m0", "toward_zero"},
    {"e4m3 e5m2 e8m0", "fp32"},
    {"amax_fp32", mxfp8_scales},
};
constexpr PermittedChoice onednn_permitted[] = {
    {Choice::via, only_fp16_nearest_even, "e4m3 e5m2", "fp32 bf16"},
    {Choice::nan, only_canonical, scales, ""},
    {Choice::nan, any_nan, "", ""},
    {Choice::overflow_nan, any_overflow_nan, "", ""},
    {Choice::directed_overflow, any_directed_overflow, "e8m0", ""},
};

// IEEE P3109 interim report 4.0: read. Binary8p4sf and Binary8p3sf, signed and without Inf, are to the bit the FNUZ
// formats: bias 8 and 16, one NaN at 0x80, no -0. SatFinite is sat, SatPropagate sat_finite, SatNone nosat. Its
// formats with Inf and its scales, which have a zero, are none of this project's.
constexpr Scope p3109[] = {
    {"fp64 fp32 fp16 bf16", "e4m3fnuz e5m2fnuz", "nearest_even nearest_away toward_zero up down to_odd"},
    {"e4m3fnuz e5m2fnuz", "fp64 fp32 fp16 bf16"},
};
constexpr PermittedChoice p3109_permitted[] = {
    {Choice::nan, any_nan, wide, ""},
    {Choice::directed_overflow, only_max, "", ""},
};

constexpr Name torchao_source =
    "torchao 0.18.0 prototype/mx_formats/mx_tensor.py, in torch 2.15.0 (primary: read and run)";
constexpr Name torchao_2026_08_source =
    "pytorch/ao 36027d8 of 2026-08-21, prototype/mx_formats/mx_tensor.py, in torch 2.15.0 (primary: read and run)";
constexpr Name amd_source = "ROCm/clr f9f995c: sat, nosat; rocm-systems 10f7149: sat_finite, nosat; amd_hip_fp8.h; FP6 "
                            "and FP4 20d6c1c, transcribed (primary: read and run)";

/// torchao's blocks by one of its modes.
constexpr Profile torchao(Name name, Name title, Name source, Name overflow, std::span<const PermittedChoice> permitted,
                          Name rule) {
    return {name, title, source,         overflow, torchao_blocks, permitted,
            {},   rule,  "nearest_even", {},       nan_propagated, inf_counted};
}

constexpr Profile implementation_table[] = {
    {"ocp-floor",
     "MX 6.3's quantization of blocks, with this project's answers where MX is silent",
     "OCP MX v1.0 6.3 (secondary); where it is silent a proposal of this project, no norm",
     "sat",
     blocks,
     ocp_floor_permitted,
     {},
     "ocp_floor",
     "nearest_even",
     {},
     nan_ignored,
     inf_counted},
    torchao("torchao-floor", "torchao 0.18.0: MX blocks by FLOOR", torchao_source, "sat", torchao_permitted,
            "ocp_floor"),
    torchao("torchao-ceil", "torchao 0.18.0: MX blocks by CEIL", torchao_source, "sat", torchao_permitted, "ceil"),
    torchao("torchao-even", "torchao 0.18.0: MX blocks by EVEN", torchao_source, "sat", torchao_permitted, "even"),
    torchao("torchao-rceil", "torchao 0.18.0: MX blocks by RCEIL, compiled for sm_100", torchao_source, "sat",
            torchao_rceil_permitted, "rceil"),
    torchao("torchao-rceil-eager", "torchao 0.18.0: MX blocks by RCEIL, eager", torchao_source, "sat",
            torchao_eager_permitted, "rceil"),
    torchao("torchao-2026-08-floor", "torchao of 2026-08-21: MX blocks by FLOOR", torchao_2026_08_source, "sat_finite",
            torchao_2026_08_permitted, "ocp_floor"),
    torchao("torchao-2026-08-ceil", "torchao of 2026-08-21: MX blocks by CEIL", torchao_2026_08_source, "sat_finite",
            torchao_2026_08_permitted, "ceil"),
    torchao("torchao-2026-08-even", "torchao of 2026-08-21: MX blocks by EVEN", torchao_2026_08_source, "sat_finite",
            torchao_2026_08_permitted, "even"),
    torchao("torchao-2026-08-rceil", "torchao of 2026-08-21: MX blocks by RCEIL", torchao_2026_08_source, "sat_finite",
            torchao_2026_08_rceil_permitted, "rceil"),
    {"gfloat-blocks",
     "gfloat 0.5.2, its block functions on FP32 and FP64 arrays",
     "gfloat 0.5.2 block.py (primary: read and run)",
     "sat",
     gfloat_blocks,
     gfloat_blocks_permitted,
     {},
     "ocp_floor",
     "nearest_even",
     {},
     nan_propagated,
     inf_counted},
    {"microxcaling",
     "microxcaling's MX blocks of FP32 tensors",
     "microxcaling 7bc4195 mx/mx_ops.py and mx/elemwise_ops.py (primary: read)",
     "sat_finite",
     microxcaling_blocks,
     microxcaling_permitted,
     {},
     "ocp_floor",
     "nearest_away",
     {},
     nan_propagated,
     inf_counted},
    {"tosa",
     "TOSA's block-scaled MXFP8",
     "tosa-specification cd5acdd numeric_conversion_helpers.tosac l. 66-88 (primary: read)",
     "nosat",
     mxfp8_blocks,
     tosa_permitted,
     {},
     "tosa",
     "nearest_even",
     {},
     nan_propagated,
     inf_counted},
    {"amd-quark",
     "AMD Quark's MX blocks by its default scale rule, even",
     "amd-quark 0.13 quark/torch/quantization/utils.py (primary: read)",
     "sat",
     quark_blocks,
     quark_permitted,
     {},
     "even",
     "nearest_even",
     {},
     any_amax_nan,
     inf_counted},
    {"amd-hip-ocp",
     "AMD's amd_hip_fp8.h, fp6.h and fp4.h, software path, OCP formats, where C++ defines it",
     amd_source,
     "sat nosat sat_finite",
     amd_ocp,
     amd_permitted,
     {}},
    {"amd-hip-fnuz",
     "AMD's amd_hip_fp8.h, software path, FNUZ formats, where C++ defines it",
     amd_source,
     "sat nosat sat_finite",
     amd_fnuz,
     amd_permitted,
     {}},
    {"onnx-sat",
     "ONNX Cast with saturate=1",
     "onnx f754691 Cast and docs/float8.md (primary: read)",
     "sat",
     onnx_cast,
     onnx_permitted,
     {}},
    {"onnx-nosat",
     "ONNX Cast with saturate=0",
     "onnx f754691 Cast and docs/float8.md (primary: read)",
     "nosat",
     onnx_cast,
     onnx_permitted,
     {}},
    {"onednn-f16",
     "oneDNN's FP8 by way of FP16, its E8M0 and the scales of its dynamic MX blocks",
     "oneDNN 3f27bec (primary: read)",
     "nosat",
     onednn,
     onednn_permitted,
     {},
     "ocp_floor",
     {},
     {},
     nan_ignored,
     inf_counted},
    {"p3109",
     "IEEE P3109 Binary8p4sf and Binary8p3sf, as E4M3FNUZ and E5M2FNUZ",
     "P3109/Public 26df0d0 interim report 4.0 (primary: read); that the formats are the same is derived",
     "sat nosat sat_finite",
     p3109,
     p3109_permitted,
     {}},
};

} // namespace

std::span<const Profile> of_implementations() { return implementation_table; }

} // namespace mxcert::profiles
