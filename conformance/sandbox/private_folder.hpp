// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace mxcert::sandbox {

/// Makes a folder that only this user can enter, in $TMPDIR, else in /tmp, /var/tmp, /dev/shm or the current folder.
/// Throws std::system_error.
[[nodiscard]] std::filesystem::path make_private_folder();

/// Removes it and all that a backend left in it, as far as that is possible.
void remove_private_folder(const std::filesystem::path& folder);

/// The environment by which programs write there what they otherwise write to /tmp or to a cache of the user:
/// "NAME=VALUE".
[[nodiscard]] std::vector<std::string> environment_for(const std::filesystem::path& folder);

} // namespace mxcert::sandbox
