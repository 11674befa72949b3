// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <vector>

#include "conformance/suites/maker.hpp"

namespace mxcert::suites {

/// Blocks of every kind, for matrices of any shape: every second one is ordinary, the others have in turn one special
/// value, nothing but that, nothing but zeros, or zeros but for a few values. Some code has paths of its own for them,
/// and others for a tail, a tile or a large matrix.
class BlockKinds {
  public:
    /// A value of the block of that number that is nothing special.
    using Ordinary = std::function<Code(std::uint64_t number, std::uint64_t lane)>;

    BlockKinds(std::vector<Special> specials, Code minus_zero, Ordinary ordinary)
        : specials_(std::move(specials)), minus_zero_(minus_zero), ordinary_(std::move(ordinary)) {}

    /// So many blocks have every kind.
    [[nodiscard]] std::uint64_t period() const;
    /// The value in a lane of the block of that number, which has so many.
    [[nodiscard]] Code value(std::uint64_t number, std::uint64_t lane, std::uint64_t lanes) const;
    /// The number by which the blocks of a line, and those of the same place in the lines, have every kind.
    [[nodiscard]] static std::uint64_t number_at(std::uint64_t line, std::uint64_t block) { return line + 5 * block; }

    /// The same in a grid of so many lines of so many blocks. Where these are too few for that, one after the other
    /// from `first` on: the grids that follow it are to begin where it ends.
    [[nodiscard]] std::uint64_t number_in(std::uint64_t lines, std::uint64_t blocks, std::uint64_t place,
                                          std::uint64_t first) const {
        const bool has_all = std::max(lines, blocks) >= period();
        return has_all ? number_at(place / blocks, place % blocks) : first + place;
    }

  private:
    std::vector<Special> specials_;
    Code minus_zero_; ///< 0 where the format has none
    Ordinary ordinary_;
};

/// Of a format with Inf and NaN: numbers between 2^-6 and 2^6, of other binades than those around them.
[[nodiscard]] BlockKinds block_kinds(const Format& format);
/// The same without Inf, NaN and the largest value, which reach all of a tensor where its largest value counts.
[[nodiscard]] BlockKinds small_block_kinds(const Format& format);
/// Of elements: any finite one is ordinary.
[[nodiscard]] BlockKinds element_block_kinds(const Format& element);

/// Scales of such blocks: `ordinary` in most, and in one of four an extreme one or NaN.
[[nodiscard]] Code scale_of_kind(const Format& scale, std::uint64_t number, Code ordinary);

} // namespace mxcert::suites
