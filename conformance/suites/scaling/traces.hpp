// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "conformance/suites/suite.hpp"

namespace mxcert::suites {

/// The part "trace" of "scaling": the amaxes of the golden trace (docs/recipes.md), and but for small suites a run of
/// 65,537 steps. A sample.
[[nodiscard]] std::unique_ptr<CasePart> scaling_traces(const SuiteRun& run);

} // namespace mxcert::suites
