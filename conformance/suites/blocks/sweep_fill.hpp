// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "reference/block_shape.hpp"

// The blocks of a sweep in memory. There are billions of them, so what is written, looked at and taken out here runs at
// the speed of the cache.
namespace mxcert::suites {

/// Blocks of the inputs of interleaved streams, one in a line of a matrix. Values are of up to 32 bits.
struct BlockPattern {
    Axis axis = Axis::row;
    std::uint64_t lines = 0;
    std::uint32_t block = 0;              ///< elements
    unsigned width = 4;                   ///< bytes of a value: 2 or 4
    std::uint32_t amax = 0;               ///< pairs: of every block
    std::uint32_t sign = 0;               ///< the sign bit of a value
    const std::uint32_t* lanes = nullptr; ///< pairs: of the amax, in each block

    /// Input p, from 0, is starts[(offset + p) % streams] + row + (offset + p) / streams.
    const std::uint32_t* starts = nullptr; ///< room for frames::most_streams
    std::uint32_t streams = 1;
    std::uint32_t offset = 0; ///< below streams
    std::uint32_t row = 0;
    std::uint64_t count = 0; ///< inputs; the last block repeats the last one
};

/// Writes blocks for pairs of a scale and a value: the lane of the amax has it, in every second block with the sign;
/// the other lanes have the inputs in order, from block to block.
void write_pairs(std::byte* to, const BlockPattern& pattern);
/// Whether they are as they were written.
[[nodiscard]] bool has_pairs(const std::byte* from, const BlockPattern& pattern);

/// Writes a block for each input, its amax: in a lane and of a sign that follow from it, among smaller ones of either
/// sign that follow from it, too: a block is the same wherever it lies.
void write_amaxes(std::byte* to, const BlockPattern& pattern);
[[nodiscard]] bool has_amaxes(const std::byte* from, const BlockPattern& pattern);

/// What the lanes of the amax gave.
struct TopCodes {
    std::byte plus{};  ///< in every second block from the first on
    std::byte minus{}; ///< in the others, with the sign
    bool alike = true; ///< all blocks of a sign gave one code
};
/// Copies the elements, a byte each, of all lanes but that of the amax to `to`, in the order of their values. `to` has
/// room for slack() bytes more; so many may be read behind `from`. `untouched` is what a lane has that was not written:
/// such are no codes of an amax.
[[nodiscard]] TopCodes take_pairs(const std::byte* from, const BlockPattern& pattern, std::byte untouched,
                                  std::byte* to);
[[nodiscard]] constexpr std::size_t slack() { return 64; }

} // namespace mxcert::suites
