// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "conformance/selftest/selftest_outcomes.hpp"

namespace mxcert::html {

/// The planted bugs of `selftest` as a page: the fault matrix, and every bug. `not_run`: why some were not run, or "".
[[nodiscard]] std::string selftest_page(const selftest::Outcomes& outcomes, const std::string& not_run);

} // namespace mxcert::html
