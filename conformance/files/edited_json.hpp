// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

#include "conformance/files/json_members.hpp"

// JSON files that people write, or edit after the program wrote them.
namespace mxcert::files {

/// As read_json(), but an error says the line and the column: of what is no JSON, of a number that is too large, and of
/// a member that an object has twice.
[[nodiscard]] Json read_edited_json(const std::filesystem::path& path);

/// Throws std::runtime_error for a member that is none of these, with the ones that are meant perhaps.
void allow_members(const Json& object, const std::string& where, const std::vector<std::string_view>& names);

} // namespace mxcert::files
