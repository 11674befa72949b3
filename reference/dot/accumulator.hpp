// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "reference/choices.hpp"
#include "reference/dot/dot.hpp"
#include "reference/format.hpp"

// How implementations accumulate a dot product. MX leaves precision and order inside a dot product open, so there
// is no one right answer; a declared accumulator gives one.
namespace mxcert {

/// How the products of a group become a sum.
enum class GroupSum : std::uint8_t {
    aligned,      ///< each term cut at `fraction` bits below the largest exponent, then added exactly
    even_odd,     ///< the same for the products with even and odd index apart; the two sums cut down and added
    scaled_terms, ///< the exact sum of 16 products times the significands of their scales is one term of `aligned`,
                  ///< whose exponent is that of the scales alone
    tree,         ///< products rounded in `arithmetic`, then halves of the group added, rounded each time
    multiply_add, ///< one after the other: product rounded, sum rounded
    fma,          ///< one after the other: one rounding each
    pairs,        ///< products rounded; of each four the first two and the last two added, and these sums added to two
                  ///< running sums, which are added at the end
    exact,        ///< not rounded
};

/// Which products of an instruction make a group.
enum class Grouping : std::uint8_t {
    all,         ///< an instruction has one group
    halves,      ///< two, one after the other
    two_of_four, ///< two: the first has the first two of each four products, the second the others, and what is missing
                 ///< to a whole instruction is zeros. Without scales
};

/// Where c, or the result of the group before, comes in.
enum class Addend : std::uint8_t {
    in_group,     ///< the first term of the group
    aligned_down, ///< after the group: the sum cut down at `sum_fraction` bits, c at `addend_fraction`, added exactly
    rounded,      ///< after the group: a sum rounded in `arithmetic`, as an aligned or exact one of a group is before
};

/// What becomes of the scales of blocks.
enum class ScaleUse : std::uint8_t {
    none,      ///< there are none
    exponents, ///< their exponents are added to those of the products
    terms,     ///< as GroupSum::scaled_terms says; the sign of a scale is not looked at
    factors,   ///< factors of the exact product, before anything is rounded
    promotion, ///< factors of what is promoted: the product of both, rounded to `result`. Blocks are whole promotions
};

/// What is known about a model.
enum class Evidence : std::uint8_t {
    claimed,    ///< a source says so; no device has confirmed it here
    measured,   ///< a device gave it bit for bit: docs/results/
    definition, ///< a form of software: it is what its description says
    reading,    ///< a document leaves a part open, and this is one way to read it; no device has decided
};

/// A model of an accumulator. A dot product goes through the groups in order: the result of one is the c of the next.
///
/// A term of an aligned sum is a significand times 2^exponent, where the exponent is the sum of the exponents of its
/// factors and nothing is normalised: a subnormal factor has the exponent of its format's smallest normal number, and a
/// zero the exponent `zero_exponent`. NaN and Inf are decided before: NaN from a NaN operand, 0 x Inf or Inf - Inf;
/// else Inf.
struct Accumulator {
    std::string_view name;
    std::string_view summary;
    std::string_view source;
    Evidence evidence = Evidence::claimed;
    std::span<const Format* const> operands = {}; ///< formats that a and b may have
    bool mixed = false;                           ///< a and b may have different ones
    ScaleUse scale_use = ScaleUse::none;
    std::span<const Format* const> scales = {}; ///< formats that both scales may have

