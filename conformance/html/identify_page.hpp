// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "conformance/level.hpp"
#include "conformance/observe/subject.hpp"
#include "conformance/suites/identified.hpp"

namespace mxcert::html {

/// What `identify` found of a backend, as a page.
[[nodiscard]] std::string identify_page(const observe::BackendInfo& info, const LevelOf& level,
                                        const std::vector<suites::Identified>& all);

} // namespace mxcert::html
