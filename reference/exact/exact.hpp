// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "reference/choices.hpp"
#include "reference/exact/rational.hpp"
#include "reference/format.hpp"
#include "reference/rule.hpp"

/// The slow model: exact rational arithmetic, written in the order of the clauses. It runs every Behaviour.
namespace mxcert::exact {

enum class Kind : std::uint8_t { nan, inf, finite };

/// What a code means.
struct Value {
    Kind kind = Kind::finite;
    bool negative = false; ///< the sign, that of a zero or NaN too
    Rational magnitude;    ///< finite only, >= 0
    Code payload = 0;      ///< NaN only: its fraction, the top one of payload_bits bits being the top one of it
};
inline constexpr int payload_bits = 52; ///< of FP64

/// A value with its sign. Precondition: finite.
[[nodiscard]] inline Rational number(const Value& value) { return value.negative ? -value.magnitude : value.magnitude; }

/// The value of a code (OFP8 v1.0 Tables 1-2, MX v1.0 5.4.1), with its scale if it carries one, in real numbers; a
/// scale that is NaN makes every value NaN (MX v1.0 5.1). Throws std::out_of_range if the code is too wide.
[[nodiscard]] Value decode(const Format& from, Code code);

/// n random bits and their value R, 0 <= R < 2^n, n <= 32. Read by stochastic roundings only.
struct Random {
    unsigned bits = 0;
    std::uint32_t value = 0;
};

/// One step of a conversion, for people.
struct Step {
    Rule rule;
    std::string text;
};

/// A converted value and how it came about.
struct Result {
    Code code = 0;
    Rule rule = Rule::round; ///< the rule that decided it
    ChoiceSet consulted = 0; ///< the choices that mattered for this input: no other choice can change the code
    /// The source is finite and the value of the code is another, or the code has none (IEEE 754 7.6). What an Inf or a
    /// NaN becomes is exact (6.1), a saturated Inf too.
    bool inexact = false;
    bool overflow = false; ///< the rounded magnitude was beyond the largest finite one
};

/// Converts one code. Appends to `trace` if given. Throws std::invalid_argument if a stochastic rounding gets no random
/// bits, more than 32, or a value that does not fit them, if there is a scale rule and `to` is not the scale of
/// elements, or the reverse, and if `to` carries a given scale.
[[nodiscard]] Result convert(const Format& from, const Format& to, const Choices& choices, Code code,
                             Random random = {}, std::vector<Step>* trace = nullptr);

/// The flags of a conversion: what convert() gives where `to` is a format of flags (reference/flags.hpp). The rule is
/// that which decided the flags: value where none is raised by a number, underflow, round where it is only inexact.
[[nodiscard]] Result convert_flags(const Format& from, const Format& to, const Choices& choices, Code code,
                                   Random random = {}, std::vector<Step>* trace = nullptr);

/// The code of a value in another format, to nearest even; what is too large does not saturate.
[[nodiscard]] Code converted(const Format& from, const Format& to, Code code);

/// The result of rounding a positive magnitude to the grid of `to`, its exponent unbounded above.
struct Rounded {
    Rational lower; ///< the largest grid value <= the magnitude
    Rational upper; ///< the grid value above lower; equal to lower if the magnitude is on the grid
    bool lower_odd; ///< whether the code of lower is odd
    Rational value; ///< lower or upper, as the rounding decides
};
[[nodiscard]] Rounded round(const Format& to, const Rational& magnitude, bool negative, Rounding rounding,
                            Random random = {});

/// Throws std::invalid_argument if a stochastic rounding does not take these random bits, or not to this format.
void check_random(const Format& to, Rounding rounding, Random random);

/// The R by which a magnitude > 0 is rounded, and of how many bits it is there: all that is given, or of PTX's cvt.rs a
/// part of the word; of stochastic_s more bits in subnormal results. Precondition: check_random() does not throw.
[[nodiscard]] Random own_bits(const Format& to, Rounding rounding, const Rational& magnitude, Random random);

/// The least R with n bits for which a stochastic rounding goes away from zero; 2^n if none does. eta in [0,1).
[[nodiscard]] Integer stochastic_threshold(Rounding rounding, const Rational& eta, unsigned bits);

/// Whether the NaN that overflow or Inf makes of a value with that sign is negative.
[[nodiscard]] constexpr bool overflow_nan_is_negative(const Choices& choices, bool negative) {
    return choices.overflow_nan == OverflowNan::negative || (choices.overflow_nan == OverflowNan::sign && negative);
}

/// By what a scale rule divides an amax, and how it rounds the quotient to a power of two, for blocks of this element.
struct Quotient {
    Rational divisor;
    Rounding rounding;
};
[[nodiscard]] Quotient quotient_of(ScaleRule rule, const Format& element);

/// x, or the power of two whose logarithm this format cannot tell from that of x: where log2 x, correctly rounded to
/// it, is a whole number, 2 to that number. x > 0.
[[nodiscard]] Rational by_log2(const Format& format, const Rational& x);
/// The code of a magnitude that is a value of `to`. Throws std::logic_error if it is not.
[[nodiscard]] Code encode(const Format& to, const Rational& magnitude);

} // namespace mxcert::exact
