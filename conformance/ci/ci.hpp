// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "conformance/report/results.hpp"

// The forms in which continuous integration takes the results of a run (docs/ci.md). Each is a function of the results
// and of nothing else, and can hold any text that a backend says of itself.
namespace mxcert::ci {

/// A summary in Markdown for GitHub's page of a job: the verdict, a table of the rows that did not pass, and the first
/// failures with evidence. LF at the end, and far below the 1 MiB that a step may write.
[[nodiscard]] std::string summary_markdown(const report::Results& results);

/// GitHub's workflow commands, `::error title=...::message`, a line for each of the first rows that did not pass:
/// GitHub shows ten of a step. They name the source file if the results have one. "" if every row passed.
[[nodiscard]] std::string github_annotations(const report::Results& results);

/// SARIF 2.1.0, LF at the end: a result for each row that failed, was an error or was acknowledged, and a rule for each
/// bug class or status. An acknowledged row is suppressed, with its reason. Results lie at the start of the source
/// file, or of the backend if none was named.
[[nodiscard]] std::string sarif_json(const report::Results& results);

/// GitLab's code quality report, a JSON array, LF at the end: an issue for each row that failed or was an error, at the
/// start of the source file, or of the backend. Acknowledged rows are not in it.
[[nodiscard]] std::string code_quality_json(const report::Results& results);

/// Version 2.0 of the output of OCP Test & Validation, a JSON object a line: the run, and for each row a step with
/// measurements and a diagnosis or an error. `time`: when it is written, ISO 8601.
[[nodiscard]] std::string ocptv_lines(const report::Results& results, const std::string& time);

} // namespace mxcert::ci
