// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "conformance/inputs/point.hpp"
#include "vectors/tables/step_table.hpp"

namespace mxcert::inputs {

/// Inputs of a ring at most: with the longest of the short calls as many values as have room in a slot.
inline constexpr std::size_t longest_ring = 251;
/// Where vector code, unrolled loops and their tails change: around each power of two up to 256.
inline constexpr std::array<std::uint64_t, 23> call_lengths{1,  2,  3,  4,  5,  7,   8,   9,   15,  16,  17, 31,
                                                            32, 33, 63, 64, 65, 127, 128, 129, 255, 256, 257};

/// Inputs whose answers are known, for asking them again in other places of a call.
struct Ring {
    std::vector<Code> inputs;             ///< of one scale, where the source has one
    std::vector<Code> answers;            ///< that they had
    std::array<std::uint8_t, 2> poison{}; ///< no permitted answer of them has these; where every two bytes are
                                          ///< permitted, none of the answers
    std::vector<std::uint32_t> randoms{}; ///< the random word of each input, where the conversion takes any
    std::string alike; ///< what all of them are, in words; "": neighbours have different answers, the first and the
                       ///< last too, as far as can be
};

/// Answers that were given: nothing for an input whose answer is not known.
using KnownAnswer = std::function<std::optional<Code>(Code)>;

/// The inputs on both sides of every boundary of what is expected, ascending; of sources of 8 bits, every input; of
/// sources with a given scale, those of two scales; at most 4,096, drawn by the seed.
[[nodiscard]] std::vector<Code> beside_boundaries(const PermitTable& expected, std::uint64_t seed);
/// The same and the ends of every kind of value that the source has, ascending.
[[nodiscard]] std::vector<Code> ring_inputs(const PermitTable& expected, std::uint64_t seed);

/// Every input that is asked in places, ascending: those, and the ends that large_rings() have.
[[nodiscard]] std::vector<Code> place_inputs(const PermitTable& expected, std::uint64_t seed);

/// Rings of the inputs of beside_boundaries(), without those whose answer is not known. A ring has up to 251 inputs,
/// some of them twice: so many that repeating it brings each input to every place of a call.
[[nodiscard]] std::vector<Ring> make_rings(const PermitTable& expected, std::uint64_t seed, const KnownAnswer& answer);

/// Rings of inputs that are alike, of ring_inputs(): of one kind and with answers of one kind, positive, negative and
/// both; one of them alone; all below the normal numbers, and all that overflow; and all the same but for one. A vector
/// that has nothing else takes a path of its own in some code, which no call with different neighbours shows. A ring
/// has up to 61 inputs.
[[nodiscard]] std::vector<Ring> alike_rings(const PermitTable& expected, std::uint64_t seed, const KnownAnswer& answer);

/// Points that lie on both sides of boundaries: of each random word, inputs that follow each other and have different
/// answers. `points`: with their answers, ascending by input, then by random word.
struct RandomSides {
    std::vector<Point> below; ///< of smaller magnitude: a larger word may change the answer
    std::vector<Point> above; ///< a smaller word may
};
[[nodiscard]] RandomSides random_sides(const std::vector<Point>& points);

/// Two rings of random_sides(), below and above a boundary in turn, drawn by the seed. In the first those below have
/// the smaller words and those above the larger ones: where neighbours exchange their words, both answers change. In
/// the second either have any word, so that a word from any other place changes many answers. No rings where there are
/// no boundaries.
[[nodiscard]] std::vector<Ring> random_rings(const PermitTable& expected, std::uint64_t seed,
                                             const std::vector<Point>& points);

/// As alike_rings(), of points with random words: up to 61 of each kind and sign, spread over them.
[[nodiscard]] std::vector<Ring> alike_random_rings(const PermitTable& expected, const std::vector<Point>& points);

/// Rings for large calls, one a scale: of sources of 8 bits every input; of others inputs beside boundaries and the
/// ends of every kind of value. The scales are those of beside_boundaries(), and those at both ends of the range.
[[nodiscard]] std::vector<Ring> large_rings(const PermitTable& expected, std::uint64_t seed, const KnownAnswer& answer);
/// The same of points with random words, of one scale: what is in a ring of random_rings(), and values of each kind.
[[nodiscard]] Ring large_random_ring(const PermitTable& expected, const Ring& ring, const std::vector<Point>& points);

/// The inputs of a ring, up to 256 of them, in an order in which each comes right after each other one and after
/// itself: what a value leaves to the next one of a vector shows in it. Their number is odd.
[[nodiscard]] Ring pair_ring(const Ring& ring);

/// The inputs of a ring in rings of up to 61, which a worker can make itself.
[[nodiscard]] std::vector<Ring> short_rings(const Ring& ring);

} // namespace mxcert::inputs
