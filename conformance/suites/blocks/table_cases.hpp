// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "conformance/suites/blocks/quantize_cases.hpp"

// Matrices that ask for what is a function of one input: the scale of a block, of the amax, its elements, of the scale
// and the value, and the way back, of the scale and the element. Each line is one block.
namespace mxcert::suites {

/// Blocks of one such matrix at most.
inline constexpr std::uint64_t blocks_at_once = 4096;

/// Asks for the scale of each amax: in every lane in turn and of either sign, alone among values that are smaller or as
/// large. `amaxes` are no NaN. `numbers`: of each among all that are asked, which decides its lane and what else is in
/// its block.
[[nodiscard]] QuantizeCase scale_case(const Quantize& quantize, unsigned block, std::span<const Code> amaxes,
                                      std::span<const std::uint64_t> numbers);

/// Amaxes in the order in which they are asked.
struct AmaxOrder {
    /// All ascend, the first has the number `first`. The scales of neighbours differ, as far as can be.
    AmaxOrder(const Quantize& quantize, std::span<const Code> all, std::uint64_t first = 0);

    std::vector<Code> amaxes;
    std::vector<std::uint64_t> numbers; ///< of scale_case()
};

/// No amax gives a scale.
inline constexpr Code no_amax = ~Code{0};

/// Codes of by_scale() in the order in which they are asked, in lines of a block each.
struct ElementOrder {
    /// All ascend. The codes of a line have one scale; those of neighbouring lanes are far apart and mostly of both
    /// signs, and neighbouring lines have different scales, as far as can be.
    ElementOrder(const Format& by_scale, std::span<const Code> all, unsigned block);

    struct Line {
        std::uint32_t first = 0; ///< in `codes`
        std::uint32_t count = 0; ///< up to block - 1
    };
    std::vector<Code> codes;
    std::vector<std::uint32_t> places; ///< of each of `codes` in `all`
    std::vector<Line> lines;
};

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

/// Asks for the elements of the codes of up to blocks_at_once lines, from the `first` one on: each value in a block
/// whose amax, of one lane in turn and of either sign, gives its scale. Where a line has fewer than fit they end with
/// its last one again. `amax_of_scale` has the amax for each scale code, and `block` is 2 or more.
[[nodiscard]] ElementCase element_case(const Quantize& quantize, unsigned block, const ElementOrder& order,
                                       std::size_t first, std::span<const Code> amax_of_scale);

/// Where value_case() has each element under each scale.
struct ValuePlaces {
    ValuePlaces(const Dequantize& dequantize, unsigned the_block);

    std::uint64_t elements;
    std::uint64_t scales;
    std::uint64_t block;
    std::uint64_t blocks;             ///< of each scale
    std::vector<std::uint32_t> turns; ///< which of the scales each is, in order

    /// Lanes turn from scale to scale, so that each element is seen in many of them. Neighbouring lines have scales
    /// that are far apart, and the same elements.
    [[nodiscard]] std::uint64_t lane(Code scale, Code element) const { return (element + scale) % block; }
    [[nodiscard]] std::uint64_t line(Code scale, Code element) const { return element / block * scales + turns[scale]; }
};

/// Asks a dequantizer for every element under every scale. What is left of a block has the last element.
[[nodiscard]] DequantizeCase value_case(const Dequantize& dequantize, unsigned block);

} // namespace mxcert::suites
