// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "conformance/parity/both.hpp"
#include "conformance/parity/pipeline.hpp"
#include "conformance/suites/blocks/quantize_cases.hpp"

namespace mxcert::parity {

/// What two quantizers were asked, and their answers.
struct QuantizersAnswered {
    const std::vector<BothAnswered<suites::QuantizeCase>>& scales; ///< lines of one block
    const std::vector<BothAnswered<suites::QuantizeCase>>& elements;
    const std::vector<BothAnswered<suites::QuantizeCase>>& blocks;
};

/// The fewest choices of A whose change gives every answer of B. A is identified from its answers; then one choice of
/// the scale, of the element or of what joins them is changed after the other. If no single one explains B, B is
/// identified as well, and what differs is named only if it explains every answer.
/// `values`: what both were asked; `transposed`: another axis was made up for.
[[nodiscard]] Explanation explain_quantizers(const Pipeline& a, const Pipeline& b, const Format& values,
                                             bool transposed, const QuantizersAnswered& answered);

} // namespace mxcert::parity
