// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "reference/format.hpp"

// Inputs that show a rounding that overlooks one bit, or that two bits cancel: the codes at a distance of one bit, or
// of two, from boundaries.
namespace mxcert {

/// The single-bit neighbours of a table of steps. An *anchor* is a boundary (with rounding to nearest the tie,
/// whichever step it belongs to) or the roundest code inside a step (with rounding to nearest the value that is exact).
/// Its neighbours, for every bit k of the fraction, are
///   anchor + 2^k      exactly one bit set below the anchor's,
///   anchor - 2^k      just below it, all bits from k on set,
///   anchor - 1 - 2^k  just below it, exactly one bit clear,
/// as far as they are in a step beside the anchor, of the same sign and given scale.
///
/// Its pairs are anchor + 2^i + 2^j, of a boundary that belongs to the step below it. They show a sticky bit that is
/// made of parts that cancel each other: bits of two groups, or those shifted out and those left. Which bits are
/// shifted out depends on how many bits are cut off, so there is each pair of bits once for every number of bits cut
/// off, whatever the sign, the binade and the scale: fewer than 2,048 in all for FP32.
class SingleBits {
  public:
    /// `firsts`: the first inputs of the steps, ascending. Steps that are not listed are not looked at, and a step ends
    /// where its sign or its given scale does.
    SingleBits(const Format& from, const std::vector<Code>& firsts);

    /// Every single-bit neighbour, ascending, no duplicates.
    [[nodiscard]] std::vector<Code> all() const;
    /// The pairs, in a seeded order, no duplicates. The seed also chooses the boundary of each.
    [[nodiscard]] std::vector<Code> pairs(std::uint64_t seed) const;
    /// An upper bound of how many single-bit neighbours and pairs there are.
    [[nodiscard]] std::size_t size() const { return size_; }

    /// Some, in the order in which they are worth asking, no duplicates. First the sticky bits: for every binade under
    /// every given scale and every bit, anchor + 2^k of a tie that belongs to the step below it, or of another one
    /// where there is none; the first of them have each bit once. Then pairs, in at most half of what is left, in a
    /// seeded order. Then seeded ones of all others, one for every binade, bit, sign of the difference and kind of
    /// anchor, until there are `most`. Which anchor of a binade has which bit is chosen by the seed. The sticky bits
    /// are never cut short: with a `most` of 0 there are these alone.
    [[nodiscard]] std::vector<Code> some(std::size_t most, std::uint64_t seed) const;

  private:
    enum class Kind : std::uint8_t { below, above, inside }; ///< the step a boundary belongs to, or an exact value
    struct Anchor {
        Code code;
        Code low;  ///< the first code beside it
        Code high; ///< the last code beside it
    };
    /// Anchors of one given scale, binade and kind, of both signs.
    struct Group {
        Code place; ///< scale and binade: the first code of it, without its sign
        Kind kind;
        std::vector<Anchor> anchors;
    };
    static constexpr unsigned patterns = 3;

    void add(Code code, Kind kind, Code low, Code high);
    [[nodiscard]] Code place_of(Code code) const;
    /// False if there is no such neighbour.
    [[nodiscard]] static bool find(const Anchor& anchor, unsigned pattern, unsigned bit, Code& found);
    /// Of one of the anchors of the group, by `turn`.
    [[nodiscard]] static bool find(const Group& group, unsigned pattern, unsigned bit, std::uint64_t turn, Code& found);

    const Format& from_;
    unsigned bits_; ///< of the fraction
    std::vector<Group> groups_;
    std::map<std::pair<Code, Kind>, std::size_t> at_; ///< where each group is
    std::array<std::size_t, 3> last_{};               ///< of each kind the group of the anchor that was added last
    std::size_t size_ = 0;
};

/// All and the pairs where they are no more than `most`; else some, and, unless `most` is 0, all of the lowest, the
/// middle and the highest given scale. Ascending, no duplicates. `firsts` as above.
[[nodiscard]] std::vector<Code> single_bit_neighbours(const Format& from, const std::vector<Code>& firsts,
                                                      std::size_t most, std::uint64_t seed);

} // namespace mxcert
