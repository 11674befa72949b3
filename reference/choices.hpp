// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "reference/format.hpp"

namespace mxcert {

// The choices an implementation makes when it converts one value. Each enumeration is one choice; the comment of a
// value says what it does and who does it. K numbers are the project's list of choices (docs/choices.md).

/// K10. How a value between two codes is decided.
enum class Rounding : std::uint8_t {
    nearest_even,   ///< to the nearer code; a tie to the even code. OFP8 5.2.1 requires it.
    nearest_away,   ///< to the nearer code; a tie to the larger magnitude
    nearest_zero,   ///< to the nearer code; a tie to the smaller magnitude. gguf and ModelOpt to MXFP4
    toward_zero,    ///< to the smaller magnitude
    up,             ///< toward +Inf
    down,           ///< toward -Inf
    away_from_zero, ///< to the larger magnitude
    to_odd,         ///< inexact values to the neighbour with the odd code
    nearest_log2,   ///< to the nearer code on a logarithmic scale: the switch is at the geometric mean
    stochastic_a,   ///< away when floor(eta 2^n) + R >= 2^n            (P3109 StochasticA; AMD seed, Intel bias byte)
    stochastic_b,   ///< away when floor(eta 2^(n+1)) + 2R + 1 >= 2^(n+1)  (P3109 StochasticB)
    stochastic_c,   ///< away when RNE(eta 2^n) + R >= 2^n              (P3109 StochasticC)
    stochastic_s, ///< as a, but R counts in the last places of the source: of n + s bits where a result lies s binades
                  ///< below the smallest normal one (pseudocode of Intel's VCVTBIASPS2*, one program of AMD)
    ptx_rs_a,     ///< PTX cvt.rs ... d, {a, b, e, f}, rbits: stochastic_a, R 16 of the 32 bits of rbits, here those of
                  ///< a, by the format of d
    ptx_rs_b,     ///< those of b
    ptx_rs_e,     ///< those of e
    ptx_rs_f,     ///< those of f
};

/// K12. What a magnitude beyond the largest finite one becomes.
enum class Overflow : std::uint8_t {
    sat,        ///< the largest finite magnitude; Inf too
    nosat,      ///< Inf, or NaN where the format has no Inf, or the largest magnitude where it has neither
    sat_finite, ///< finite values as sat, Inf as nosat (newer AMD headers)
};

/// K13. When overflow is decided.
enum class OverflowTest : std::uint8_t {
    after_rounding,  ///< the rounded magnitude is beyond the largest (OFP8 5.2.1)
    before_rounding, ///< the magnitude itself is beyond the largest (amd_hip_fp8.h)
    tie_overflows,   ///< as after_rounding, and all from the tie just above the largest upward (mxDataGenerator)
};

/// nosat only: what overflows under a rounding that points toward zero there, or to odd. OFP8 is silent.
enum class DirectedOverflow : std::uint8_t {
    special, ///< as every other rounding: Inf or NaN (the letter of OFP8 Table 3)
    max,     ///< the largest finite magnitude (IEEE 754 7.4)
};

/// K14, K15. Which code a NaN becomes.
enum class NanRule : std::uint8_t {
    canonical,      ///< all ones below a clear sign: 0x7F. NVIDIA from FP32, RISC-V
    sign,           ///< all ones, the sign of the source kept: 0x7F, 0xFF. ml_dtypes, ONNX, AMD
    quiet,          ///< only the top fraction bit set, sign clear: E5M2 0x7E
    quiet_sign,     ///< only the top fraction bit set, sign kept: E5M2 0x7E, 0xFE
    payload_sign,   ///< the top fraction bits of the source, made quiet, sign kept. CUDA from FP64, Intel, LLVM
    inverted_first, ///< the smallest NaN code with the sign inverted: E5M2 0xFD for +NaN. mxDataGenerator
    negative,       ///< all ones, the sign always set: 0xFF. gfloat
    fp32_ones,      ///< canonical in FP32, then widened: FP64 0x7FFFFFFFE0000000. CUDA to FP64
    bf16_ones,      ///< canonical in BF16, then widened: FP32 0x7FFF0000. CUDA from E8M0
    max,            ///< the largest finite magnitude, positive. PTX to FP6 and FP4; MLX
    max_sign,       ///< the largest finite magnitude, sign kept. AMD to FP6 and FP4
    zero,           ///< +0, or the smallest code where there is no zero
    zero_inverted,  ///< zero with the sign inverted. ml_dtypes to FP6 and FP4
};

/// Whether a NaN becomes a number.
[[nodiscard]] constexpr bool is_number(NanRule rule) { return rule >= NanRule::max; }

/// The sign of a NaN that overflow or Inf makes in a format without Inf.
enum class OverflowNan : std::uint8_t {
    sign,      ///< the sign of the source: 0x7F, 0xFF. CUDA
    canonical, ///< always clear: 0x7F. RISC-V
    negative,  ///< always set: 0xFF. gfloat
};

/// K16. The sign of a zero result.
enum class ZeroSign : std::uint8_t {
    kept,          ///< the sign of the source (OFP8 Table 3)
    dropped,       ///< every zero result is +0 (microxcaling CUDA)
    input_dropped, ///< -0 becomes +0, a negative value that rounds to zero -0 (mxDataGenerator)
};

/// K8. Subnormal values that become zero.
enum class Flush : std::uint8_t {
    none,
    input,   ///< subnormals of the source
    output,  ///< results that are subnormal in the target
    both,    ///< input and output
    product, ///< with a scale: the quotient or product that is subnormal in its arithmetic
};

/// K11. A rounding to another format first.
enum class Via : std::uint8_t {
    none,
    fp16_nearest_even, ///< oneDNN
    fp16_toward_zero,  ///< Triton on Ada
    bf16_nearest_even, ///< Transformer Engine with a fused activation
};

/// K17. What a negative value becomes in a format without sign.
enum class Negative : std::uint8_t {
    magnitude, ///< as its absolute value. CUDA, PyTorch
    zero,      ///< the smallest code. OpenVINO
    nan,       ///< NaN. ml_dtypes
};

/// K5, K17. What zero becomes in a format without zero.
enum class Zero : std::uint8_t {
    smallest, ///< the smallest code. CUDA, Transformer Engine, torchao
    nan,      ///< NaN. ml_dtypes
    one,      ///< the code of 1. MLX
    lowered,  ///< a scale: the power of two by which the largest element is 1 or more, 2^-emax. Universal
};

/// K6, K17. What happens below the second code of a format without subnormals (0 < |x| < 2^-126 in E8M0).
enum class LowestBinade : std::uint8_t {
    by_value,          ///< rounded like any other value; what is below the smallest code becomes the smallest
    up_above_smallest, ///< everything above the smallest code goes to the second. PyTorch, ml_dtypes, OpenVINO, ONNX
                       ///< nearest
    up_nonzero,        ///< everything but zero goes to the second. ONNX up, Triton
    zero_below,        ///< as by_value, but what is below the smallest code is treated as zero is. gfloat
};

/// K1. How the scale of a block follows from its amax: which power of two. `scale_rule.hpp` has each as data.
enum class ScaleRule : std::uint8_t {
    none,          ///< the value is no amax: it is converted as it is
    ocp_floor,     ///< 2^floor(log2 amax) / 2^emax (MX 6.3; torchao FLOOR, microxcaling, oneDNN)
    ceil,          ///< 2^ceil(log2 amax) / 2^emax (torchao CEIL, Quark ceil)
    rceil,         ///< 2^ceil(log2(amax / max)): no element overflows (NVIDIA, torchao RCEIL)
    rfloor,        ///< 2^floor(log2(amax / max)) (Triton ROUND_DOWN)
    even,          ///< ocp_floor of amax rounded to the element's fraction bits, ties away (torchao EVEN, Quark)
    even_fbgemm,   ///< the same, ties down (FBGEMM EVEN)
    tosa,          ///< the smallest at which amax, rounded to nearest even, does not overflow (TOSA)
    neuron,        ///< twice ocp_floor (AWS Neuron)
    log_nearest,   ///< 2^round(log2(amax / max)) (MLX)
    log_nearest2,  ///< 2^floor(log2 amax + 1/2) / 2^emax (FBGEMM NEAREST)
    arith_nearest, ///< the power of two nearest to amax / max, a tie to the larger (PyTorch's cast of amax / max)
    p3109,         ///< the power of two nearest to amax itself, a tie to the even code (P3109)
};

/// K2, K9. The arithmetic in which a rule divides the amax, and in which a value is scaled.
enum class Arithmetic : std::uint8_t {
    exact,         ///< real numbers
    fp32_multiply, ///< in FP32, to nearest even, times the nearest FP32 to the reciprocal. Transformer Engine
    fp32_divide,   ///< in FP32, to nearest even
    bf16_divide,   ///< in BF16, to nearest even, the amax rounded to BF16 before. JAX
    fp32_log2,     ///< the power of two by the floor or ceiling of an FP32 logarithm to base 2, correctly rounded: of
                   ///< the amax where a rule divides by a power of two, else of the FP32 quotient. microxcaling
};

/// K5, K6. A lower bound that the amax is raised to.
enum class LeastAmax : std::uint8_t {
    none,
    fp32_1e_30, ///< the FP32 nearest to 1e-30, byte 19 for E4M3 by rceil. Quark FlyDSL
};

/// K4, K7. What an amax of Inf is to a scale rule, and a finite one that a rule rounds beyond the largest value.
enum class InfAmax : std::uint8_t {
    overflows,  ///< Inf, which the overflow mode decides
    next_power, ///< the power of two after the largest value: its exponent field read as any other. torchao 0.18.0
};

/// K9. What a value under the smallest scale, E8M0 0x00, is divided by to make its element.
enum class SmallestScale : std::uint8_t {
    by_value, ///< 2^-127, which the scale stands for
    second,   ///< 2^-126, the second code: the smallest that is no subnormal of FP32. torchao 0.18.0 FLOOR, CEIL, EVEN
    one,      ///< 1: the value is not scaled. torchao 0.18.0 RCEIL
};

/// The code of two's complement that has no positive counterpart, 0x80 of INT8: MX v1.0 5.3.4 lets an implementation
/// leave it unused, so that the range is symmetric.
enum class Lowest : std::uint8_t {
    unused, ///< the lowest value is that of -max: -127/64. microxcaling
    used,   ///< the lowest value is that of the code: -2
};

/// K26. Whether a conversion raises the exceptions of IEEE 754 (reference/flags.hpp) at all.
enum class Exceptions : std::uint8_t {
    raised,
    none, ///< every flag stays clear: they are suppressed, or there are none. AVX10.2, CUDA
};

/// K27. Which value is compared with the smallest normal magnitude, so that an inexact result is an underflow
/// (IEEE 754 7.5).
enum class Tininess : std::uint8_t {
    after_rounding,  ///< the value rounded as if the exponent had no lower bound. RISC-V
    before_rounding, ///< the source's value. Arm, unless FPCR.AH is set
};

/// K28. Which NaN sources raise invalid.
enum class InvalidNan : std::uint8_t {
    signalling,      ///< those with the top bit of the fraction clear; a format with one NaN has none (IEEE 754 7.2)
    signalling_e4m3, ///< these, and the NaN of a format that has no other. Arm
    every,
    never, ///< RISC-V where it widens
};

/// K29. What Inf raises where it becomes a number or a NaN.
enum class InfFlags : std::uint8_t {
    none,     ///< what Inf becomes is exact (IEEE 754 6.1). RISC-V
    overflow, ///< overflow and inexact
    invalid,
};

/// All choices of one conversion: a Behaviour of the operations "convert" and "scale". The defaults are OFP8 with
/// saturation.
struct Choices {
    Rounding rounding = Rounding::nearest_even;
    Overflow overflow = Overflow::sat;
    OverflowTest overflow_test = OverflowTest::after_rounding;
    DirectedOverflow directed_overflow = DirectedOverflow::special;
    NanRule nan = NanRule::canonical;
    OverflowNan overflow_nan = OverflowNan::sign;
    ZeroSign zero_sign = ZeroSign::kept;
    Flush flush = Flush::none;
    Via via = Via::none;
    Negative negative = Negative::magnitude;
    Zero zero = Zero::smallest;
    LowestBinade lowest_binade = LowestBinade::by_value;
    ScaleRule rule = ScaleRule::none;
    Arithmetic arithmetic = Arithmetic::exact;
    LeastAmax least_amax = LeastAmax::none;
    InfAmax inf_amax = InfAmax::overflows;
    SmallestScale smallest_scale = SmallestScale::by_value;
    Lowest lowest = Lowest::unused;
    Exceptions exceptions = Exceptions::raised;
    Tininess tininess = Tininess::after_rounding;
    InvalidNan invalid_nan = InvalidNan::signalling;
    InfFlags inf_flags = InfFlags::none;

