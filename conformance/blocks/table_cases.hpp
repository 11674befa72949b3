// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "conformance/blocks/cases.hpp"

// Matrices that ask for what is a function of one input: the scale of a block, of the amax, its elements, of the scale
// and the value, and the way back, of the scale and the element. Each line is one block.
namespace mxcert {

/// Blocks of one such matrix at most.
inline constexpr std::uint64_t blocks_at_once = 4096;

/// Asks for the scale of each amax: in every lane in turn and of either sign, alone among values that are smaller or as
/// large. `amaxes` are no NaN. `number`: of the first one among all that are asked, which decides what stands beside
/// it.
[[nodiscard]] QuantizeCase scale_case(const Quantize& quantize, unsigned block, std::span<const Code> amaxes,
                                      std::uint64_t number);

/// No amax gives a scale.
inline constexpr Code no_amax = ~Code{0};

/// Blocks that ask for elements.
struct ElementCase {
    QuantizeCase blocks;
    std::vector<std::uint64_t> counts;     ///< codes that each line asks for
    std::vector<std::uint64_t> amax_lanes; ///< where the amax of each line stands

    /// Where the value of the `k`-th code of a line stands: the amax is between them.
    [[nodiscard]] std::uint64_t lane_of(std::uint64_t line, std::uint64_t k) const {
        return k + (k >= amax_lanes[line] ? 1 : 0);
    }
};

/// Asks for the elements of the first of these codes of by_scale(), as many as a matrix takes: each value in a block
/// whose amax, of one lane in turn and of either sign, gives its scale. Each line has values of one scale; where it has
/// fewer than fit they end with its last one again. `codes` ascend; `amax_of_scale` has the amax for each scale code,
/// and `block` is 2 or more. `number` as above, of the first code.
[[nodiscard]] ElementCase element_case(const Quantize& quantize, unsigned block, std::span<const Code> codes,
                                       std::span<const Code> amax_of_scale, std::uint64_t number);

/// Where value_case() has each element under each scale.
struct ValuePlaces {
    ValuePlaces(const Dequantize& dequantize, unsigned block);

    std::uint64_t elements;
    std::uint64_t scales;
    std::uint64_t block;
    std::uint64_t blocks; ///< of each scale

    /// Lanes turn from scale to scale, so that each element is seen in many of them.
    [[nodiscard]] std::uint64_t lane(Code scale, Code element) const { return (element + scale) % block; }
    [[nodiscard]] std::uint64_t line(Code scale, Code element) const { return scale * blocks + element / block; }
};

/// Asks a dequantizer for every element under every scale. What is left of a block has the last element.
[[nodiscard]] DequantizeCase value_case(const Dequantize& dequantize, unsigned block);

} // namespace mxcert
