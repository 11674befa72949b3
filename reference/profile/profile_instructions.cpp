// SPDX-License-Identifier: Apache-2.0
// Profiles of instruction sets: what an instruction promises for one value. Bits that no text states are choices with
// several permitted values, or are not judged (docs/instructions.md).
#include "reference/profile/profile_parts.hpp"

namespace mxcert::profiles {
namespace {

constexpr Name rne = "nearest_even";
// Conversions in which no finite value overflows. Inf stays Inf in them.
constexpr Name nosat = "nosat";
// Of instructions that raise nothing, whatever they convert.
constexpr Name both_flags = "flags_of_e4m3 flags_of_e5m2";
constexpr Name only_no_exceptions[] = {"none"};
constexpr PermittedChoice raises_nothing = {Choice::exceptions, only_no_exceptions, "", ""};

// Arm's FEAT_FP8 as QEMU 0e81c21 has it: read. Always to nearest even, no flushing, the default NaN: sign clear, the
// top fraction bit. FPMR.OSC chooses the overflow. Scaling is exact, and comes before rounding. Exceptions are judged
// by scale 0 alone: every NaN of E4M3 is signalling.
// FPCR.AH says when tininess is detected; what Inf raises where it saturates differs from revision to revision.
constexpr Scope arm[] = {
    {"fp32 fp16 bf16", "e4m3 e5m2 flags_of_e4m3 flags_of_e5m2", rne},
    {"e4m3 e5m2", "fp16 bf16 flags_of_fp16 flags_of_bf16", rne, nosat},
    {"fp32_times_nscale bf16_times_nscale fp16_times_nscale5", "e4m3 e5m2", rne},
    {"e4m3_by_lscale4 e5m2_by_lscale4", "fp16", rne, nosat},
    {"e4m3_by_lscale6 e5m2_by_lscale6", "bf16", rne, nosat},
};
// Scale 0 is one of the scales.
constexpr std::span<const Scope> arm_whole = std::span(arm).subspan(2);
constexpr Name only_signalling_e4m3[] = {"signalling_e4m3"};
constexpr Name any_tininess[] = {"after_rounding", "before_rounding"};
constexpr Name none_or_overflow[] = {"none", "overflow"};
constexpr PermittedChoice arm_permitted[] = {
    {Choice::invalid_nan, only_signalling_e4m3, "", ""}, {Choice::tininess, any_tininess, "", ""},
    {Choice::inf_flags, none_or_overflow, "", ""},       {Choice::nan, only_quiet, "", ""},
    {Choice::overflow_nan, any_overflow_nan, "", ""},
};

// Intel AVX10.2: by an oracle that was checked against Intel's emulator. A NaN keeps its sign; to BF8 the top of its
// payload too, made quiet. The NaN of HF8 puts its fraction on top of FP16's, 0x7F80, as the emulator and Bochs have
// it. A bias byte is added at the top of the bits that are cut, and they are cut: stochastic_a8. No conversion reports
// an exception.
constexpr Scope avx[] = {
    {"fp32 fp16", "e4m3 e5m2", rne},
    {"fp32 fp16", both_flags, rne},
    {"fp16", "e4m3 e5m2", "stochastic_a8"},
    {"e4m3", "fp16 flags_of_fp16", rne, nosat},
};
constexpr Scope avx_whole[] = {
    {"fp16", "e4m3 e5m2", rne},
    {"fp16", "e4m3 e5m2", "stochastic_a8"},
    {"e4m3", "fp16", rne, nosat},
};
constexpr PermittedChoice avx_permitted[] = {
    {Choice::nan, only_sign, "e4m3", ""},
    {Choice::nan, only_payload_sign, "e5m2 fp16", ""},
    {Choice::overflow_nan, any_overflow_nan, "", ""},
    raises_nothing,
};

// AVX10_V2_AUX, the conversions from FP32 and between FP8, FP6 and FP4: by one transcription of its pseudocode. FP32
// subnormals are zeros, which shows where they would round to the odd code 0x01. What a NaN gives in FP6 and FP4 was
// not read. The forms with a bias are not judged: in subnormal results the pseudocode has zero for E4M3, Bochs by Intel
// SDE stochastic_s20, and SDE was found to differ from the pseudocode of the FP16 forms there.
constexpr Scope avx_aux[] = {
    {"fp32", "e4m3 e5m2", rne}, {"fp32", "e4m3", "to_odd"}, {"e4m3 e5m2", "fp32", rne, nosat},
    {"e4m3", "e2m3 e2m1", rne}, {"e5m2", "e3m2 e2m1", rne}, {"e3m2 e2m3 e2m1", "e4m3", rne},
};
// Without the widening ones: which overflow mode they are offered in says nothing.
constexpr std::span<const Scope> avx_aux_whole = std::span(avx_aux).first(5);
constexpr Name only_flushed_input[] = {"input"};
constexpr PermittedChoice avx_aux_permitted[] = {
    {Choice::flush, only_flushed_input, "e4m3 e5m2", "fp32"},
    {Choice::nan, only_sign, "e4m3", ""},
    {Choice::nan, only_payload_sign, "e5m2 fp32", ""},
    {Choice::nan, any_number_of_nan, fp6_fp4, ""},
};

// RISC-V Zvfofp8min 0.2.1: read. The canonical NaN is 0x7F in both formats, for overflow too. frm gives the rounding,
// and IEEE 754's overflow with it. Narrowing reports exceptions as other conversions do, tininess after rounding;
// widening raises none.
constexpr Scope zvfofp8min[] = {
    {"fp32 bf16", "e4m3 e5m2 flags_of_e4m3 flags_of_e5m2", "nearest_even toward_zero up down nearest_away"},
    {"e4m3 e5m2", "bf16 flags_of_bf16", rne, nosat},
};
constexpr Scope zvfofp8min_whole[] = {
    {"fp32 bf16", "e4m3 e5m2", "nearest_even toward_zero up down nearest_away"},
    {"e4m3 e5m2", "bf16", rne, nosat},
};
constexpr Name only_never[] = {"never"};
constexpr PermittedChoice zvfofp8min_permitted[] = {
    {Choice::invalid_nan, only_never, "flags_of_bf16", ""},
    {Choice::nan, only_canonical, "e4m3 e5m2", ""},
    {Choice::nan, only_quiet, wide, ""},
    {Choice::overflow_nan, only_canonical, "", ""},
    {Choice::directed_overflow, only_max, "", ""},
};

// RISC-V Zvfofp4min 0.1: read. vfext.vf2 widens E2M1 to E4M3, which has every value of it, and raises nothing.
constexpr Scope zvfofp4min[] = {{"e2m1", "e4m3 flags_of_e4m3", rne}};

// AMD's conversions to FP8 and BF8: the manuals of CDNA4 (7.3) and RDNA4 (7.6.2) have one table for MODE.FP16_OVFL.
// Which code a NaN has, and its sign where overflow makes it, they do not say. The forms that add a seed are not
// judged: they add "with attention to not use msbs", and read differently in three programs of AMD where the result is
// subnormal. CDNA3 has the FNUZ formats, whose only NaN is 0x80.
constexpr Scope amd_cdna3[] = {
    {"fp32", "e4m3fnuz e5m2fnuz", rne},
    {"e4m3fnuz e5m2fnuz", "fp32", rne, nosat},
};
constexpr Scope amd_rdna4[] = {
    {"fp32", "e4m3 e5m2", rne},
    {"e4m3 e5m2", "fp32", rne, nosat},
};
// With the scaled conversions of CDNA4: the scale is the exponent field of an FP32 operand, read as E8M0. FP16_OVFL = 1
// clamps a result in FP16 that overflows, "while still preserving true INF values" (3.5); FP32 and BF16 overflow to Inf
// whatever it is. The manual has no exception for these.
constexpr Name inf_stays = "sat_finite";
constexpr Scope amd_cdna4_ovfl0[] = {
    {"fp32", "e4m3 e5m2", rne},
    {"e4m3 e5m2", "fp32", rne, nosat},
    {by_scale, "e4m3 e5m2 e3m2 e2m3 e2m1", rne},
    {fp_times_scale, "fp32 fp16 bf16", rne, nosat},
    {"fp32", both_flags, rne},
};
constexpr Scope amd_cdna4_ovfl1[] = {
    {"fp32", "e4m3 e5m2", rne},
    {"e4m3 e5m2", "fp32", rne, nosat},
    {by_scale, "e4m3 e5m2 e3m2 e2m3 e2m1", rne},
    {fp_times_scale, "fp32 bf16", rne, nosat},
    {fp_times_scale, "fp16", rne, inf_stays},
    {"fp32", both_flags, rne},
};
// And those of gfx1250: FP16 sources and results, and E5M3 where CLAMP is set.
constexpr Scope amd_gfx1250_ovfl0[] = {
    {"fp32 fp16", "e4m3 e5m2", rne},
    {"e4m3 e5m2", "fp32 fp16", rne, nosat},
    {by_scale, "e4m3 e5m2 e3m2 e2m3 e2m1", rne},
    {fp_times_scale, "fp32 fp16 bf16", rne, nosat},
    {"fp32", "ue5m3", rne},
    {"ue5m3", "fp32", rne, nosat},
};
constexpr Scope amd_gfx1250_ovfl1[] = {
    {"fp32 fp16", "e4m3 e5m2", rne},
    {"e4m3 e5m2", "fp32 fp16", rne, nosat},
    {by_scale, "e4m3 e5m2 e3m2 e2m3 e2m1", rne},
    {fp_times_scale, "fp32 bf16", rne, nosat},
    {fp_times_scale, "fp16", rne, inf_stays},
    {"fp32", "ue5m3", rne},
    {"ue5m3", "fp32", rne, nosat},
};
constexpr std::span<const Scope> amd_cdna4_ovfl0_whole = std::span(amd_cdna4_ovfl0).first(4);
constexpr std::span<const Scope> amd_cdna4_ovfl1_whole = std::span(amd_cdna4_ovfl1).first(5);
constexpr PermittedChoice amd_instructions[] = {
    {Choice::nan, any_number_of_nan, fp6_fp4, ""},
    {Choice::zero_sign, any_zero_sign, fp6_fp4, ""},
    {Choice::nan, any_nan, "", ""},
    {Choice::overflow_nan, any_overflow_nan, "", ""},
    {Choice::negative, any_negative, "ue5m3", ""},
    raises_nothing,
};

// PTX ISA 9.1, cvt, read in a mirror. To FP8 it always saturates; a NaN "is NaN in the specified destination format",
// in FP6, FP4 and S2F6 (INT8) the largest magnitude, positive. Of E8M0 it does not say what zero and a negative value
// give, nor which way a value below 2^-126 goes. Which bits of rbits `.rs` gives each value is in a figure that was not
// read: vkuzo/quant_cast_bench 64116d3 measured it on an SM100, and compared its model of E4M3 with the instruction bit
// for bit, subnormals and saturation included. Not judged are FP6, which was not measured, and FP16 and BF16. A program
// cannot see an exception (CUDA programming guide, floating-point standard).
constexpr Scope ptx[] = {
    {"fp32 fp16 bf16 relu_fp32 relu_fp16 relu_bf16", "e4m3 e5m2 e3m2 e2m3 e2m1", rne},
    {"fp32 fp16 bf16", both_flags, rne},
    {"fp32 relu_fp32", "e4m3 e5m2 e2m1", "ptx_rs_a32 ptx_rs_b32 ptx_rs_e32 ptx_rs_f32"},
    {"e4m3 e5m2 e3m2 e2m3 e2m1", "fp16", rne, nosat},
    {"e4m3 e5m2", "flags_of_fp16", rne, nosat},
    {"fp32 bf16", "e8m0", "toward_zero up", "sat nosat"},
    {"e8m0", "bf16", rne, nosat},
    {"fp32 bf16 fp32_by_e8m0 bf16_by_e8m0", "int8", rne},
    {times_scale, "bf16", rne, "sat nosat"},
};
// Those of every processor that has FP8 conversions; the others came with later ones.
constexpr Scope ptx_whole[] = {
    {"fp32 fp16", "e4m3 e5m2", rne},
    {"e4m3 e5m2", "fp16", rne, nosat},
};
constexpr PermittedChoice ptx_permitted[] = {
    {Choice::nan, only_max, narrow, ""},
    {Choice::nan, only_canonical, "e4m3 e5m2", "relu_fp32 relu_fp16 relu_bf16"},
    {Choice::lowest, any_lowest, "int8", ""},
    {Choice::nan, any_nan, "", ""},
    {Choice::negative, any_negative, "e8m0", ""},
    {Choice::zero, any_zero, "e8m0", ""},
    {Choice::lowest_binade, any_lowest_binade, "e8m0", ""},
    {Choice::directed_overflow, any_directed_overflow, "e8m0", ""},
    raises_nothing,
};

constexpr Name cdna3_source = "AMD CDNA3: the formats (primary), FP16_OVFL as in the CDNA4 ISA 7.3 (derived)";
constexpr Name rdna4_source = "AMD RDNA4 ISA 7.6.2 (primary: read in a mirror)";
constexpr Name cdna4_source = "AMD CDNA4 ISA 3.5, 7.3 (primary: read in a mirror); exact scaling is derived";
constexpr Name gfx1250_source =
    "rocm-systems rocjitsu and comgr for E5M3 and FP16_OVFL, LLVM for the instructions (secondary)";

constexpr Profile with_whole(Profile profile, std::span<const Scope> whole) {
    profile.whole = whole;
    return profile;
}

/// The conversions of an AMD processor under one value of MODE.FP16_OVFL.
constexpr Profile amd(Name name, Name title, Name source, Name overflow, std::span<const Scope> scopes,
                      std::span<const Scope> whole) {
    return with_whole({name, title, source, overflow, scopes, amd_instructions, {}}, whole);
}

constexpr Profile instruction_table[] = {
    with_whole(
        {"arm-fp8",
         "Arm FEAT_FP8 conversions, by scale 0 and by the scales of FPMR",
         "QEMU 0e81c21 target/arm/tcg/fp8_helper.c (primary for QEMU: read); scales: Arm ARM, FCVTN, F1CVTL (primary)",
         "sat nosat",
         arm,
         arm_permitted,
         {}},
        arm_whole),
    with_whole({"avx10.2",
                "Intel AVX10.2 conversions of FP8, to nearest even and by a bias byte",
                "an oracle checked against Intel SDE (secondary); BF8 and HF8 are E5M2 and E4M3",
                "sat nosat",
                avx,
                avx_permitted,
                {}},
               avx_whole),
    with_whole(
        {"avx10-v2-aux",
         "AVX10_V2_AUX conversions of FP32, FP8, FP6 and FP4, to nearest even and to odd",
         "one transcription of the pseudocode of x86 ACE v1 9.2, 16.1 (secondary); BF8 and HF8 are E5M2 and E4M3",
         "sat nosat",
         avx_aux,
         avx_aux_permitted,
         {}},
        avx_aux_whole),
    with_whole({"zvfofp8min",
                "RISC-V Zvfofp8min 0.2.1, to the bit",
                "riscv-misc e1e20a7 (primary: read)",
                "sat nosat",
                zvfofp8min,
                zvfofp8min_permitted,
                {}},
               zvfofp8min_whole),
    {"zvfofp4min",
     "RISC-V Zvfofp4min 0.1: E2M1 to E4M3",
     "riscv-misc e1e20a7 (primary: read)",
     "sat nosat",
     zvfofp4min,
     {},
     {}},
    amd("amd-cdna3-ovfl0", "AMD CDNA3 conversions of FP8 FNUZ, MODE.FP16_OVFL = 0", cdna3_source, "nosat", amd_cdna3,
        amd_cdna3),
    amd("amd-cdna3-ovfl1", "AMD CDNA3 conversions of FP8 FNUZ, MODE.FP16_OVFL = 1", cdna3_source, "sat", amd_cdna3,
        amd_cdna3),
    amd("amd-cdna4-ovfl0", "AMD CDNA4 conversions of FP8, FP6 and FP4, with scale too, MODE.FP16_OVFL = 0",
        cdna4_source, "nosat", amd_cdna4_ovfl0, amd_cdna4_ovfl0_whole),
    amd("amd-cdna4-ovfl1", "AMD CDNA4 conversions of FP8, FP6 and FP4, with scale too, MODE.FP16_OVFL = 1",
        cdna4_source, "sat", amd_cdna4_ovfl1, amd_cdna4_ovfl1_whole),
    amd("amd-rdna4-ovfl0", "AMD RDNA4 conversions of FP8, MODE.FP16_OVFL = 0", rdna4_source, "nosat", amd_rdna4,
        amd_rdna4),
    amd("amd-rdna4-ovfl1", "AMD RDNA4 conversions of FP8, MODE.FP16_OVFL = 1", rdna4_source, "sat", amd_rdna4,
        amd_rdna4),
    amd("amd-gfx1250-ovfl0", "AMD gfx1250 conversions of FP8, FP6, FP4 and E5M3, MODE.FP16_OVFL = 0", gfx1250_source,
        "nosat", amd_gfx1250_ovfl0, amd_gfx1250_ovfl0),
    amd("amd-gfx1250-ovfl1", "AMD gfx1250 conversions of FP8, FP6, FP4 and E5M3, MODE.FP16_OVFL = 1", gfx1250_source,
        "sat", amd_gfx1250_ovfl1, amd_gfx1250_ovfl1),
    with_whole(
        {"nvidia-ptx",
         "NVIDIA PTX cvt to and from FP8, FP6, FP4, S2F6 and UE8M0",
         "PTX ISA 9.1 9.7.9.21, cvt (secondary: read in a mirror); bits of .rs: measured, one reading (secondary)",
         "sat",
         ptx,
         ptx_permitted,
         {}},
        ptx_whole),
};

} // namespace

std::span<const Profile> of_instructions() { return instruction_table; }

} // namespace mxcert::profiles
