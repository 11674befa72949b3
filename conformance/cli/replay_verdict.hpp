// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdio>

#include "conformance/report/replay.hpp"
#include "conformance/report/report.hpp"

namespace mxcert::cli {

/// Prints what is not as it was in the report that was repeated. The exit code: 0 if what was tested and what came out
/// is the same.
[[nodiscard]] int replay_verdict(const report::ReplayedReport& replayed, const report::Report& report,
                                 std::FILE* people);

} // namespace mxcert::cli
