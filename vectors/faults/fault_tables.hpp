// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <set>

#include "reference/choices.hpp"
#include "reference/format.hpp"
#include "vectors/tables/input_ranges.hpp"
#include "vectors/tables/step_table.hpp"

// What the tables of wrong conversions are made with.
namespace mxcert {

/// Which conversions a fault is of.
[[nodiscard]] bool is_fp8(const Format& format);                        ///< E4M3 or E5M2
[[nodiscard]] bool is_scale(const Format& format);                      ///< E8M0 of an element
[[nodiscard]] bool is_element(const Format& format);                    ///< these, or of six or four bits
[[nodiscard]] bool makes_element(const Format& from, const Format& to); ///< from a wider format without a scale
[[nodiscard]] bool reads_element(const Format& from, const Format& to); ///< to a wider format

/// tabulate(). The last table of each thread is kept: the faults of one conversion all edit the same one.
[[nodiscard]] const StepTable& right_table(const Format& from, const Format& to, const Choices& choices);

/// The table with neighbours of one code drawn together.
[[nodiscard]] StepTable joined(StepTable table);

/// E8M0 with more exponents: a byte has the low bits of its codes.
inline constexpr Format wide_scale{"e8m0", "E8M0 of 12 bits",      12, 0, 127 + 4 * 256, false,
                                   false,  Specials::nan_all_ones, ""};
/// The target with more binades and no Inf or NaN: its codes go on beyond the largest number.
[[nodiscard]] Format with_more_binades(const Format& to, int exponent_bits);
/// A mask of so many bits.
[[nodiscard]] constexpr Code low_bits(unsigned count) { return (Code{1} << count) - 1; }

/// What an implementation does that takes these formats for those of the conversion. As wide as they are.
[[nodiscard]] StepTable mistaken(const Format& from, const Format& to, const Format& taken_from, const Format& taken_to,
                                 const Choices& choices);

/// Another code in some steps, cut so that none crosses one of these inputs.
[[nodiscard]] StepTable edited(StepTable table, const std::set<Code>& cuts,
                               const std::function<Code(const Step&)>& code);

/// What `table` gives for `input_of(input)`. Between two neighbouring cuts `input_of` must not fall.
[[nodiscard]] StepTable mapped(const Format& from, const StepTable& table, const std::set<Code>& cuts,
                               const std::function<Code(Code)>& input_of);

/// A table, with the steps of another one in these ranges.
[[nodiscard]] StepTable replaced(const StepTable& table, const StepTable& replacement, const InputRanges& ranges);

/// The inputs with which a binade begins, of both signs.
[[nodiscard]] std::set<Code> binades(const Format& from);
/// The inputs with which the numbers of each sign begin, and their Inf and NaN.
[[nodiscard]] std::set<Code> kinds(const Format& from);
/// The zero of the target with the sign of an input.
[[nodiscard]] Code sign_of(const Format& from, const Format& to, Code input);
/// The input of the largest magnitude below 2^exponent, of positive sign. Precondition: 2^exponent is a normal number.
[[nodiscard]] Code last_below(const Format& from, int exponent);
/// The inputs whose magnitude is one of these codes, of both signs.
[[nodiscard]] InputRanges of_both_signs(const Format& from, InputRange magnitudes);

} // namespace mxcert
