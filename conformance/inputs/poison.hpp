// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "conformance/inputs/code_range.hpp"
#include "conformance/inputs/interleave.hpp"
#include "reference/conversion.hpp"
#include "vectors/tables/step_table.hpp"

namespace mxcert::inputs {

/// A request before it is sent: `count` values from position `first`, and how its output area is poisoned.
struct Block {
    std::uint64_t first = 0; ///< an input of a range; a place in the list of points
    std::uint64_t count = 0;
    std::array<std::uint8_t, 2> poison{}; ///< bytes, different: for the first time and for asking again
    bool repeat = false;                  ///< asked again whatever comes out
    std::uint64_t cut = 0;                ///< which cut it gets when it is asked again; its parts get the same
};

/// Poison where nothing is known of the answers.
inline constexpr std::array<std::uint8_t, 2> any_poison{0xA5, 0x5A};

/// The code that an output has where nothing but this byte was ever written.
[[nodiscard]] Code poison_code(std::uint8_t byte, const Format& to);

/// Two bytes whose poison_code() no input from `first` to `last` is permitted to give; nullopt if there are not two.
[[nodiscard]] std::optional<std::array<std::uint8_t, 2>> choose_poison(const PermitTable& permitted, Code first,
                                                                       Code last);

/// The same for the inputs of several ranges.
[[nodiscard]] std::optional<std::array<std::uint8_t, 2>> choose_poison(const PermitTable& permitted,
                                                                       std::span<const CodeRange> ranges);

/// Two bytes whose poison_code() is none of these codes; nullopt if there are not two.
[[nodiscard]] std::optional<std::array<std::uint8_t, 2>> choose_poison(const Format& to, std::span<const Code> codes);

/// Cuts the positions of an interleaving into blocks of whole rows, of up to `most` values, within one group each.
/// Nullopt where a group has no poison: fewer lanes have fewer answers. Without a table of what is permitted the poison
/// is arbitrary. Which blocks are repeated: as plan_range().
[[nodiscard]] std::optional<std::vector<Block>> plan_interleaved(const Interleaving& order,
                                                                 const Conversion& conversion,
                                                                 const PermitTable* permitted, std::uint64_t seed,
                                                                 std::uint64_t most);

/// Cuts the inputs from low to high into blocks, in order: of 256 Ki values, or 4 Ki for sources of up to
/// 16 bits, and smaller where a block would have no poison. Without a table the poison is arbitrary. 1 in 16 blocks is
/// repeated, by the seed; all of them for sources of up to 16 bits.
[[nodiscard]] std::vector<Block> plan_range(const Conversion& conversion, const PermitTable* permitted,
                                            std::uint64_t seed, Code low, Code high);
/// The same for all inputs of a source of up to 32 bits.
[[nodiscard]] std::vector<Block> plan_range(const Conversion& conversion, const PermitTable* permitted,
                                            std::uint64_t seed);

/// The same for points, given by their inputs in ascending order: blocks of up to 64 Ki. All are repeated: they are
/// few.
[[nodiscard]] std::vector<Block> plan_points(std::span<const Code> inputs, const PermitTable* permitted,
                                             std::uint64_t seed);

} // namespace mxcert::inputs