    friend bool operator==(const Choices&, const Choices&) = default;
};

/// One choice, as a position in `Choices`.
enum class Choice : std::uint8_t {
    rounding,
    overflow,
    overflow_test,
    directed_overflow,
    nan,
    overflow_nan,
    zero_sign,
    flush,
    via,
    negative,
    zero,
    lowest_binade,
    rule,
    arithmetic,
    least_amax,
    inf_amax,
    smallest_scale,
    lowest,
    exceptions,
    tininess,
    invalid_nan,
    inf_flags,
};
inline constexpr std::size_t choice_count = 22;

/// A set of choices, bit i for Choice i.
using ChoiceSet = std::uint32_t;
[[nodiscard]] constexpr ChoiceSet bit(Choice c) { return ChoiceSet{1} << static_cast<unsigned>(c); }

/// A choice as data: its name, and the names of its values in the order of the enumeration.
struct ChoiceInfo {
    Choice choice;
    std::string_view name;
    std::string_view number;   ///< K number(s)
    std::string_view question; ///< what is chosen, one line
    std::span<const std::string_view> values;
};
[[nodiscard]] std::span<const ChoiceInfo> all_choices();
[[nodiscard]] const ChoiceInfo& info(Choice choice);

/// Value of one choice as a position in ChoiceInfo::values, and the reverse. `set` throws std::out_of_range.
[[nodiscard]] unsigned get(const Choices& choices, Choice choice);
void set(Choices& choices, Choice choice, unsigned value);
/// Names of values, as in ChoiceInfo::values.
[[nodiscard]] std::string_view to_string(Rounding value);
[[nodiscard]] std::string_view to_string(ScaleRule value);
/// Name of the value a choice has.
[[nodiscard]] std::string_view value_name(const Choices& choices, Choice choice);
/// Sets a choice by names. Throws std::invalid_argument that lists the values there are.
void set(Choices& choices, std::string_view choice, std::string_view value);

/// Sets "name=value". Throws std::invalid_argument that begins with `option`, the name of what the text was given for.
void set_by_text(Choices& choices, std::string_view text, std::string_view option = "--choice");
/// The choices that are not at their defaults, "via=fp16_nearest_even nan=sign"; "defaults" if all are.
[[nodiscard]] std::string describe(const Choices& choices);

/// Whether random bits are given with each value.
[[nodiscard]] constexpr bool is_stochastic(Rounding r) { return r >= Rounding::stochastic_a; }
/// Whether it takes its bits from a word of 32 that several values share.
[[nodiscard]] constexpr bool is_ptx_rs(Rounding r) { return r >= Rounding::ptx_rs_a; }
/// Whether it is one of P3109's, which round away with the probability eta but for a last place of n bits.
[[nodiscard]] constexpr bool is_stochastic_law(Rounding r) { return is_stochastic(r) && r <= Rounding::stochastic_c; }
/// The targets of which it is known which bits PTX's cvt.rs takes: FP6 has not been measured.
[[nodiscard]] constexpr bool has_ptx_rs(const Format& to) {
    return to.name == formats::e4m3.name || to.name == formats::e5m2.name || to.name == formats::e2m1.name;
}

} // namespace mxcert
