// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "conformance/observe/subject.hpp"
#include "conformance/suites/blocks/table_cases.hpp"
#include "reference/operation/operation.hpp"

// What is not a function of one ordered input is factored until it is: a block quantizer is a scale, of the amax, and
// elements, of the scale and the value. Both are observed through whole blocks.
namespace mxcert::suites {

/// Asks a quantizer for the scale of every given amax: each in a block of `block` elements, in every lane in turn and
/// of either sign, among smaller ones. `amaxes` ascend and are no NaN. `number`: of the first one among all that are
/// asked, which decides what stands beside it. Observation::conversion is Quantize::scale.
[[nodiscard]] observe::Observation observe_scales(observe::Subject& subject, const Operation& operation, unsigned block,
                                                  std::span<const Code> amaxes, std::uint64_t number = 0);

/// Asks a quantizer for the elements of these codes of by_scale(): each value in a block whose amax, of one lane in
/// turn, gives its scale; `amax_of_scale` has the amax for each scale code, no_amax where none gives it. An answer
/// counts only if the block came back with that scale. `codes` ascend; their values are finite and not above the amax
/// of their scale. Observation::conversion is Quantize::element.
[[nodiscard]] observe::Observation observe_elements(observe::Subject& subject, const Operation& operation,
                                                    unsigned block, std::span<const Code> codes,
                                                    std::span<const Code> amax_of_scale);

/// Asks a dequantizer for every element under every scale, each in blocks of one scale. Observation::conversion is
/// Dequantize::value.
[[nodiscard]] observe::Observation observe_values(observe::Subject& subject, const Operation& operation,
                                                  unsigned block);

} // namespace mxcert::suites
