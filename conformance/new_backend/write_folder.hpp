// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mxcert::new_backend {

/// A text with each place, "@NAME@", replaced; in their order, so that replacements may have places that come later.
[[nodiscard]] std::string replaced(std::string_view text,
                                   const std::vector<std::pair<std::string_view, std::string>>& places);

/// Makes a folder with these files, names and texts. Throws std::runtime_error if it exists or cannot be written:
/// nothing is ever overwritten.
void write_folder(const std::filesystem::path& folder, const std::vector<std::pair<std::string, std::string>>& texts);

} // namespace mxcert::new_backend
