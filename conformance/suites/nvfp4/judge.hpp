// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "conformance/suites/nvfp4/cases.hpp"
#include "conformance/suites/nvfp4/expected.hpp"

namespace mxcert::suites {

/// The answer to a case.
struct Nvfp4Answer {
    Code tensor_scale = 0;      ///< 0 if none is given out
    std::vector<Code> scales;   ///< of the blocks, in rows of them
    std::vector<Code> elements; ///< in rows, as element_of() gives them
};

/// The one that both models give. Throws std::logic_error where they disagree.
[[nodiscard]] Nvfp4Answer answer_of(Nvfp4Expected& expected, const TileCase& tile_case);

/// Judges a tensor: the scale that is given out for it, and of each block the scale and every element. The first thing
/// that is not as expected of the tensor and of each block, in words.
[[nodiscard]] std::vector<std::string> judge(const QuantizeNvfp4& quantize, const Nvfp4Answer& expected,
                                             const TileCase& tile_case, const std::vector<frames::Values>& outputs);

} // namespace mxcert::suites
