// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "conformance/explain/explain.hpp"
#include "reference/block.hpp"

namespace mxcert::explain {

/// The values of a block and how it is to be quantized.
struct BlockQuestion {
    std::vector<std::string> inputs; ///< as the user wrote them (parse_number)
    BlockFormat format;
    BlockChoices choices;
    std::string place = {};               ///< of a tensor: which block it is, for people
    std::optional<std::size_t> lane = {}; ///< explain this value in full, and the others not at all
};

/// How a block becomes a scale and elements.
struct BlockExplanation {
    BlockQuestion question;
    std::vector<std::size_t> amax_lanes; ///< those that have the amax; none if no value has it
    Explanation scale;                   ///< of the amax
    std::vector<Explanation> elements;   ///< of each value by the scale
};

/// Works it out with the exact model; the fast model must give the same block where it offers the choices. Throws
/// std::invalid_argument for no input, one that is no number of the format, or a format that has no blocks.
[[nodiscard]] BlockExplanation explain(const BlockQuestion& question);

/// For people: the amax, the scale and why, and a line for each value.
[[nodiscard]] std::string to_text(const BlockExplanation& explanation);

/// For programs: "scale" and "elements" are the explanations of the conversions.
[[nodiscard]] nlohmann::ordered_json to_json(const BlockExplanation& explanation);

} // namespace mxcert::explain
