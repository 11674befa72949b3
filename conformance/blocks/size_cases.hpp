// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "conformance/blocks/cases.hpp"
#include "conformance/level.hpp"

// Matrices so large that indices and grids end in them. They hold a ring of 61 blocks again and again, whose answers
// are known from a small matrix: an index that begins again at a power of two meets another block of the ring.
namespace mxcert {

/// An odd prime: no power of two is a multiple of it.
inline constexpr std::uint64_t ring_blocks = 61;

/// The ring of a quantizer: a line for each block. Each has a scale of its own and its largest value in lane 0, so that
/// a tail of any length has that scale too.
[[nodiscard]] QuantizeCase ring_case(const Quantize& quantize, unsigned block);
/// That of a dequantizer.
[[nodiscard]] DequantizeCase ring_case(const Dequantize& dequantize, unsigned block);

/// The matrices that a level asks, with one element more than an index or a grid may have, or a few: many lines of one
/// block, one line of many blocks, and one line with a tail. Empty below `quick`. `block`: elements.
[[nodiscard]] std::vector<BlockMatrix> large_matrices(Axis axis, std::uint64_t block, Level level);

/// A run of a large matrix, and the outputs that it must have, by the answers to the ring.
struct LargeRun {
    /// `ring`: that of ring_case(), `asked` the run of it and `answers` its outputs. `of_blocks`: for each array of
    /// `run`, the inputs and then the outputs, whether it has one value a block.
    LargeRun(const BlockMatrix& ring, const RunCase& asked, const std::vector<Values>& answers, RunCase run,
             const BlockMatrix& matrix, const std::vector<bool>& of_blocks);

    RunCase run;
    BlockMatrix matrix;
    std::vector<Values> expected;
    std::vector<bool> of_blocks; ///< of the outputs
};

/// How many values of the outputs are not those expected, and where the first one is: "output 0 of line 65536, element
/// 3 of 32: 0x7E instead of 0x12". Nothing if they are.
struct LargeFault {
    std::uint64_t values = 0;
    std::string first;
};
[[nodiscard]] std::optional<LargeFault> compare(const LargeRun& large, const std::vector<Values>& outputs);

} // namespace mxcert
