// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "conformance/report/results.hpp"

// What several of the forms need.
namespace mxcert::ci {

/// Whether a row keeps the run from passing.
[[nodiscard]] bool is_bad(const report::ResultRow& row);

/// The bug class that explains most of a row, else its status: "TIES_AWAY", "CHANGED".
[[nodiscard]] std::string rule_of(const report::ResultRow& row);
/// A rule in a sentence: what an implementation with that bug does.
[[nodiscard]] std::string rule_text(const std::string& rule);

/// "fp16-e4m3-nearest_even-sat (ocp-sat): FAIL: 126 of 65,536 inputs have wrong answers. TIES_AWAY", printable.
[[nodiscard]] std::string sentence(const report::ResultRow& row);

/// The file that a finding belongs to, as a path within the working directory where it is one: of the source that was
/// named, else of the backend.
[[nodiscard]] std::string file_of(const report::Results& results);

/// The same for the same row, rule and profile in every run.
[[nodiscard]] std::string fingerprint(const report::ResultRow& row);

} // namespace mxcert::ci
