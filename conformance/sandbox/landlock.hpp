// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "conformance/process/file_descriptor.hpp"

namespace mxcert::sandbox {

/// The version of Landlock's interface that this kernel has; 0: none, or switched off.
[[nodiscard]] int landlock_version();

/// The versions of Landlock's interface that brought what the sandbox uses.
inline constexpr int landlock_truncates = 3; ///< refuses to truncate files
inline constexpr int landlock_has_tcp = 4;
inline constexpr int landlock_has_scopes = 6; ///< signals, sockets without a file

/// Which files may be used, and how.
struct FileRules {
    std::vector<std::filesystem::path> readable{}; ///< files, and folders with all that is in them: read and run
    std::vector<std::filesystem::path> devices{};  ///< files: read and written
    std::vector<std::filesystem::path> writable{}; ///< folders: everything but making devices
};

/// A set of rules for restrict_by(). Paths that do not exist are left out. Throws std::system_error if the kernel
/// refuses it. Precondition: `version` is 1 to landlock_version().
[[nodiscard]] process::FileDescriptor make_rules(const FileRules& files, int version);

/// Restricts this thread, and what it starts, for good. An error code; 0: it is restricted. Precondition:
/// PR_SET_NO_NEW_PRIVS is set.
[[nodiscard]] int restrict_by(const process::FileDescriptor& rules);

} // namespace mxcert::sandbox
