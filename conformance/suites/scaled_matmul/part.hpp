// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string_view>

#include "conformance/suites/case_part.hpp"
#include "conformance/suites/suite_run.hpp"

namespace mxcert::suites {

/// A part of the operation "scaled_matmul": "places", "special" or "values".
[[nodiscard]] std::unique_ptr<CasePart> scaled_matmul_part(const SuiteRun& run, std::string_view part);

} // namespace mxcert::suites
