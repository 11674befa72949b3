// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include <sys/types.h>

namespace mxcert::process {

/// The files that workers had mapped as code when they were looked at: the plugin, and the libraries that it loaded.
/// Every function may be called by several threads.
class LoadedFiles {
  public:
    /// Those of a process now, by /proc/PID/maps. Of one that has ended nothing is known.
    void add_of(pid_t process);
    /// A file that is read and not mapped, such as a script.
    void add(const std::filesystem::path& file);

    /// Absolute, in the order of their names.
    [[nodiscard]] std::vector<std::string> paths() const;
    /// Code that no file holds now: deleted files, and memory that a compiler wrote.
    [[nodiscard]] std::vector<std::string> without_file() const;

  private:
    mutable std::mutex mutex_;
    std::set<std::string> paths_;
    std::set<std::string> without_file_;
};

} // namespace mxcert::process
