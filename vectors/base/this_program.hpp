// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <system_error>

namespace mxcert {

/// The file of the running program: what belongs to it lies in places relative to that. Empty if the system does not
/// say.
[[nodiscard]] inline std::filesystem::path this_program() {
    std::error_code ignored;
    return std::filesystem::read_symlink("/proc/self/exe", ignored);
}

} // namespace mxcert
