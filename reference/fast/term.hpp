// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstdint>

#include "reference/choices.hpp"
#include "reference/format.hpp"

// Numbers as integers and powers of two: what the fast model of dot products computes with.
namespace mxcert::fast {

/// 128 bits: the product of two significands of binary64 and some to spare. GCC and Clang have it on 64-bit machines.
__extension__ using Wide = unsigned __int128;

[[nodiscard]] constexpr int width_of(Wide x) {
    const auto high = static_cast<std::uint64_t>(x >> 64);
    return high != 0 ? 128 - std::countl_zero(high) : 64 - std::countl_zero(static_cast<std::uint64_t>(x));
}

enum class TermKind : std::uint8_t { finite, inf, nan };

/// A number: (-1)^negative x significand x 2^exponent; or Inf, or NaN. Zero has a sign, and its exponent says nothing.
struct Term {
    TermKind kind = TermKind::finite;
    bool negative = false;
    Wide significand = 0;
    int exponent = 0;

    [[nodiscard]] constexpr bool is_zero() const { return kind == TermKind::finite && significand == 0; }
};

/// The value of a code. Subnormals keep the exponent of the smallest normal numbers.
[[nodiscard]] constexpr Term term_of(const Format& format, Code code) {
    const bool negative = (code & format.sign_bit()) != 0;
    if (format.is_nan(code)) return {TermKind::nan, false, 0, 0};
    if (format.is_inf(code)) return {TermKind::inf, negative, 0, 0};
    const Code magnitude = format.magnitude_of(code);
    const Code field = magnitude >> format.fraction_bits;
    const Code hidden = Code{1} << format.fraction_bits;
    const bool normal = field != 0 || !format.has_subnormals;
    const Code significand = normal ? (magnitude & (hidden - 1)) | hidden : magnitude;
    const int exponent = (normal ? static_cast<int>(field) : 1) - format.bias - format.fraction_bits;
    return {TermKind::finite, negative, significand, exponent};
}

/// x times y. Precondition: the significands have 128 bits together.
[[nodiscard]] constexpr Term multiply(const Term& x, const Term& y) {
    const bool negative = x.negative != y.negative;
    const bool nan = x.kind == TermKind::nan || y.kind == TermKind::nan;
    const bool inf = x.kind == TermKind::inf || y.kind == TermKind::inf;
    if (nan || (inf && (x.is_zero() || y.is_zero()))) return {TermKind::nan, false, 0, 0};
    if (inf) return {TermKind::inf, negative, 0, 0};
    return {TermKind::finite, negative, x.significand * y.significand, x.exponent + y.exponent};
}

/// x + y, to be rounded: where bits do not fit into 126, the last one is set if any of the others is, which no rounding
/// to fewer than 120 bits can tell from them. A sum of zero is +0 unless both are -0. Precondition: significands of
/// 106 bits at most.
[[nodiscard]] Term add(const Term& x, const Term& y);

/// A finite number other than zero as a code, with its sign. `sticky`: there is more below the last bit of the
/// significand, less than one of it; the significand then has at least 90 bits.
[[nodiscard]] Code round_term(const Format& to, const Choices& choices, const Term& term, bool sticky = false,
                              std::uint32_t random = 0, unsigned random_bits = 0);

/// Any number as a code.
[[nodiscard]] Code result_of(const Format& to, const Choices& choices, const Term& term, bool sticky = false,
                             std::uint32_t random = 0, unsigned random_bits = 0);

/// A number rounded to a code, as the value of that code. Precondition: no stochastic rounding, which takes random
/// bits.
[[nodiscard]] Term rounded(const Format& to, const Choices& choices, const Term& term, bool sticky = false);

/// A number rounded to nearest even in a format, to Inf beyond the largest value.
[[nodiscard]] Term nearest(const Format& to, const Term& term);

} // namespace mxcert::fast
