// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "reference/format.hpp"

// Numbers of recipes as the binary32 of the machine: + - * / of float in the default floating-point environment, to
// nearest, subnormals not flushed.
namespace mxcert::fast {

static_assert(std::numeric_limits<float>::is_iec559 && std::numeric_limits<double>::is_iec559);

inline constexpr float float_inf = std::numeric_limits<float>::infinity();
inline constexpr Code quiet_nan_bits = 0x7FC00000;

[[nodiscard]] inline float as_float(Code bits) { return std::bit_cast<float>(static_cast<std::uint32_t>(bits)); }

/// Every NaN is written as one, quiet_nan_bits.
[[nodiscard]] inline Code bits_of(float value) {
    return std::isnan(value) ? quiet_nan_bits : std::bit_cast<std::uint32_t>(value);
}

/// 2^e. Precondition: -126 <= e <= 127.
[[nodiscard]] inline float two_to(int e) { return as_float(static_cast<Code>(e + 127) << 23U); }

/// The value of a code of fp32, bf16 or fp16.
[[nodiscard]] inline float widened(const Format& from, Code code) {
    if (&from == &formats::fp32) return as_float(code);
    if (&from == &formats::bf16) return as_float(code << 16U);
    const int field = static_cast<int>(code >> 10U & 0x1FU);
    const auto fraction = static_cast<float>(code & 0x3FFU);
    float magnitude = field == 0 ? fraction * two_to(-24) : (1024 + fraction) * two_to(field - 25);
    if (field == 0x1F) magnitude = fraction == 0 ? float_inf : std::numeric_limits<float>::quiet_NaN();
    return (code & 0x8000U) != 0 ? -magnitude : magnitude;
}

/// A value without sign, rounded to the grid of fp32, bf16 or fp16.
[[nodiscard]] inline float kept_in(const Format& format, float value) {
    if (&format == &formats::fp32 || std::isnan(value) || value == float_inf) return value;
    if (&format == &formats::bf16) {
        const auto bits = std::bit_cast<std::uint32_t>(value);
        return as_float((bits + 0x7FFFU + (bits >> 16U & 1U)) & 0xFFFF0000U);
    }
    if (value >= 65520) return float_inf; // the tie above the largest binary16
    // Adding 1.5 x 2^23 grid steps leaves no bits below a step.
    const int field = static_cast<int>(std::bit_cast<std::uint32_t>(value) >> 23U);
    const float shift = 1.5F * two_to(std::max(field - 127, -14) + 13);
    return (value + shift) - shift;
}

/// The code in fp32, bf16 or fp16 of a value of that format without sign. A NaN is the quiet one.
[[nodiscard]] inline Code code_in(const Format& format, float value) {
    const Code wide = bits_of(value);
    if (&format == &formats::fp32) return wide;
    if (&format == &formats::bf16) return wide >> 16U;
    if (std::isnan(value)) return 0x7E00;
    if (value == float_inf) return 0x7C00;
    if (value < two_to(-14)) return static_cast<Code>(value * two_to(24));
    return (wide >> 13U) - (Code{112} << 10U);
}

/// A value that is no NaN, rounded to fp32, bf16 or fp16; beyond the largest, Inf.
[[nodiscard]] inline Code rounded_to(const Format& format, float value) {
    const Code magnitude = code_in(format, kept_in(format, std::fabs(value)));
    return std::signbit(value) ? magnitude | format.sign_bit() : magnitude;
}

} // namespace mxcert::fast
