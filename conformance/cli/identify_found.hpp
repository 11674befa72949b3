// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "conformance/identify/identify_conversion.hpp"
#include "conformance/suites/found_cases.hpp"
#include "conformance/suites/matmul/identify.hpp"

// What `mxcert identify` prints of what it found.
namespace mxcert::cli {

/// Several lines; the first one is the name.
[[nodiscard]] std::string text_of(const FoundBehaviour& found);
[[nodiscard]] std::string text_of(const FoundAccumulator& found);
[[nodiscard]] std::string text_of(const FoundCases& found);

[[nodiscard]] nlohmann::ordered_json json_of(const FoundBehaviour& found);
[[nodiscard]] nlohmann::ordered_json json_of(const FoundAccumulator& found);
[[nodiscard]] nlohmann::ordered_json json_of(const FoundCases& found);

/// Whether something was asked, all of it was answered, and something known gives all answers.
[[nodiscard]] bool is_explained(const FoundBehaviour& found);
[[nodiscard]] bool is_explained(const FoundAccumulator& found);
[[nodiscard]] bool is_explained(const FoundCases& found);

} // namespace mxcert::cli
