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
    std::vector<Code> upper;    ///< of elements rounded at random the other one that may be, in rows; else empty

    /// Whether an answer is what is expected in a place.
    [[nodiscard]] bool permits(std::uint64_t place, Code answer) const {
        return recipe::is_nvfp4_element(elements[place], answer) ||
               (!upper.empty() && recipe::is_nvfp4_element(upper[place], answer));
    }
};

/// The one that both models give. Throws std::logic_error where they disagree.
[[nodiscard]] Nvfp4Answer answer_of(Nvfp4Expected& expected, const TileCase& tile_case);

/// The answer of a quantizer that rounds elements at random: `lower` has them rounded toward zero, `upper` away from
/// it.
[[nodiscard]] Nvfp4Answer random_answer_of(Nvfp4Expected& lower, Nvfp4Expected& upper, const TileCase& tile_case);

/// A recipe with another rounding of elements.
[[nodiscard]] recipe::Nvfp4Preset with_rounding(const recipe::Nvfp4Preset& preset, Rounding rounding);

/// Judges a tensor: the scale that is given out for it, and of each block the scale and every element. The first thing
/// that is not as expected of the tensor and of each block, in words.
[[nodiscard]] std::vector<std::string> judge(const QuantizeNvfp4& quantize, const Nvfp4Answer& expected,
                                             const TileCase& tile_case, const std::vector<frames::Values>& outputs);

} // namespace mxcert::suites
