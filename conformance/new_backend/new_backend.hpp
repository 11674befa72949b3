// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace mxcert::new_backend {

enum class BackendLanguage : std::uint8_t { c, cpp, python, rust };
enum class BackendOperation : std::uint8_t { convert, quantize, matmul };

/// As the command line writes them, in the order of the enumerations.
[[nodiscard]] std::vector<std::string> language_names();
[[nodiscard]] std::vector<std::string> operation_names();
/// Throw std::invalid_argument for another name.
[[nodiscard]] BackendLanguage parse_language(std::string_view name);
[[nodiscard]] BackendOperation parse_operation(std::string_view name);

/// A folder with the start of a backend.
struct NewBackend {
    std::string name; ///< of the plugin and its target
    BackendLanguage language = BackendLanguage::c;
    BackendOperation operation = BackendOperation::convert;
    std::filesystem::path folder; ///< must not exist
    std::filesystem::path prefix; ///< of the mxcert that C and C++ are built with; empty: CMake looks for one
    std::filesystem::path helper; ///< mxcert_worker.py, which Python copies
};

/// What was written, and what to do with it.
struct Written {
    std::string source;    ///< the file to fill in, without the folder
    std::string build;     ///< shell commands in the folder that build it, each with its line end; "" for none
    std::string plugin;    ///< the backend, from the folder
    std::string arguments; ///< of `mxcert certify`, for a short run
};

/// Throws std::invalid_argument unless the name is a C identifier that CMake takes as a target.
void check_backend_name(std::string_view name);

/// Makes a folder with a source file, its build and README.md. Throws std::invalid_argument for the name,
/// std::runtime_error if the folder exists or cannot be written, or the helper cannot be read. Nothing is ever
/// overwritten.
Written write_new_backend(const NewBackend& wanted);

/// The folder under which this program is installed or was built, if CMake's package mxcert is there; else empty.
[[nodiscard]] std::filesystem::path package_prefix();

/// mxcert_worker.py of this program; empty if it was installed without.
[[nodiscard]] std::filesystem::path python_helper();

} // namespace mxcert::new_backend
