// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "reference/bug_class.hpp"

namespace mxcert::explain {

/// The planted faults of a class, with the operation of each: "matmul: the last product left out".
[[nodiscard]] std::vector<std::string> faults_of(const BugClass& bug);

/// For programs: "id", "says", "cause", "reports" and "faults".
[[nodiscard]] nlohmann::ordered_json to_json(const BugClass& bug);
/// All classes, a list.
[[nodiscard]] nlohmann::ordered_json bugs_to_json();

} // namespace mxcert::explain
