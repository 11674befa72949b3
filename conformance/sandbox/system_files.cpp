// SPDX-License-Identifier: Apache-2.0
#include "conformance/sandbox/system_files.hpp"

#include <glob.h>

#include <array>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <system_error>

namespace mxcert::sandbox {
namespace {

namespace fs = std::filesystem;

/// docs/threat-model.md lists them. Not /usr/share as a whole: mxcert's golden vectors are there.
constexpr std::array<const char*, 36> patterns{"/bin",
                                               "/sbin",
                                               "/lib",
                                               "/lib32",
                                               "/lib64",
                                               "/usr/bin",
                                               "/usr/sbin",
                                               "/usr/lib",
                                               "/usr/lib32",
                                               "/usr/lib64",
                                               "/usr/libexec",
                                               "/usr/include",
                                               "/usr/local/bin",
                                               "/usr/local/lib",
                                               "/usr/local/lib64",
                                               "/usr/local/cuda*",
                                               "/opt",
                                               "/nix/store",
                                               "/gnu/store", // the loader
                                               "/etc/ld.so.cache",
                                               "/etc/ld.so.conf",
                                               "/etc/ld.so.conf.d",
                                               "/etc/ld.so.preload",
                                               "/etc/alternatives",
                                               "/etc/localtime",
                                               "/etc/OpenCL",
                                               "/etc/python3*",
                                               "/usr/share/pocl",
                                               "/usr/share/OpenCL",
                                               "/usr/share/zoneinfo",
                                               "/usr/share/locale",
                                               "/usr/share/nvidia",
                                               "/usr/share/libdrm", // the machine
                                               "/dev/null",
                                               "/proc",
                                               "/sys"};
constexpr std::array<const char*, 2> folder_lists{"LD_LIBRARY_PATH", "PYTHONPATH"};

void add_matching(const char* pattern, std::vector<fs::path>& paths) {
    ::glob_t found{};
    if (::glob(pattern, 0, nullptr, &found) == 0)
        for (std::size_t i = 0; i < found.gl_pathc; ++i) paths.emplace_back(found.gl_pathv[i]);
    ::globfree(&found);
}

/// A program that is bin/NAME in a folder has its libraries and packages there: a virtual environment, or Python's own
/// installation. Never the folder itself, which may be somebody's home.
void add_installation(const fs::path& program, std::vector<fs::path>& paths) {
    if (program.parent_path().filename() != "bin") return;
    for (const char* part : {"bin", "lib", "lib64", "include", "pyvenv.cfg"})
        paths.push_back(program.parent_path().parent_path() / part);
}

/// The word after "#!", and the program that `env` is told to find.
fs::path interpreter_of(const fs::path& program) {
    std::ifstream file(program);
    std::string line;
    if (!std::getline(file, line) || !line.starts_with("#!")) return {};
    std::istringstream words(line.substr(2));
    std::string word;
    words >> word;
    if (fs::path(word).filename() == "env")
        while (words >> word && word.starts_with('-')) {
        }
    return word;
}

fs::path found_in_path(const fs::path& name) {
    if (name.empty() || name.has_parent_path()) return name;
    const char* path = std::getenv("PATH"); // NOLINT(concurrency-mt-unsafe): nothing sets variables
    std::istringstream folders(path != nullptr ? path : "");
    std::error_code ignored;
    for (std::string folder; std::getline(folders, folder, ':');)
        if (!folder.empty() && fs::is_regular_file(fs::path(folder) / name, ignored)) return fs::path(folder) / name;
    return {};
}

} // namespace

std::vector<fs::path> system_files() {
    std::vector<fs::path> paths;
    for (const char* pattern : patterns) add_matching(pattern, paths);
    for (const char* variable : folder_lists) {
        const char* value = std::getenv(variable); // NOLINT(concurrency-mt-unsafe)
        std::istringstream folders(value != nullptr ? value : "");
        for (std::string folder; std::getline(folders, folder, ':');)
            if (!folder.empty()) paths.emplace_back(folder);
    }
    return paths;
}

std::vector<fs::path> files_of_program(const fs::path& program) {
    std::vector<fs::path> paths{program};
    std::error_code ignored;
    const fs::path interpreter = found_in_path(interpreter_of(program));
    if (!interpreter.empty()) paths.push_back(interpreter);
    for (const fs::path& file : {fs::absolute(program, ignored), interpreter}) {
        if (file.empty()) continue;
        add_installation(file, paths);
        // A link into another installation, as bin/python of a virtual environment is.
        if (const fs::path real = fs::canonical(file, ignored); !ignored) add_installation(real, paths);
    }
    return paths;
}

std::vector<fs::path> files_of_command(const std::string& command) {
    std::vector<fs::path> paths;
    std::istringstream words(command);
    bool is_first = true;
    for (std::string word; words >> word; is_first = false) {
        std::erase_if(word, [](char c) { return c == '\'' || c == '"'; });
        const fs::path file = is_first ? found_in_path(word) : fs::path(word);
        std::error_code ignored;
        if (file.empty() || !fs::is_regular_file(file, ignored)) continue;
        const std::vector<fs::path> found = files_of_program(file);
        paths.insert(paths.end(), found.begin(), found.end());
    }
    return paths;
}

} // namespace mxcert::sandbox
