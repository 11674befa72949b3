// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include <nlohmann/json.hpp>

#include "conformance/status.hpp"
#include "conformance/suites/identified.hpp"

// What `mxcert identify` found, as text and JSON.
namespace mxcert::report {

/// The name of the conversion, or of the operation and its part.
[[nodiscard]] std::string name_of(const suites::Identified& found);
/// How much is explained, and by which name: one line without the name of what it is about.
[[nodiscard]] std::string verdict_of(const suites::Identified& found);
/// Several lines; the first one is the name.
[[nodiscard]] std::string text_of(const suites::Identified& found);
[[nodiscard]] nlohmann::ordered_json json_of(const suites::Identified& found);
/// Of the run that ended it; none where nothing was looked for.
[[nodiscard]] std::optional<Status> status_of(const suites::Identified& found);
/// Whether something was asked, all of it was answered, and something known gives all answers.
[[nodiscard]] bool is_explained(const suites::Identified& found);

} // namespace mxcert::report
