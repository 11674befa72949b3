// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "reference/format.hpp"

// The float scale that an amax gives: of a tensor, or of a block. All numbers are bit patterns of binary32, and each
// operation is rounded to nearest, ties to even. The *scale* decodes (value = code x scale), the *inverse scale*
// encodes (code = value x inverse scale); Transformer Engine and torchao call the inverse scale "scale".
namespace mxcert::recipe {

/// 1.0 of binary32.
inline constexpr Code unity = 0x3F800000;

/// Which of the two is computed from the amax. The other is its reciprocal, rounded.
enum class First : std::uint8_t {
    inverse, ///< largest / amax. Transformer Engine, torchao
    scale,   ///< amax / largest. DeepSeek, Nexus
};

/// How the quotient is computed.
enum class Quotient : std::uint8_t {
    divide,     ///< one rounding. Transformer Engine, Triton
    reciprocal, ///< times the rounded reciprocal of the divisor, two roundings. PyTorch's `448 / tensor`
};

/// Where the margin 2^exponent enters. It shows only where a quotient leaves the range of normal numbers.
enum class Power : std::uint8_t {
    of_largest,  ///< largest / 2^exponent is divided. Transformer Engine's kernel
    of_quotient, ///< the quotient is divided by 2^exponent. Transformer Engine's documentation
};

/// What an amax gives of which no scale can be made.
enum class Unusable : std::uint8_t {
    keep,     ///< the scale there was
    one,      ///< 1
    computed, ///< whatever the formula gives: NaN, 0 or Inf
};

/// An amax and its float scale: all choices of that step.
struct FloatScale {
    const Format* element = &formats::e4m3; ///< the amax is mapped to its largest value: 448, or 57344 of e5m2
    First first = First::inverse;
    Quotient quotient = Quotient::divide;
    Code factor = unity; ///< the margin as a factor of the amax
    int exponent = 0;    ///< the margin as a power of two, 0 to 126
    Power power = Power::of_largest;
    /// The scale is rounded up to a power of two; where the inverse scale is first, that is rounded down.
    bool power_of_two = false;
    /// A bit pattern of binary64, as torchao's 1e-12 is no binary32: a smaller amax is raised to it. 0: none. Where
    /// there is a factor, a value of binary32.
    Code least_amax = 0;
    /// What an inverse scale beyond binary32 becomes: the largest value of this format; null: Inf.
    const Format* limit = nullptr;
    /// The format the scale is kept in, fp32, fp16 or bf16: it is rounded to that once more.
    const Format* kept = &formats::fp32;
    Unusable on_nan = Unusable::computed;
    Unusable on_inf = Unusable::computed;
    Unusable on_zero = Unusable::computed;

    friend bool operator==(const FloatScale&, const FloatScale&) = default;
};

/// Bit patterns of binary32, the scale too where it is kept in a narrower format.
struct Scales {
    Code scale = unity;
    Code inverse = unity;

    friend bool operator==(const Scales&, const Scales&) = default;
};

/// Throws std::invalid_argument if a choice is out of its range.
void check(const FloatScale& scaling);

[[nodiscard]] std::string_view to_string(First value);
[[nodiscard]] std::string_view to_string(Quotient value);
[[nodiscard]] std::string_view to_string(Power value);
[[nodiscard]] std::string_view to_string(Unusable value);
/// Every choice by its name and value, numbers as bit patterns: "element=e4m3 first=inverse quotient=divide ...".
[[nodiscard]] std::string describe(const FloatScale& scaling);

} // namespace mxcert::recipe
