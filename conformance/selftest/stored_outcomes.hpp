// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "conformance/files/json_members.hpp"
#include "conformance/selftest/planted_list.hpp"

namespace mxcert::selftest {

/// What is planted where, a line for each bug.
[[nodiscard]] std::vector<std::string> names_of(const PlantedList& list);

/// The reverse of outcomes_json(), of these bugs. Throws std::runtime_error that begins with `where`, and names the
/// place in the array: it is of other bugs, or has what no selftest writes.
[[nodiscard]] Outcomes outcomes_of(const files::Json& json, const PlantedList& list, const std::string& where);

} // namespace mxcert::selftest
