// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include <nlohmann/json.hpp>

#include "conformance/parity/comparison.hpp"
#include "conformance/parity/tensor_cost.hpp"

namespace mxcert::parity {

/// "EQUAL", "DIFFERENT", or the status of what was not compared to the end.
[[nodiscard]] std::string word_of(const Parity& parity);

/// The table of a part, what differs, and what explains it, for people. `most`: ranges and blocks that are shown of
/// each part.
[[nodiscard]] std::string text_of(const Parity& parity, std::size_t most);
/// "DIFFERENT: A and B give other scales to 5 of 6 amaxes", and what explains it, a line each.
[[nodiscard]] std::string verdict_of(const Parity& parity);
/// "B = A with rule=rceil instead of ocp_floor (scales)", or that nothing explains it.
[[nodiscard]] std::string text_of(const Explanation& explanation);
/// The range as a line: inputs, values, and what both gave.
[[nodiscard]] std::string text_of(const DifferingRange& range, const Part& part, const Parity& parity);
[[nodiscard]] std::string text_of(const TensorCost& cost);

/// The most ranges of a part that JSON has; `ranges_left_out` counts the others.
inline constexpr std::size_t most_ranges_in_json = 4096;
[[nodiscard]] nlohmann::ordered_json json_of(const Parity& parity, const std::optional<TensorCost>& cost);

} // namespace mxcert::parity
