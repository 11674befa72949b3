// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "conformance/report/report.hpp"

namespace mxcert::html {

/// The backend of a run, with its version.
[[nodiscard]] std::string subject_text(const report::Report& report);

/// How a run was made: names and texts.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> run_facts(const report::Report& report);

} // namespace mxcert::html
