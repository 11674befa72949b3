// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <bit>
#include <cstdint>

namespace mxcert::measure {

/// A sum of doubles without rounding: a fixed-point number wide enough for every finite one. It does not depend on the
/// order of the terms, nor on how they are cut into pieces.
class ExactSum {
  public:
    /// Adds a finite number.
    void add(double term) {
        const auto bits = std::bit_cast<std::uint64_t>(term);
        const auto field = static_cast<unsigned>(bits >> fraction_bits & exponent_mask);
        // The term is significand x 2^(position - origin).
        const std::uint64_t fraction = bits & ((std::uint64_t{1} << fraction_bits) - 1);
        const std::uint64_t significand = field == 0 ? fraction : fraction | std::uint64_t{1} << fraction_bits;
        const unsigned position = (field == 0 ? 0 : field - 1) + spare;
        const unsigned shift = position % limb_bits;
        const auto low = static_cast<std::int64_t>(significand << shift & limb_mask);
        const auto high = static_cast<std::int64_t>(significand >> (limb_bits - shift));
        const bool negative = bits >> 63 != 0;
        limbs_[position / limb_bits] += negative ? -low : low;
        limbs_[position / limb_bits + 1] += negative ? -high : high;
        // A limb grows by less than 2^53 each time.
        if (++added_ == most_between_carries) carry();
    }

    /// Adds another sum.
    void add(const ExactSum& other_sum);

    /// The double nearest to the sum, ties to even. Inf beyond the largest.
    [[nodiscard]] double value() const;

  private:
    static constexpr unsigned fraction_bits = 52;
    static constexpr unsigned exponent_mask = 0x7FF;
    static constexpr unsigned limb_bits = 32;
    static constexpr std::int64_t limb_mask = 0xFFFFFFFF;
    static constexpr unsigned spare = 2 * limb_bits; ///< bits below those of any double, so that value() may look there
    static constexpr int origin = 1074 + static_cast<int>(spare);
    static constexpr unsigned most_between_carries = 512;
    static constexpr std::size_t limb_count = 72; ///< 2^128 of the largest fit

    void carry();

    /// Weight of limb i: 2^(32 i - origin). After carry() all but the last are from 0 to 2^32 - 1.
    std::array<std::int64_t, limb_count> limbs_{};
    unsigned added_ = 0; ///< since the last carry()
};

} // namespace mxcert::measure
