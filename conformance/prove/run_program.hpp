// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <filesystem>
#include <string>

namespace mxcert::prove {

/// How a program that was called ended.
struct Ran {
    enum class End { cleanly, failed, missing, too_late, stopped };
    End end = End::failed;
    std::string out; ///< standard output
    std::string how; ///< "exit 1", with the last lines of standard error
};

/// Runs a shell command in a folder, for at most so long. `stop`: ends it where it becomes true.
[[nodiscard]] Ran run_program(const std::filesystem::path& folder, const std::string& command,
                              std::chrono::milliseconds limit, const std::atomic<bool>& stop);

} // namespace mxcert::prove
