// SPDX-License-Identifier: Apache-2.0
#include "conformance/process/loaded_files.hpp"

#include <fstream>
#include <string_view>

#include <fmt/format.h>

namespace mxcert::process {

void LoadedFiles::add_of(pid_t process) {
    std::ifstream maps(fmt::format("/proc/{}/maps", process));
    constexpr std::string_view deleted = " (deleted)";
    for (std::string line; std::getline(maps, line);) {
        // "7f1a...-7f1b... r-xp 00001000 08:01 4711      /usr/lib/libm.so.6"
        const std::size_t rights = line.find(' ') + 1;
        const std::size_t path = line.find('/');
        if (rights == 0 || path == std::string::npos || line.substr(rights, 4).find('x') == std::string::npos) continue;
        const std::string name = line.substr(path);
        const std::lock_guard lock(mutex_);
        if (name.ends_with(deleted))
            without_file_.insert(name.substr(0, name.size() - deleted.size()));
        else
            paths_.insert(name);
    }
}

void LoadedFiles::add(const std::filesystem::path& file) {
    const std::lock_guard lock(mutex_);
    paths_.insert(std::filesystem::absolute(file).lexically_normal().string());
}

std::vector<std::string> LoadedFiles::paths() const {
    const std::lock_guard lock(mutex_);
    return {paths_.begin(), paths_.end()};
}

std::vector<std::string> LoadedFiles::without_file() const {
    const std::lock_guard lock(mutex_);
    return {without_file_.begin(), without_file_.end()};
}

} // namespace mxcert::process