    GroupSum sum = GroupSum::aligned;
    std::size_t group = 0; ///< products in a group, 0: all; the last group may be shorter
    Grouping grouping = Grouping::all;
    Addend addend = Addend::in_group;
    int fraction = 0;                          ///< aligned sums: bits that stay below the largest exponent
    Rounding align = Rounding::toward_zero;    ///< how the terms are cut: toward_zero, down, nearest_even or to_odd
    int zero_exponent = -126;                  ///< each zero factor's, and that of c = 0
    int sum_fraction = 0;                      ///< Addend::aligned_down
    int addend_fraction = 0;                   ///< Addend::aligned_down
    int addend_window = 0;                     ///< c is left out when its exponent is further below; 0: never
    bool large_is_inf = false;                 ///< a finite product of 2^128 or more counts as Inf
    const Format* arithmetic = &formats::fp32; ///< of the sums that are rounded
    Rounding arithmetic_rounding = Rounding::nearest_even; ///< of these
    bool flush = false; ///< subnormal operands are +0; subnormal products, sums and results zeros that keep their sign
    /// flush: an operand is +0 if it is subnormal, or would be, in this format; null: in its own.
    const Format* flushed_as = nullptr;
    const Format* result = &formats::fp32;     ///< of c and of the result
    int result_fraction = 23;                  ///< bits of the result's fraction that are made: 13 in FP32 for e8m13
    Rounding rounding = Rounding::toward_zero; ///< to the result; beyond the largest value it gives Inf all the same
    Overflow overflow = Overflow::nosat;       ///< or sat_finite: a finite sum gives the largest value, Inf stays
    ZeroSign zero_sign =
        ZeroSign::dropped;            ///< dropped: what is rounded to zero is +0, as exact zeros of aligned sums are
    NanRule nan = NanRule::canonical; ///< canonical: 0x7FFFFFFF, 0x7FFF; quiet: 0x7FC00000
    /// Not 0: after so many products the sum so far is added to a sum of `result`, to nearest even, and the next group
    /// begins with c = +0.
    std::size_t promote = 0;
    bool promote_fma = false; ///< ScaleUse::promotion: scaled and added with one rounding
};

/// Whether it is the definition: one sum of all products and c, rounded once, to whatever comes out.
[[nodiscard]] constexpr bool is_exact(const Accumulator& accumulator) {
    return accumulator.sum == GroupSum::exact && accumulator.group == 0;
}

/// Whether the terms of a group are cut at `fraction` bits.
[[nodiscard]] constexpr bool is_aligned(const Accumulator& accumulator) {
    return accumulator.sum == GroupSum::aligned || accumulator.sum == GroupSum::even_odd ||
           accumulator.sum == GroupSum::scaled_terms;
}

/// Every accumulator there is.
[[nodiscard]] std::span<const Accumulator> accumulators();

/// Products that an instruction takes; 0: all.
[[nodiscard]] constexpr std::size_t instruction_of(const Accumulator& accumulator) {
    return accumulator.group * (accumulator.grouping == Grouping::all ? 1 : 2);
}

/// How many groups n products are added in: those of whole instructions, filled up with zeros.
[[nodiscard]] constexpr std::size_t groups_of(const Accumulator& accumulator, std::size_t n) {
    if (accumulator.group == 0) return 1;
    const std::size_t at_once = instruction_of(accumulator);
    return (n + at_once - 1) / at_once * (at_once / accumulator.group);
}

/// The accumulator of that name. Throws std::invalid_argument that names the near ones.
[[nodiscard]] const Accumulator& accumulator(std::string_view name);

/// The format of its results as they are rounded: Accumulator::result with result_fraction bits.
[[nodiscard]] constexpr Format grid_of(const Accumulator& accumulator) {
    Format grid = *accumulator.result;
    grid.fraction_bits = accumulator.result_fraction;
    return grid;
}

/// The formats of a dot product by an accumulator: c and the result are Accumulator::result.
[[nodiscard]] constexpr DotFormat dot_format(const Accumulator& accumulator, const Format& a, const Format& b,
                                             const Format* scale = nullptr) {
    return {&a, &b, scale, scale, accumulator.result, accumulator.result};
}

/// Whether an accumulator takes these formats.
[[nodiscard]] bool takes(const Accumulator& accumulator, const DotFormat& format);

/// Elements along the sum that share a scale are a multiple of this, or all: 1 if any number of them may.
[[nodiscard]] std::size_t least_block(const Accumulator& accumulator);
/// Whether scales of so many elements, 0 for all, may be.
[[nodiscard]] bool takes_blocks(const Accumulator& accumulator, std::size_t block_a, std::size_t block_b);

/// Throws std::invalid_argument if it does not take the formats, or scales of so many elements.
void check(const Accumulator& accumulator, const DotFormat& format, std::size_t block_a = 0, std::size_t block_b = 0);
/// The same, and what check() of the operands throws.
void check(const Accumulator& accumulator, const DotFormat& format, const DotOperands& operands);

/// Products that make one term of GroupSum::scaled_terms.
inline constexpr std::size_t scaled_term_size = 16;

[[nodiscard]] std::string_view to_string(GroupSum value);
[[nodiscard]] std::string_view to_string(Grouping value);
[[nodiscard]] std::string_view to_string(Addend value);
[[nodiscard]] std::string_view to_string(ScaleUse value);
[[nodiscard]] std::string_view to_string(Evidence value);

} // namespace mxcert
