// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "conformance/frames/repeated_run.hpp"
#include "conformance/level.hpp"
#include "conformance/suites/blocks/quantize_cases.hpp"

// Matrices so large that indices and grids end in them. They hold a ring of 61 blocks again and again, whose answers
// are known from a small matrix: an index that begins again at a power of two meets another block of the ring.
namespace mxcert::suites {

/// An odd prime: no power of two is a multiple of it.
inline constexpr std::uint64_t ring_blocks = 61;

/// The ring of a quantizer: a line for each block. Each has a scale of its own and its largest value in lane 0, so that
/// a tail of any length has that scale too.
[[nodiscard]] QuantizeCase ring_case(const Quantize& quantize, unsigned block);
/// That of a dequantizer.
[[nodiscard]] DequantizeCase ring_case(const Dequantize& dequantize, unsigned block);

/// The matrices that a level asks, with one element more than an index or a grid may have, or a few: many lines of one
/// block, one line of many blocks, one line with a tail, and sides that are multiples of 128. Empty below `quick`.
/// `block`: elements. `multiple`: of which the lines have to be; if it is not 1 there are many lines only.
[[nodiscard]] std::vector<BlockMatrix> large_matrices(Axis axis, std::uint64_t block, Level level,
                                                      std::uint64_t multiple = 1);

/// A run of a large matrix, and the outputs that it must have. `ring`: a line for each block, those of ring_case()
/// first; `run_case` the run of it and `answers` its outputs. `of_blocks`: for each array, the inputs and then the
/// outputs, whether it has one value a block. Precondition: the matrix has one line, lines of one block, or
/// lines along its rows.
[[nodiscard]] frames::RepeatedRun large_run(const BlockMatrix& ring, const frames::RunCase& run_case,
                                            const std::vector<frames::Values>& answers, const BlockMatrix& matrix,
                                            const std::vector<bool>& of_blocks);

} // namespace mxcert::suites
