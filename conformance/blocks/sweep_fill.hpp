// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "reference/block_shape.hpp"

// The blocks of a sweep in memory. There are billions of them, so what is written, looked at and taken out here runs at
// the speed of the cache.
namespace mxcert {

/// Blocks of consecutive inputs, one in a line of a matrix. Values are of up to 32 bits.
struct BlockPattern {
    Axis axis = Axis::row;
    std::uint64_t lines = 0;
    std::uint32_t block = 0; ///< elements
    unsigned width = 4;      ///< bytes of a value: 2 or 4
    std::uint32_t first = 0; ///< pairs: the first value of the first block; amaxes: that of the first block
    std::uint32_t last = 0;  ///< pairs: the last block repeats it
    std::uint32_t amax = 0;  ///< pairs: of every block
    std::uint32_t sign = 0;  ///< the sign bit of a value
    std::uint64_t words = 0; ///< amaxes: which random words make the smaller values
    const std::uint32_t* lanes = nullptr; ///< of the amax, in each block
};

/// Writes blocks for pairs of a scale and a value: the lane of the amax has it, in every second block with the sign;
/// the other lanes have first, first+1, ... from block to block.
void write_pairs(std::byte* to, const BlockPattern& pattern);
/// Whether they are as they were written.
[[nodiscard]] bool has_pairs(const std::byte* from, const BlockPattern& pattern);

/// Writes blocks of the amaxes first, first+1, ... : each in its lane, in every second block with the sign; the other
/// lanes have smaller ones of either sign.
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

} // namespace mxcert
