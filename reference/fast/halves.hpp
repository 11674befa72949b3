// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>

#include "reference/fast/kernel.hpp"
#include "reference/format.hpp"

// nearest_even from FP32 and BF16 to the 8-bit floats in lanes of 16 bits: the commonest conversion, at twice the lanes
// of the general kernel.
namespace mxcert::fast {

/// Whether this file has a kernel for the conversion.
[[nodiscard]] constexpr bool fits_halves(const Format& from, const Format& to, Cut how) {
    const bool layout = from.exponent_bits == formats::bf16.exponent_bits && from.bias == formats::bf16.bias &&
                        from.specials == Specials::ieee && from.bytes() <= 4;
    // Two bits more than the target has are enough to round what was rounded to odd before.
    return layout && to.width() == 8 && to.has_subnormals && to.fraction_bits + 2 <= formats::bf16.fraction_bits &&
           to.emin() - to.fraction_bits + formats::bf16.bias > 1 && how == Cut::even;
}

/// The upper half of an FP32 code, with its last bit set if any bit of the lower half is: rounding that to nearest
/// gives what rounding the whole gives, because no tie and no code of the target has that bit. The bits are in memory.
MXCERT_INLINE std::uint16_t load_half(const unsigned char* fp32) {
    constexpr bool little = std::endian::native == std::endian::little;
    std::uint16_t high;
    std::uint16_t low;
    std::memcpy(&high, fp32 + (little ? 2 : 0), sizeof high);
    std::memcpy(&low, fp32 + (little ? 0 : 2), sizeof low);
    return static_cast<std::uint16_t>(high | std::min<std::uint16_t>(low, 1));
}

/// The greatest of the lines from k to `last`, over 2^k: at - k * one, 2 * (at - (k + 1) * one), and so on.
template <int k, int last> MXCERT_INLINE constexpr std::int16_t lines(std::int16_t at) {
    constexpr int one = 1 << formats::bf16.fraction_bits;
    const auto line = static_cast<std::int16_t>(at - k * one);
    if constexpr (k == last)
        return line;
    else
        return std::max(line, static_cast<std::int16_t>(2 * lines<k + 1, last>(at)));
}

/// Magnitudes in the layout of BF16 beyond which nothing changes: from half the smallest subnormal, a tie that goes to
/// zero as all below it does, to the first code beyond the largest, which tells as much as any greater one, or to the
/// largest where what is beyond is taken for that.
template <const Format& to>
inline constexpr int half_lowest = (to.emin() - (to.fraction_bits + 1) + formats::bf16.bias) *
                                   (1 << formats::bf16.fraction_bits);
template <const Format& to, bool saturate>
inline constexpr int half_highest = ((static_cast<int>(to.max_code()) + (saturate ? 0 : 1))
                                     << (formats::bf16.fraction_bits - to.fraction_bits)) +
                                    (formats::bf16.bias - to.bias) * (1 << formats::bf16.fraction_bits);

/// As round() of kernel.hpp, for a magnitude in the layout of BF16 within those bounds.
///
/// A shift by a variable count, which subnormal results seem to need, is not to be had for 16-bit lanes before AVX-512,
/// and compilers do not use it then. But a value is a convex function of its code, linear in each binade with twice the
/// slope of the one below: it is the greatest of those lines. The line of the lowest normal binade, continued, is the
/// code with its exponent unbounded.
template <const Format& to, bool saturate> MXCERT_INLINE constexpr std::uint16_t round_within(std::int16_t magnitude) {
    constexpr int fraction = formats::bf16.fraction_bits;
    constexpr int one = 1 << fraction;
    constexpr int binades = to.fraction_bits + 1;
    constexpr int lowest = half_lowest<to>;
    static_assert((half_highest<to, saturate> - lowest + one - binades * one) << binades <= 0x7FFF - one);
    // In units of which half the smallest subnormal has 2^fraction.
    const auto value =
        static_cast<std::uint16_t>(lines<0, binades>(static_cast<std::int16_t>(magnitude - lowest + one)));
    const int odd = value >> (fraction + 1) & 1;
    return static_cast<std::uint16_t>(static_cast<std::uint16_t>(value + one - 1 + odd) >> (fraction + 1));
}

/// The same for any magnitude.
template <const Format& to, bool saturate> MXCERT_INLINE constexpr std::uint16_t round_half(std::uint16_t magnitude) {
    return round_within<to, saturate>(std::clamp(static_cast<std::int16_t>(magnitude),
                                                 static_cast<std::int16_t>(half_lowest<to>),
                                                 static_cast<std::int16_t>(half_highest<to, saturate>)));
}

/// Converts one code in the layout of BF16. `saturate` as in convert_value().
template <const Format& to, bool saturate>
MXCERT_INLINE constexpr std::uint16_t convert_half(const Outcomes<std::uint16_t>& outcomes, std::uint16_t code) {
    Plan p = plan(formats::bf16, to);
    p.can_overflow = !saturate; // round_half has seen to it
    const auto magnitude = static_cast<std::uint16_t>(code & formats::bf16.magnitude_mask());
    return finish<std::uint16_t>(formats::bf16, to, p, saturate, true, outcomes, code,
                                 round_half<to, saturate>(magnitude));
}

} // namespace mxcert::fast
