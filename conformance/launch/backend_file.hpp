// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

namespace mxcert::launch {

/// Whether a name is that of a shared library: foo.so, and foo.so.1.2 as libraries with a version are named.
[[nodiscard]] bool is_plugin_name(const std::filesystem::path& path);

/// Whether it is a file that may be executed.
[[nodiscard]] bool is_executable(const std::filesystem::path& path);

/// Why a file cannot be a backend, and what to do about it: a path without a file, a symbolic link to nothing, a *.so
/// that is no shared library, a program without permission to run, a script whose interpreter is missing. "" if
/// nothing is wrong with it. Folders are not looked at: for them it is "".
[[nodiscard]] std::string flaw_of_file(const std::filesystem::path& path);

} // namespace mxcert::launch
