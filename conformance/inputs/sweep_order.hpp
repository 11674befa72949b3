// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "conformance/inputs/code_range.hpp"
#include "conformance/inputs/interleave.hpp"
#include "conformance/inputs/poison.hpp"
#include "vectors/tables/step_table.hpp"

namespace mxcert::inputs {

/// The order in which a sweep asks the inputs of some ranges, so that neighbours, inside a block and from block to
/// block, have different answers: ascending stretches of the ranges side by side, as in Interleaving, but of any
/// ranges. Up to 61 stretches that are equally long make a group; those of two ranges, the signs, take turns, and of
/// one range those that follow each other are far apart. The number of stretches has no common divisor with the inputs
/// of a block, so that each of them meets every lane. What is left of the ranges is arranged in the same way, in
/// further groups.
///
/// A position is a place in that order: group by group, and in a group row by row, one input of each stretch a row.
class SweepOrder {
  public:
    /// `sets`: the ranges that may be asked side by side: those of one scale. `in_block`: inputs of a block.
    SweepOrder(std::span<const std::vector<CodeRange>> sets, std::uint64_t in_block);

    [[nodiscard]] std::uint64_t size() const { return size_; } ///< positions
    [[nodiscard]] std::uint64_t in_block() const { return in_block_; }
    [[nodiscard]] Interleaving::Part part_at(std::uint64_t position) const;
    [[nodiscard]] Code input_at(std::uint64_t position) const;
    /// The first position of the group behind the one that holds a position.
    [[nodiscard]] std::uint64_t end_of_group(std::uint64_t position) const;
    /// The inputs at these positions, of any groups: ascending ranges that do not touch.
    [[nodiscard]] std::vector<CodeRange> inputs_of(std::uint64_t position, std::uint64_t count) const;

    /// Positions.
    struct Stretch {
        std::uint64_t first = 0;
        std::uint64_t count = 0;
    };
    /// Cuts all positions into parts of whole rows: of up to `most` positions, or one row.
    [[nodiscard]] std::vector<Stretch> parts(std::uint64_t most) const;

  private:
    struct Group {
        std::uint64_t first = 0; ///< position
        std::uint64_t rows = 0;
        std::vector<std::uint64_t> starts; ///< the first input of each stretch, in order
        [[nodiscard]] std::uint64_t end() const { return first + rows * starts.size(); }
    };
    void arrange(std::vector<CodeRange> ranges);
    [[nodiscard]] const Group& group_of(std::uint64_t position) const;

    std::uint64_t in_block_;
    std::uint64_t size_ = 0;
    std::vector<Group> groups_;
};

/// Cuts these positions into requests of whole rows, of up to `at_once` inputs and if possible of an even number of
/// whole blocks, each of one group and with poison. 1 in 16 is repeated, by the seed. Without a table of what is
/// permitted the poison is arbitrary. `companions`: the other inputs in the
/// request of a position (Exchange::companions()); not called without a table.
[[nodiscard]] std::vector<Block> plan_sweep(const SweepOrder& order, SweepOrder::Stretch part, std::uint64_t at_once,
                                            const PermitTable* permitted, std::uint64_t seed,
                                            const std::function<std::vector<CodeRange>(std::uint64_t)>& companions);

} // namespace mxcert::inputs
