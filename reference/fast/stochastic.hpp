// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include "reference/choices.hpp"
#include "reference/format.hpp"

namespace mxcert::fast {

/// Whether a stochastic rounding goes away from zero. `eta` is the fraction of a step above the truncated magnitude in
/// units of 2^-64, its last bit set if anything is left below; R has n bits, 1 to 32. (P3109 v4.0.)
[[nodiscard]] constexpr bool goes_away(Rounding rounding, std::uint64_t eta, std::uint64_t random, unsigned bits) {
    const std::uint64_t one = std::uint64_t{1} << bits;
    const unsigned below = 64 - bits;
    switch (rounding) {
    case Rounding::stochastic_a: return (eta >> below) + random >= one;
    case Rounding::stochastic_b: return (eta >> (below - 1)) + 2 * random + 1 >= 2 * one;
    default: break;
    }
    const std::uint64_t floor = eta >> below;
    const std::uint64_t rest = eta << bits; // in units of 2^-64 of the last random bit
    const std::uint64_t half = std::uint64_t{1} << 63;
    const bool up = rest > half || (rest == half && (floor & 1) != 0);
    return floor + (up ? 1 : 0) + random >= one;
}

/// A law with its R.
struct GivenBits {
    Rounding law;
    std::uint32_t random;
    unsigned bits;
};
/// The bits of its word that one value is rounded with. PTX's cvt.rs gives b the upper half of the word, f the lower
/// one, a and e the same bits in reverse order; to 4 bits the two bytes in the middle are exchanged before.
[[nodiscard]] constexpr GivenBits given_bits(const Format& to, Rounding rounding, std::uint32_t word, unsigned bits) {
    if (!is_ptx_rs(rounding)) return {rounding, word, bits};
    if (to.width() == 4) word = (word & 0xFF0000FFU) | (word >> 8 & 0xFF00U) | (word & 0xFF00U) << 8;
    const bool upper = rounding == Rounding::ptx_rs_a || rounding == Rounding::ptx_rs_b;
    std::uint32_t half = upper ? word >> 16 : word & 0xFFFFU;
    if (rounding == Rounding::ptx_rs_a || rounding == Rounding::ptx_rs_e) {
        half = (half & 0x5555U) << 1 | (half >> 1 & 0x5555U);
        half = (half & 0x3333U) << 2 | (half >> 2 & 0x3333U);
        half = (half & 0x0F0FU) << 4 | (half >> 4 & 0x0F0FU);
        half = (half & 0x00FFU) << 8 | half >> 8;
    }
    return {Rounding::stochastic_a, half, 16};
}

/// As round() of kernel.hpp, with random bits. It keeps every bit of the fraction, so it takes one value at a time.
[[nodiscard]] constexpr std::uint64_t round_stochastic(const Format& from, const Format& to, Rounding rounding,
                                                       Code magnitude, std::uint32_t random, unsigned bits) {
    if (from.has_zero() && magnitude == 0) return 0;
    const std::uint64_t field = magnitude >> from.fraction_bits;
    const bool subnormal = from.has_subnormals && field == 0;
    const std::uint64_t hidden = std::uint64_t{1} << from.fraction_bits;
    const std::uint64_t significand = subnormal ? magnitude : (magnitude & (hidden - 1)) | hidden;
    const int zeros = std::countl_zero(significand);
    // The leading bit moves to bit 63.
    const std::uint64_t aligned = significand << zeros;
    const int exponent =
        static_cast<int>(subnormal ? 1 : field) + to.bias - from.bias - (zeros - 63 + from.fraction_bits);

    if (!to.has_subnormals && exponent < 0) return 0;
    const int binades = to.has_subnormals ? std::max(exponent - 1, 0) : exponent - 1;
    const int kept = to.fraction_bits + 1 + exponent - 1 - binades; // leading bits that stay
    std::uint64_t floor = 0;
    std::uint64_t eta = 1;
    if (kept > 0) {
        floor = aligned >> (64 - kept);
        eta = aligned << kept;
    } else if (kept > -64) {
        eta = aligned >> -kept;
        if (eta << -kept != aligned) eta |= 1;
    }
    const std::uint64_t base = static_cast<std::uint64_t>(binades) << to.fraction_bits;
    GivenBits given = given_bits(to, rounding, random, bits);
    if (given.law == Rounding::stochastic_s) {
        // R is of the bits that a normal result cuts, whose last place is the source's: of more, if more are cut. Where
        // all are cut and one place above them the sum stays below the smallest magnitude.
        if (kept < 0) return base;
        given.law = Rounding::stochastic_a;
        given.bits += static_cast<unsigned>(to.fraction_bits + 1 - kept);
    }
    return base + floor + (goes_away(given.law, eta, given.random, given.bits) ? 1 : 0);
}

} // namespace mxcert::fast
