// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "reference/format.hpp"

/// The exceptions that IEEE 754 7 knows of a conversion. The flags of one conversion are the code of a format of their
/// own, such as formats::flags_of_e4m3, so that "the flags of FP32 to E4M3" is a conversion too: a table of it holds
/// the answers to every input, and a verdict judges it as it judges codes.
namespace mxcert {

/// A flag, as its bit in a code: the order of RISC-V's fflags, and of the numbers of Berkeley SoftFloat.
enum class Flag : std::uint8_t {
    inexact = 0x01,
    underflow = 0x02,
    overflow = 0x04,
    divide_by_zero = 0x08, ///< no conversion raises it
    invalid = 0x10,
};

struct FlagInfo {
    Flag flag;
    std::string_view name;
};
inline constexpr std::array<FlagInfo, 5> all_flags{{
    {Flag::invalid, "invalid"},
    {Flag::divide_by_zero, "divide_by_zero"},
    {Flag::overflow, "overflow"},
    {Flag::underflow, "underflow"},
    {Flag::inexact, "inexact"},
}};

[[nodiscard]] constexpr Code bit(Flag flag) { return static_cast<Code>(flag); }

/// "overflow inexact"; "none" where no flag is set.
[[nodiscard]] std::string flags_text(Code flags);

/// The format of the flags of conversions to a format, or nullptr: the models have those of E4M3, E5M2, FP16 and BF16.
[[nodiscard]] const Format* find_flags_of(const Format& target);

/// Whether a code is a signalling NaN: a NaN of an IEEE format whose top fraction bit is clear (IEEE 754 6.2.1).
/// Precondition: no given scale.
[[nodiscard]] constexpr bool is_signalling(const Format& format, Code code) {
    return format.specials == Specials::ieee && format.is_nan(code) &&
           (code >> static_cast<unsigned>(format.fraction_bits - 1) & 1) == 0;
}

} // namespace mxcert
