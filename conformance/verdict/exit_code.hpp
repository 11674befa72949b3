// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "conformance/verdict/row.hpp"

namespace mxcert::verdict {

/// The exit code of a run in which all of what is offered of a profile passed, and that is a part of it.
inline constexpr int exit_partial = 5;

/// Exit code of the rows of `certify`: any FAIL, MISTRUSTED, UNTESTED or required UNSUPPORTED 1; else any ERROR or
/// INCOMPLETE 3; else no PASS 4; else 0.
[[nodiscard]] int exit_code(const std::vector<Row>& rows);

} // namespace mxcert::verdict
