// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace mxcert::new_backend {

enum class BackendLanguage { c, cpp };

/// A folder with the start of a backend.
struct NewBackend {
    std::string name; ///< of the plugin and its target
    BackendLanguage language = BackendLanguage::c;
    std::filesystem::path folder; ///< must not exist
    std::filesystem::path
        include; ///< folder with conformance/backend.h; empty: the build looks for an installed mxcert
};

/// Throws std::invalid_argument unless the name is a C identifier that CMake takes as a target.
void check_backend_name(std::string_view name);

/// Writes NAME.c or NAME.cpp, CMakeLists.txt and README.md into a folder that it makes. Throws std::invalid_argument
/// for the name, std::runtime_error if the folder exists or cannot be written. Nothing is ever overwritten.
void write_new_backend(const NewBackend& wanted);

/// The folder with conformance/backend.h that belongs to this program: of where it is installed, or of the source tree
/// it was built in. Empty if there is none.
[[nodiscard]] std::filesystem::path backend_include_folder();

} // namespace mxcert::new_backend
