// SPDX-License-Identifier: Apache-2.0
// The clauses, in our own words. An id never changes and is never used again.
#include "reference/clause.hpp"

namespace mxcert {
namespace {

constexpr std::string_view ofp8 = "OCP OFP8 v1.0 (2023-12-01)";
constexpr std::string_view mx = "OCP MX v1.0";
constexpr std::string_view ieee = "IEEE 754-2019";
constexpr std::string_view cuda_h = "NVIDIA CUDA 13.0 cuda_fp8.h";
constexpr std::string_view cuda_hpp = "NVIDIA CUDA 13.0 cuda_fp8.hpp";
constexpr std::string_view cuda_13_5_h = "NVIDIA CUDA 13.5 cuda_fp8.h";
constexpr std::string_view cuda_13_5_hpp = "NVIDIA CUDA 13.5 cuda_fp8.hpp";
constexpr std::string_view ptx = "NVIDIA PTX ISA 9.3 (secondary readings)";
constexpr std::string_view amd = "AMD amd_hip_fp8.h (ROCm clr f9f995c)";
constexpr std::string_view mlx = "MLX 846d176";
constexpr std::string_view riscv = "RISC-V unprivileged ISA";
constexpr std::string_view zvfofp8min = "RISC-V Zvfofp8min 0.2.1 (riscv-misc e1e20a7)";
constexpr std::string_view zvfofp4min = "RISC-V Zvfofp4min 0.1 (riscv-misc e1e20a7)";
constexpr std::string_view arm = "Arm Architecture Reference Manual for A-profile";
constexpr std::string_view ptx_9_1 = "NVIDIA PTX ISA 9.1 (secondary readings)";
constexpr std::string_view qemu = "QEMU 0e81c21 target/arm/tcg/fp8_helper.c";

constexpr auto value = ClauseKind::value;
constexpr auto provision = ClauseKind::provision;
constexpr auto silent = ClauseKind::silent;
constexpr auto outside = ClauseKind::outside;
constexpr auto primary = Grade::primary;
constexpr auto secondary = Grade::secondary;
constexpr auto derived = Grade::derived;

// The texts are one line each however long they are: they are data.
// clang-format off
constexpr Clause table[] = {
    // OFP8: encodings.
    {"OFP8-E4M3-CODES", value, secondary, "E4M3 has bias 7, no Inf, and NaN at 0x7F and 0xFF only; the other codes of exponent 15 are ordinary numbers, up to 448", ofp8, "4, Tables 1-2", ""},
    {"OFP8-E5M2-CODES", value, secondary, "E5M2 has bias 15, Inf at 0x7C and 0xFC, NaN at 0x7D-0x7F and 0xFD-0xFF, and numbers up to 57344", ofp8, "4, Tables 1-2", ""},

    // OFP8: what must be offered.
    {"OFP8-RNE", provision, secondary, "Rounding to nearest, ties to even, is offered; every other rounding is optional", ofp8, "5.2.1", "rounding"},
    {"OFP8-BOTH-MODES", provision, secondary, "A saturating and a non-saturating overflow mode are offered", ofp8, "5.2.1", "overflow"},

    // OFP8: conversion to E4M3 and E5M2.
    {"OFP8-NAN", value, secondary, "A NaN source gives a NaN", ofp8, "5.2.1, Table 3", "nan"},
    {"OFP8-NAN-CODE", silent, secondary, "Which NaN code comes out is left open: its sign, the payload in E5M2, and the sign of an E4M3 NaN made by overflow or Inf", ofp8, "5.2.1, Table 3", "nan overflow_nan"},
    {"OFP8-INF-SAT", value, secondary, "Saturating: Inf gives the largest finite magnitude with the sign of the source", ofp8, "5.2.1, Table 3", "overflow"},
    {"OFP8-INF-NOSAT", value, secondary, "Not saturating: Inf gives NaN in E4M3 and Inf of the same sign in E5M2", ofp8, "5.2.1, Table 3", "overflow overflow_nan"},
    {"OFP8-ZERO", value, secondary, "A zero gives a zero of the same sign", ofp8, "5.2.1, Table 3", "zero_sign"},
    {"OFP8-ROUND", value, secondary, "A finite value is rounded once, from its exact value, to a neighbour as the rounding says; subnormals of source and target count in full", ofp8, "5.2.1", "rounding via flush"},
    {"OFP8-UNDERFLOW", value, secondary, "A magnitude that rounds below the smallest subnormal gives a zero with the sign of the source; no other does", ofp8, "5.2.1, Table 3", "zero_sign flush"},
    {"OFP8-OVERFLOW-AFTER-ROUNDING", value, secondary, "The magnitude is rounded as if the exponent had no upper bound, and only then compared with the largest finite one", ofp8, "5.2.1", "overflow_test", "OFP8-ROUND OFP8-OVERFLOW-NOSAT"},
    {"OFP8-OVERFLOW-SAT", value, secondary, "Saturating: a finite value whose rounded magnitude is beyond the largest gives the largest, with its sign", ofp8, "5.2.1, Table 3", "overflow"},
    {"OFP8-OVERFLOW-NOSAT", value, secondary, "Not saturating: a finite value whose rounded magnitude is beyond the largest gives NaN in E4M3 and Inf of its sign in E5M2", ofp8, "5.2.1, Table 3", "overflow overflow_nan"},
    {"OFP8-RNE-OVERFLOW-POINT", value, derived, "To nearest even, E4M3 overflows if and only if |x| > 464, E5M2 if and only if |x| >= 61440", ofp8, "5.2.1", "rounding overflow_test", "OFP8-ROUND OFP8-OVERFLOW-NOSAT"},
    {"OFP8-RNE-UNDERFLOW-POINT", value, derived, "To nearest even, E4M3 gives zero if and only if |x| <= 2^-10, E5M2 if and only if |x| <= 2^-17", ofp8, "5.2.1", "rounding via flush", "OFP8-ROUND OFP8-UNDERFLOW"},
    {"OFP8-DIRECTED-OVERFLOW", silent, secondary, "Not saturating: whether a rounding that points toward zero there, or to odd, overflows to NaN or Inf or stays at the largest finite magnitude is left open", ofp8, "5.2.1, Table 3", "directed_overflow"},

    // MX: the scale format.
    {"MX-E8M0-CODES", value, secondary, "E8M0 codes 0x00 to 0xFE are the powers 2^-127 to 2^127, 0xFF is NaN; there is no sign, zero or Inf", mx, "5.4.1", ""},
    {"MX-E8M0-NAN", value, derived, "A NaN source gives 0xFF, the only NaN of E8M0", mx, "5.4.1", "nan"},
    {"MX-E8M0-ROUND", value, derived, "A positive value between two powers of two gives one of the two, as the rounding that is offered says", mx, "5.4.1", "rounding via flush"},
    {"MX-E8M0-ZERO", silent, secondary, "What zero gives is left open", mx, "5.4.1, 6.3", "zero"},
    {"MX-E8M0-NEGATIVE", silent, secondary, "What a negative value gives is left open", mx, "5.4.1, 6.3", "negative"},
    {"MX-E8M0-LOWEST", silent, secondary, "What a positive value below 2^-126 gives is left open: 2^-127, 2^-126, or what zero gives", mx, "5.4.1, 6.3", "lowest_binade zero"},
    {"MX-E8M0-OVERFLOW", silent, secondary, "What a magnitude that rounds beyond 2^127 gives is left open; the overflow mode that is offered says: saturating 0xFE, not saturating 0xFF", mx, "5.4.1, 6.3", "overflow directed_overflow"},
    {"MX-E8M0-INF", silent, secondary, "What Inf gives is left open; the overflow mode that is offered says: saturating 0xFE, not saturating 0xFF", mx, "5.4.1, 6.3", "overflow"},

    // MX: the scale of a block from its amax.
    {"MX-SCALE-FLOOR", value, secondary, "The scale is the largest power of two not above the amax, divided by the largest power of two of the element format", mx, "6.3", "rule arithmetic"},
    {"MX-SCALE-RULE", silent, secondary, "Other rules for the scale are allowed; each is what its name says, and the arithmetic it divides in is a choice", mx, "6.3", "rule arithmetic"},
    {"MX-SCALE-NAN", silent, secondary, "What a NaN amax gives is left open", mx, "6.3", "nan"},
    {"MX-SCALE-INF", silent, secondary, "What an infinite amax gives is left open", mx, "6.3", "overflow"},
    {"MX-SCALE-ZERO", silent, secondary, "The scale of a block of zeros is left open", mx, "6.3", "zero least_amax"},
    {"MX-SCALE-LOWEST", silent, secondary, "What an amax gives whose scale would be below 2^-126 is left open", mx, "6.3", "lowest_binade least_amax flush"},
    {"MX-SCALE-OVERFLOW", silent, secondary, "What an amax gives whose scale would be beyond 2^127 is left open", mx, "6.3", "overflow"},
    {"NV-SCALE-RCEIL", value, secondary, "The scale is the smallest power of two by which no element overflows: 2^ceil(log2(amax / max))", "arXiv 2506.08027; Transformer Engine d0067d0", "ptx_arch_spec.cuh l. 72", "rule arithmetic"},

    // MX: elements and their given scale.
    {"MX-ELEMENT", value, secondary, "An element is the value divided by its scale, and rounded once: to nearest even must be supported, other roundings are optional", mx, "5.3, 6.3", "rounding arithmetic via flush"},
    {"MX-ELEMENT-CLAMP", value, secondary, "An element whose magnitude is beyond the largest is clamped to it, with its sign", mx, "6.3", "overflow"},
    {"MX-VALUE", value, secondary, "A value is its element times its scale, rounded once where the target does not have it", mx, "5.1", "arithmetic rounding flush"},
    {"MX-VALUE-OVERFLOW", silent, secondary, "What a product gives that is beyond the range of FP32, or of a narrower target, is left open; the overflow mode that is offered says", mx, "5.1", "overflow directed_overflow"},
    {"MX-SPECIAL-ELEMENT", value, secondary, "An element that is NaN or Inf is that as a value, under every scale but NaN", mx, "5.1", "nan"},
    {"MX-SCALE-IS-NAN", value, secondary, "A scale that is NaN makes every value of its block NaN", mx, "5.1", "nan"},

    // NVIDIA: what cuda_fp8 chooses where OFP8 and MX are silent. Checked where the rows of those clauses are.
    {"NV-NAN-FROM-FP32", value, primary, "A NaN of FP32, FP16 or BF16 gives 0x7F in E4M3 and E5M2: sign and payload are dropped", cuda_hpp, "l. 245-285", "nan", "OFP8-NAN", "fp32 fp16 bf16"},
    {"NV-NAN-FROM-FP64", value, primary, "A NaN of FP64 keeps its sign; in E5M2 it is quiet and keeps its second fraction bit", cuda_hpp, "l. 119", "nan", "OFP8-NAN", "fp64"},
    {"NV-OVERFLOW-NAN", value, primary, "Not saturating: an E4M3 NaN made by overflow or Inf keeps the sign of the source", cuda_hpp, "l. 119", "overflow_nan", "OFP8-OVERFLOW-NOSAT OFP8-INF-NOSAT", "e4m3"},
    {"NV-E8M0-MAGNITUDE", value, primary, "E8M0 takes the absolute value, then rounds it to a power of two toward zero or up", cuda_h, "l. 376-394", "negative rounding", "MX-E8M0-NEGATIVE MX-E8M0-ROUND"},
    {"NV-E8M0-LOWEST", value, primary, "Results below 2^-127, zero too, are clipped to 2^-127; above it the rounding decides", cuda_h, "l. 376-394", "lowest_binade zero", "MX-E8M0-LOWEST MX-E8M0-ZERO"},
    {"NV-E8M0-OVERFLOW", value, primary, "Results beyond 2^127 and Inf give 0xFE saturating and 0xFF not saturating; rounded toward zero, finite values stay at 0xFE", cuda_h, "l. 376-394", "overflow directed_overflow", "MX-E8M0-OVERFLOW MX-E8M0-INF"},
    {"NV-E8M0-NAN", value, primary, "A NaN of either sign gives 0xFF", cuda_h, "l. 376-394", "nan", "MX-E8M0-NAN"},
    {"NV-DECODE-NAN", value, primary, "A NaN code decodes to 0x7FFF in FP16 and BF16 and, from E4M3 and E5M2, to 0x7FFFFFFF in FP32", cuda_hpp, "l. 818", "nan", "IEEE-NAN", "fp32 fp16 bf16"},

    // IEEE 754: sources and decoding.
    {"IEEE-CODES", value, secondary, "binary16, binary32 and binary64 are encoded as the standard says, subnormals included", ieee, "3.4", "", "OFP8-ROUND", "fp64 fp32 fp16"},
    {"BF16-CODES", value, secondary, "bfloat16 is the upper half of binary32", "bfloat16", "", "", "OFP8-ROUND", "bf16"},
    {"IEEE-NAN", value, derived, "A NaN code of an 8-bit format decodes to a NaN", ieee, "6.2", "nan"},
    {"IEEE-NAN-CODE", silent, secondary, "Sign and payload of a NaN that a conversion gives are left open", ieee, "6.2.3, 6.3", "nan"},
    {"IEEE-INF", value, secondary, "Inf decodes to Inf of the same sign", ieee, "6.1", ""},
    {"IEEE-ZERO", value, secondary, "Zero decodes to zero of the same sign", ieee, "6.3", "zero_sign"},
    {"IEEE-ROUND", value, secondary, "A value is rounded once, from its exact value, to a neighbour as the rounding says; subnormals count in full", ieee, "4.3", "rounding via flush"},
    {"IEEE-UNDERFLOW", value, secondary, "A magnitude that rounds to zero gives a zero with the sign of the source", ieee, "7.5", "rounding"},
    {"IEEE-OVERFLOW", value, secondary, "A magnitude that rounds beyond the largest finite one gives Inf with the sign of the source", ieee, "7.4", "overflow overflow_test"},
    {"IEEE-DIRECTED-OVERFLOW", value, secondary, "A rounding that points toward zero there gives the largest finite magnitude instead of Inf", ieee, "7.4", "directed_overflow"},
    {"IEEE-OVERFLOW-SAT", silent, secondary, "The standard has no saturating conversion; where one is offered, a magnitude beyond the largest gives the largest", ieee, "7.4", "overflow"},
    {"IEEE-INF-SAT", silent, secondary, "The standard has no saturating conversion; where one is offered to a narrower format, Inf gives the largest finite magnitude", ieee, "6.1", "overflow"},

    // IEEE 754: exceptions.
    {"IEEE-FLAGS", outside, secondary, "The flags of a conversion are bits: 1 inexact, 2 underflow, 4 overflow, 8 division by zero, 16 invalid", ieee, "7", ""},
    {"IEEE-FLAG-INVALID", value, secondary, "A signalling NaN raises invalid, a quiet one raises nothing; the only NaN of a format is quiet by default, and may be chosen to signal", ieee, "6.2, 7.2", "invalid_nan exceptions"},
    {"IEEE-FLAG-INVALID-E4M3", silent, derived, "Whether the NaN of a format that has no other is quiet or signalling is left open", ieee, "6.2.1", "invalid_nan", "IEEE-FLAG-INVALID", "e4m3"},
    {"IEEE-FLAG-INF", value, derived, "Inf raises nothing, also where a format without Inf or a saturating conversion makes another value of it", ieee, "6.1", "inf_flags"},
    {"IEEE-FLAG-OVERFLOW", value, secondary, "A finite value whose rounded magnitude is beyond the largest raises overflow and inexact, whatever it becomes", ieee, "7.4", "rounding overflow_test"},
    {"IEEE-FLAG-UNDERFLOW", value, secondary, "A result that is below the smallest normal magnitude and inexact raises underflow and inexact; an exact one raises nothing", ieee, "7.5", "rounding"},
    {"IEEE-FLAG-TININESS", silent, secondary, "Whether the value is compared with the smallest normal magnitude before or after it is rounded is left open", ieee, "7.5", "tininess", "IEEE-FLAG-UNDERFLOW IEEE-FLAG-INEXACT"},
    {"IEEE-FLAG-INEXACT", value, secondary, "A result that differs from the value of the source raises inexact", ieee, "7.6", "rounding"},
    {"IEEE-FLAG-EXACT", value, secondary, "A result with the value of the source raises nothing", ieee, "7.6", ""},
    {"RV-FLAG-TININESS", value, secondary, "RISC-V compares after rounding", riscv, "F extension; Spike 55b4658 softfloat/specialize.h l. 52", "tininess", "IEEE-FLAG-UNDERFLOW IEEE-FLAG-INEXACT"},
    {"RV-FLAG-NARROW", value, primary, "Conversions from BF16 and FP32 to OFP8 report exceptions in fflags as other floating-point conversions do", zvfofp8min, "BF16 to OFP8, FP32 to OFP8", "exceptions", "IEEE-FLAG-INVALID IEEE-FLAG-OVERFLOW IEEE-FLAG-UNDERFLOW IEEE-FLAG-INEXACT", "flags_of_e4m3 flags_of_e5m2"},
    {"RV-FLAG-WIDEN", value, primary, "Conversions from OFP8 to BF16 raise nothing, a signalling NaN of E5M2 included", zvfofp8min, "OFP8 to BF16", "invalid_nan", "IEEE-FLAG-INVALID IEEE-FLAG-EXACT IEEE-FLAG-INF", "flags_of_bf16"},
    {"RV-FLAG-WIDEN-FP4", value, primary, "vfext.vf2, from E2M1 to E4M3, rounds nothing and raises nothing", zvfofp4min, "introduction", "", "IEEE-FLAG-EXACT", "e2m1"},
    {"ARM-FLAG-INVALID", value, primary, "Every NaN of E4M3 is signalling", qemu, "", "invalid_nan", "IEEE-FLAG-INVALID", "e4m3"},

    // MX: FP6, FP4 and INT8 elements.
    {"MX-E3M2-CODES", value, secondary, "E3M2 has bias 3 and only finite numbers, up to 28", mx, "5.3.2", ""},
    {"MX-E2M3-CODES", value, secondary, "E2M3 has bias 1 and only finite numbers, up to 7.5", mx, "5.3.2", ""},
    {"MX-E2M1-CODES", value, secondary, "E2M1 has bias 1 and only finite numbers, up to 6", mx, "5.3.3", ""},
    {"MX-INT8-CODES", value, secondary, "INT8 is two's complement times 2^-6: 0x01 to 0x7F are 1/64 to 1 63/64, 0x80 to 0xFF are -2 to -1/64", mx, "5.3.4", ""},
    {"MX-INT8-LOWEST", silent, secondary, "Whether 0x80, -2, is used is left open: without it the range of INT8 is symmetric", mx, "5.3.4", "lowest", "MX-NARROW-OVERFLOW MX-NARROW-ROUND", "int8"},
    {"MX-NARROW-ROUND", value, secondary, "FP6, FP4 and INT8 elements: to nearest even must be supported, other roundings are optional", mx, "5.3", "rounding via flush"},
    {"MX-NARROW-OVERFLOW", value, secondary, "FP6, FP4 and INT8 elements: a magnitude beyond the largest is clamped to it, with its sign", mx, "6.3", "overflow"},
    {"MX-NARROW-NAN", silent, secondary, "FP6, FP4 and INT8 elements: what NaN gives is implementation-defined", mx, "5.3.2-5.3.4", "nan"},
    {"MX-NARROW-INF", silent, secondary, "FP6, FP4 and INT8 elements: what Inf gives is left open; the models give the largest magnitude", mx, "6.3", "overflow"},
    {"MX-NARROW-ZERO", silent, secondary, "FP6, FP4 and INT8 elements: the sign of a zero is left open", mx, "6.3", "zero_sign"},

    // Scales without sign that are no powers of two.
    {"PTX-UE4M3-CODES", value, secondary, "UE4M3 is E4M3 without its sign: seven bits, NaN at 0x7F only, and numbers up to 448", ptx, "Alternate Floating-Point Data Formats", ""},
    {"NV-UE5M3-CODES", value, primary, "UE5M3 has eight bits, bias 15, no sign and no Inf, NaN at 0xFF only, and numbers up to 114688", cuda_13_5_hpp, "l. 1317-1456, 1695-1780", ""},
    {"UE-ROUND", value, derived, "UE4M3 and UE5M3: a positive value is rounded once, from its exact value, to a neighbour as the rounding that is offered says", cuda_13_5_h, "l. 536-660", "rounding via flush"},
    {"UE-NAN", value, derived, "UE4M3 and UE5M3: a NaN gives the only NaN there is", cuda_13_5_hpp, "l. 1394", "nan"},
    {"UE-ZERO", value, derived, "UE4M3 and UE5M3: a zero of either sign, and what rounds to zero, gives 0x00", cuda_13_5_hpp, "l. 1386", "rounding flush"},
    {"UE-NEGATIVE", silent, derived, "UE4M3 and UE5M3: what a negative value gives is left open: its magnitude, zero or NaN", ptx, "Alternate Floating-Point Data Formats", "negative"},
    {"UE-OVERFLOW", silent, derived, "UE4M3 and UE5M3: what a magnitude beyond the largest gives is left open; the overflow mode that is offered says: saturating the largest, not saturating NaN", ptx, "Alternate Floating-Point Data Formats", "overflow directed_overflow"},
    {"UE-INF", silent, derived, "UE4M3 and UE5M3: what Inf gives is left open; the overflow mode that is offered says: saturating the largest, not saturating NaN", ptx, "Alternate Floating-Point Data Formats", "overflow"},
    {"NV-UE5M3-MAGNITUDE", value, primary, "UE5M3 takes the absolute value first, and rounds it to nearest even, toward zero or up; down is toward zero", cuda_13_5_h, "l. 536-545", "negative rounding", "UE-NEGATIVE UE-ROUND", "ue5m3"},
    {"NV-UE5M3-OVERFLOW", value, primary, "Saturating, what is beyond 114688 and Inf give 0xFE; not saturating 0xFF, but 0xFE for numbers that are rounded toward zero", cuda_13_5_hpp, "l. 1397-1417", "overflow directed_overflow", "UE-OVERFLOW UE-INF", "ue5m3"},

    // Instruction sets.
    {"ARM-FP8-NSCALE", value, primary, "A conversion to FP8 multiplies the value by 2^NSCALE and rounds the product once; NSCALE is signed, and of its bits FP16 sources use the lower five", arm, "FCVTN, BFCVTN; C3.11.5.3", "", "OFP8-ROUND", "fp32_times_nscale bf16_times_nscale fp16_times_nscale5"},
    {"ARM-FP8-LSCALE", value, primary, "A conversion from FP8 divides the value by 2^LSCALE and rounds the quotient once; LSCALE is unsigned, four bits of it for FP16 and six for BF16", arm, "F1CVTL, BF1CVTL; C3.11.5.3", "", "IEEE-ROUND", "e4m3_by_lscale4 e5m2_by_lscale4 e4m3_by_lscale6 e5m2_by_lscale6"},
    {"PTX-RELU", value, secondary, "With .relu a negative value gives +0, -0 and -Inf too", ptx_9_1, "9.7.9.21", ""},
    {"PTX-RELU-NAN", value, secondary, "With .relu a NaN of either sign gives the canonical NaN", ptx_9_1, "9.7.9.21", "nan", "OFP8-NAN", "relu_fp32 relu_fp16 relu_bf16"},

    // Formats that no profile judges.
    {"FNUZ-CODES", outside, primary, "The FNUZ formats have a bias one larger than OFP8, NaN at 0x80 only, no Inf and no negative zero", amd, "", ""},
    {"FNUZ-ROUND", outside, primary, "FNUZ: a finite value is rounded once to a neighbour as the rounding says", amd, "", "rounding via flush"},
    {"FNUZ-NAN", outside, primary, "FNUZ: a NaN gives 0x80", amd, "", "nan"},
    {"FNUZ-ZERO", outside, primary, "FNUZ: every zero result is 0x00", amd, "", "zero_sign"},
    {"FNUZ-OVERFLOW", outside, primary, "FNUZ: saturating, overflow and Inf give the largest magnitude with the sign; not saturating, 0x80", amd, "", "overflow"},
    {"MLX-E8M0INF-CODES", outside, primary, "A misreading of E8M0: 0xFF is Inf instead of NaN", mlx, "", ""},
};
// clang-format on

} // namespace

std::span<const Clause> all_clauses() { return table; }

} // namespace mxcert
