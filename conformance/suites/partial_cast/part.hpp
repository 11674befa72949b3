// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string_view>

#include "conformance/suites/case_part.hpp"
#include "conformance/suites/suite_run.hpp"

namespace mxcert::suites {

/// The parts of "partial_cast": "elements", values under many scales, and "shards", what is written and what is not.
[[nodiscard]] std::unique_ptr<CasePart> partial_cast_part(const SuiteRun& run, std::string_view part);

} // namespace mxcert::suites
