// SPDX-License-Identifier: Apache-2.0
#include "conformance/launch/backend_file.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <system_error>
#include <vector>

#include <fmt/format.h>

#include "conformance/print/text.hpp"

namespace mxcert::launch {
namespace {

namespace fs = std::filesystem;

/// What the kernel reads of a file to know how to run it.
constexpr std::size_t head_bytes = 256;

std::string head_of(const fs::path& path) {
    std::string head(head_bytes, '\0');
    std::ifstream file(path, std::ios::binary);
    file.read(head.data(), static_cast<std::streamsize>(head.size()));
    head.resize(static_cast<std::size_t>(file.gcount()));
    return head;
}

bool is_elf(const std::string& head) { return head.starts_with("\177ELF"); }

/// Whether a program of that name is in a folder of PATH.
bool is_in_path(const std::string& name) {
    const char* value = std::getenv("PATH"); // NOLINT(concurrency-mt-unsafe): nothing here ever sets the environment
    std::istringstream folders(value == nullptr ? "" : value);
    for (std::string folder; std::getline(folders, folder, ':');)
        if (is_executable(fs::path(folder.empty() ? "." : folder) / name)) return true;
    return false;
}

/// Why a script cannot be run by the interpreter that its first line names; "" if it can.
std::string flaw_of_interpreter(const std::string& shown, const std::string& head) {
    const std::string line = head.substr(0, head.find('\n'));
    const std::string shown_line = print::printable(line);
    if (line.ends_with('\r'))
        return fmt::format("{}: its first line ends with a carriage return, which belongs to the interpreter's name; "
                           "change its line ends: sed -i 's/\\r$//' FILE",
                           shown);
    std::istringstream words(line.substr(2));
    std::string interpreter;
    words >> interpreter;
    if (interpreter.empty()) return fmt::format("{}: its first line, '{}', names no interpreter", shown, shown_line);
    if (!is_executable(interpreter))
        return fmt::format("{}: its first line is '{}', and there is no program {} here; install it or change the line",
                           shown, shown_line, print::printable(interpreter));
    if (fs::path(interpreter).filename() != "env") return {};
    std::string program;
    // Options of env, and variables that it sets, come before the program.
    while (words >> program)
        if (!program.starts_with('-') && program.find('=') == std::string::npos) break;
    if (program.empty() || program.find('/') != std::string::npos || is_in_path(program)) return {};
    return fmt::format(
        "{}: its first line is '{}', and no folder of PATH has a program {}; install it or change the line", shown,
        shown_line, print::printable(program));
}

std::string flaw_of_plugin(const std::string& shown, const std::string& head) {
    if (is_elf(head)) return {};
    return fmt::format("{} is not a shared library: {}; build one (cc -shared -fPIC), and name a program or script "
                       "otherwise than *.so",
                       shown, head.empty() ? "it is empty" : "it does not begin as ELF files do");
}

std::string flaw_of_program(const std::string& shown, const fs::path& path, const std::string& head) {
    const bool script = head.starts_with("#!");
    if (!is_executable(path)) {
        if (script || is_elf(head))
            return fmt::format("{} may not be executed: chmod +x {}", shown, print::shell_word(path.string()));
        return fmt::format("{} is neither a plugin (*.so) nor a program that may be executed", shown);
    }
    if (script) return flaw_of_interpreter(shown, head);
    if (is_elf(head)) return {};
    return fmt::format("{} is neither an ELF program nor a script: its first line does not name an interpreter, as "
                       "#!/usr/bin/env python3 does",
                       shown);
}

} // namespace

bool is_plugin_name(const fs::path& path) {
    const std::string name = path.filename().string();
    return path.extension() == ".so" || name.find(".so.") != std::string::npos;
}

bool is_executable(const fs::path& path) {
    std::error_code ignored;
    return fs::is_regular_file(path, ignored) && ::access(path.c_str(), X_OK) == 0;
}

std::string flaw_of_file(const fs::path& path) {
    const std::string shown = "'" + print::printable(path.string()) + "'";
    std::error_code ignored;
    if (!fs::exists(path, ignored)) {
        if (fs::is_symlink(path, ignored))
            return fmt::format("{} is a symbolic link to '{}', which does not exist", shown,
                               print::printable(fs::read_symlink(path, ignored).string()));
        return fmt::format("{}: there is no such file; build it first, or correct the path", shown);
    }
    if (!fs::is_regular_file(path, ignored)) return {};
    if (::access(path.c_str(), R_OK) != 0)
        return fmt::format("{} may not be read: chmod +r {}", shown, print::shell_word(path.string()));
    const std::string head = head_of(path);
    return is_plugin_name(path) ? flaw_of_plugin(shown, head) : flaw_of_program(shown, path, head);
}

} // namespace mxcert::launch
