// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "conformance/diagnose/find_behaviour.hpp"
#include "conformance/suites/blocks/join_faults.hpp"
#include "vectors/tables/step_table.hpp"

// Blocks, right or wrongly joined, as functions of one input: the answers are the same, what they are taken for is not.
namespace mxcert::suites {

/// What came of each input.
struct Reading {
    std::string_view way;    ///< the name of the fault of joinings by which it was read; "" of none
    std::vector<Step> steps; ///< ascending, disjoint; of inputs that gave several answers the first one
    std::vector<std::pair<Code, Code>> contradictions; ///< such inputs, each once, with another one of their answers
};

/// From inputs and answers in any order.
[[nodiscard]] Reading reading_of(std::vector<std::pair<Code, Code>> answers);

/// The Behaviour of what was read. An input that gave two answers is not explained.
[[nodiscard]] diagnose::FoundBehaviour behaviour_of(const Conversion& conversion, const Reading& reading);

/// The scales, of the amaxes. The blocks have no NaN.
[[nodiscard]] Reading read_scales(const Quantize& quantize, std::span<const JoinSeen<QuantizeCase>> seen,
                                  const JoinFault& way);
/// The elements, of the scales that came with them and the values: codes of by_scale(). Lines of more than one block
/// are left out, and blocks under a scale that is NaN, whose elements say nothing (MX v1.0 5.1).
[[nodiscard]] Reading read_elements(const Quantize& quantize, std::span<const JoinSeen<QuantizeCase>> seen,
                                    const JoinFault& way);
/// The values, of the scales and the elements. Each line is one block.
[[nodiscard]] Reading read_values(const Dequantize& dequantize, const JoinSeen<DequantizeCase>& seen,
                                  const JoinFault& way);

} // namespace mxcert::suites
