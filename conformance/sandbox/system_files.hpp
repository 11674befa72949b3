// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <vector>

namespace mxcert::sandbox {

/// What programs of a Linux system need to run, and a backend may read under --sandbox=strict: programs, libraries,
/// what their loader, OpenCL and Python look for, what describes the processor, and the folders that the variables
/// LD_LIBRARY_PATH and PYTHONPATH name.
[[nodiscard]] std::vector<std::filesystem::path> system_files();

/// What a program needs beside these: its file, and if that is a script its interpreter. Where one of them is in a
/// folder `bin`, also that folder and lib, lib64, include and pyvenv.cfg next to it: a virtual environment with its
/// packages, and the Python that it was made of.
[[nodiscard]] std::vector<std::filesystem::path> files_of_program(const std::filesystem::path& program);

/// The files that a shell command names: each word that is the path of a file, as files_of_program() has it.
[[nodiscard]] std::vector<std::filesystem::path> files_of_command(const std::string& command);

} // namespace mxcert::sandbox
