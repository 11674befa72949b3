// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mxcert {

/// A golden file, or the manifest, as part of a program that stands alone.
struct EmbeddedFile {
    std::string_view name; ///< "fp32-e4m3.csv"
    std::string_view text;
};

/// Where golden_folder() says that embedded files are. No folder of the file system has this name.
inline constexpr std::string_view embedded_folder = "(in the program)";

/// Makes these files the ones that came with the program. Once, before anything reads golden files; they stay alive.
void embed_golden_files(std::span<const EmbeddedFile> files);

/// Whether embed_golden_files() was called.
[[nodiscard]] bool has_embedded_golden_files();

/// Whether a folder or file of golden files is there, embedded or in the file system.
[[nodiscard]] bool golden_exists(const std::filesystem::path& path);

/// The bytes of a file, embedded or in the file system. Throws std::runtime_error that names it.
[[nodiscard]] std::string read_golden_text(const std::filesystem::path& file);

/// The names of all files in a folder, sorted. Throws std::runtime_error if it cannot be listed.
[[nodiscard]] std::vector<std::string> golden_file_names(const std::filesystem::path& folder);

} // namespace mxcert
