// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "reference/format.hpp"

/// The random Hadamard transform of 16 values, as NVFP4 training uses it. Transformer Engine d0067d0
/// common/hadamard_transform/hadamard_transform_utils.cuh, pytorch/custom_recipes/reference_nvfp4.py: read.
namespace mxcert::recipe {

inline constexpr std::size_t hadamard_size = 16;

/// Forward: y_j = 1/4 sum_i x_i s_i H_ij. Inverse, by the transpose: y_j = 1/4 s_j sum_i x_i H_ij. H_ij is 1, or -1 if
/// i & j has an odd number of bits (natural order, Sylvester).
struct Hadamard {
    std::uint16_t signs = 0; ///< bit i set: s_i is -1
    bool inverse = false;

    friend bool operator==(const Hadamard&, const Hadamard&) = default;
};

/// The fixed signs of Transformer Engine's weight gradients.
inline constexpr std::uint16_t te_signs = 0xD7E8;

/// Whether the coefficient of x_i in y_j is negative.
[[nodiscard]] bool is_negative(const Hadamard& transform, std::size_t i, std::size_t j);

/// Four digits, as in "D7E8". parse_signs() throws std::invalid_argument for anything else.
[[nodiscard]] bool is_signs(std::string_view text);
[[nodiscard]] std::uint16_t parse_signs(std::string_view text);
[[nodiscard]] std::string signs_text(std::uint16_t signs);

/// What one value of a transform may be. The sums are of binary32, in an order that is left open.
///
/// Let all x_i be multiples of a power of two q >= 2^-147, and sum |x_i| < 2^24 q and no larger than the largest
/// binary32. Then every partial sum is a binary32, before and after it is multiplied by 1/4; so is every term that a
/// tensor core aligns to the largest one, as it keeps 24 bits of that. No order loses anything: the exact sum is
/// rounded once, to the target, and there is one answer.
///
/// Otherwise a sum is a tree whose nodes add two or more numbers. A node cuts or rounds each of its numbers at 2^-23 of
/// the largest one at most, but for that one, and once its result: no more losses than it has numbers. A tree over 16
/// terms has at most 16 + 14 of them below its nodes, so the sum is off by less than 30 x 2^-23 (1 + 2^-23)^15 sum
/// |x_i|, and that is less than 2^-18 sum |x_i|. A quarter of a subnormal loses less than 2^-149, of each term and of
/// the sum: less than 2^-144 together. So the answer lies between both ends of that, rounded to the target.
///
/// A sum of zero is +0, as in every addition to nearest, but where there is a zero among the x_i: -0 + -0 is -0, and so
/// is -0 less a partial sum of +0. Nor is it where an inverse transform changes its sign at last.
///
/// Where sum |x_i| of one sign can be beyond the largest binary32, some order gives Inf of that sign; where those of
/// both can, NaN.
struct HadamardValue {
    bool number = true;     ///< false: low and high say nothing
    Code low = 0;           ///< the least and the largest number or Inf; -0 is less than +0
    Code high = 0;          ///< codes of the target
    bool plus_inf = false;  ///< is permitted too
    bool minus_inf = false; ///< the same
    bool nan = false;       ///< any NaN is permitted

    [[nodiscard]] bool permits(const Format& target, Code code) const;
    /// Whether it is one code.
    [[nodiscard]] bool is_one() const { return number && low == high && !plus_inf && !minus_inf && !nan; }
    /// A code that is permitted: the largest number, or the quiet NaN.
    [[nodiscard]] Code one_of(const Format& target) const {
        return number ? high : target.inf_code() | Code{1} << static_cast<unsigned>(target.fraction_bits - 1);
    }
    friend bool operator==(const HadamardValue&, const HadamardValue&) = default;
};

/// Lowest bit that makes sums exact, as a power of two: a quarter of it is a binary32.
inline constexpr int hadamard_lowest_bit = -147;
/// sum |x_i| is below 2^24 of these.
inline constexpr int hadamard_exact_bits = 24;
/// A sum that is not exact is off by less than 2^-18 sum |x_i|, and a quarter of it by less than 2^-144 more.
inline constexpr int hadamard_bound = -18;
inline constexpr int hadamard_least_bound = -144;

} // namespace mxcert::recipe
