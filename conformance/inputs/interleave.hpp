// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "conformance/frames/frames.hpp"
#include "conformance/inputs/code_range.hpp"
#include "vectors/tables/step_table.hpp"

namespace mxcert::inputs {

/// The order in which every input of a range is asked, so that neighbours in a call have different answers: in
/// ascending order they would mostly have the same one, and a value that got its neighbour's answer would look right.
///
/// The range is cut into chunks of consecutive codes. A group puts up to `lanes` chunks side by side as the streams of
/// frames::Interleaved; which chunks, the expected answers decide, so that zero, saturated values, NaN and both signs
/// take turns. A position is a place in that order: group by group, and in a group row by row, one value of each stream
/// a row. Of a source with a given scale a group has one scale.
class Interleaving {
  public:
    static constexpr unsigned most_lanes = 61; ///< odd: a stream meets every residue modulo 128

    /// The codes from low to high of a source. `expected`: what is expected of them. `lanes`: streams of a group, odd.
    /// Precondition: whole scales, or codes of one scale.
    Interleaving(const PermitTable& expected, Code low, Code high, unsigned lanes = most_lanes);

    [[nodiscard]] std::uint64_t size() const { return size_; } ///< positions
    [[nodiscard]] std::uint64_t rows() const { return rows_; } ///< of a group: codes of a chunk
    [[nodiscard]] Code input_at(std::uint64_t position) const;

    /// Positions of one group: the streams, and where among them the first position is.
    struct Part {
        frames::Interleaved streams;
        std::uint64_t first = 0; ///< position among the streams
    };
    /// The group that holds a position.
    [[nodiscard]] Part part_at(std::uint64_t position) const;
    /// The inputs at these positions, which are of one group: the ranges of each stream, ascending.
    [[nodiscard]] std::vector<CodeRange> inputs_of(std::uint64_t position, std::uint64_t count) const;
    /// The first position of the group behind the one that holds a position.
    [[nodiscard]] std::uint64_t end_of_group(std::uint64_t position) const;

  private:
    struct Group {
        std::uint64_t first = 0; ///< position
        std::size_t chunk = 0;   ///< of its first stream, in order_
        unsigned lanes = 0;
    };
    [[nodiscard]] Group group_of(std::uint64_t position) const;
    void arrange(const PermitTable& expected, Code low, std::size_t begin, std::size_t end);

    Code low_;
    std::uint64_t size_;
    std::uint64_t rows_ = 0;
    unsigned lanes_;
    std::size_t unit_ = 0;             ///< chunks that are arranged together: those of one scale
    std::vector<std::uint32_t> order_; ///< the chunks, by position
};

/// The inputs of `count` positions of some streams, from part.first on: the ranges of each stream, ascending.
/// Precondition: no stream starts again within the count.
[[nodiscard]] std::vector<CodeRange> inputs_of(const Interleaving::Part& part, std::uint64_t count);

/// What the answers to a part of the streams say.
struct StreamAnswers {
    std::vector<Step> steps;      ///< by input, ascending
    std::uint64_t neighbours = 0; ///< values that have one before them in the request
    std::uint64_t differing = 0;  ///< of them, those whose answer is another than that of the one before
};

/// Takes the answers of `count` positions, from part.first on, apart into steps. `outputs`: values of `width` bytes (1,
/// 2, 4 or 8) each in the machine's byte order. Every input gets a code that stood in memory at some moment, also if
/// the memory is changed meanwhile. Precondition: no stream starts again within the count.
[[nodiscard]] StreamAnswers take_apart(std::span<const std::byte> outputs, unsigned width,
                                       const Interleaving::Part& part, std::uint64_t count);

/// An order of items of these classes in which neighbours have different ones, as far as that can be, and every class
/// is spread evenly: indices into `classes`.
[[nodiscard]] std::vector<std::uint32_t> spread(const std::vector<std::uint32_t>& classes);

/// How far to walk through the indices below n at a time, beginning again at the start behind the end, so that each is
/// met once and those that follow each other, or are two places apart, are far apart: some 0.38 n, without a common
/// divisor.
[[nodiscard]] std::uint64_t walk_of(std::uint64_t n);
/// The i-th index of that walk, i and n below 2^32.
[[nodiscard]] inline std::uint64_t far_apart(std::uint64_t i, std::uint64_t n) { return i * walk_of(n) % n; }

/// An order of ascending codes in which neighbours have other binades, far apart: indices into `codes`.
[[nodiscard]] std::vector<std::uint32_t> spread_binades(std::span<const Code> codes, const Format& format);

} // namespace mxcert::inputs
