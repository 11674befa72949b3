// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "reference/code_text.hpp"
#include "reference/exact/exact.hpp"
#include "reference/format.hpp"

namespace mxcert {

/// How a user wrote a number.
enum class Notation : std::uint8_t {
    bits,    ///< 0x43E80001: a bit pattern of the format
    decimal, ///< 464.0001, -1e-7
    hex,     ///< 0x1.8p3
    name,    ///< inf, -nan
};

/// A number that was read, as a code of a format.
struct Number {
    Code code = 0;
    Notation notation = Notation::decimal;
    /// What was written is not a value of the format: the code is the nearest one, ties to even.
    bool rounded = false;
};

/// Longest text parse_number() reads, in characters.
inline constexpr std::size_t max_number_length = 4096;
/// Largest exponent it reads, of ten or of two, positive or negative.
inline constexpr int max_number_exponent = 20'000;

/// Reads a number exactly, as a value of a format: decimal (464.0001, 1e-7, -0), hexadecimal (0x1.8p3), inf, nan, or a
/// bit pattern of the format: 0x and exactly the digits of its width, without sign, point or p. The 0x may be left out
/// where a letter among the digits shows what they are: 3F880001 is a bit pattern of FP32, but 40490000 and 12345E67
/// are decimal numbers. Throws
/// std::invalid_argument that says what is wrong: the text is no number, too long or its exponent too large; the number
/// is beyond the largest value of the format; the format has no such value (sign, zero, Inf, NaN). A format with a
/// given scale takes a bit pattern alone, with or without 0x: the scale, then the value.
[[nodiscard]] Number parse_number(std::string_view text, const Format& format);

/// The value of a code for people, exactly: "464.0000305175781", "-0", "-Inf", "NaN".
[[nodiscard]] std::string decimal_text(const Format& format, Code code);

/// The value of a code in C's hexadecimal notation: "0x1.dp+8", "-0x0p+0", "inf", "-nan". parse_number() reads it back
/// to the same code, but for a NaN to the same sign only. With a given scale, what value and scale come to.
[[nodiscard]] std::string hex_float(const Format& format, Code code);

/// A magnitude as significand and power of two: "1.8125 x 2^8", "1 x 2^-9", "0". The magnitude must be a dyadic
/// rational.
[[nodiscard]] std::string factored(const exact::Rational& magnitude);

/// The bits of a code, cut: "0|10000111|11010000000000000000001"; an absent field is left out.
[[nodiscard]] std::string fields_text(const Format& format, Code code);

} // namespace mxcert
