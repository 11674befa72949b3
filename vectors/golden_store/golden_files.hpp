// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "vectors/golden_store/golden.hpp"
#include "vectors/golden_store/manifest.hpp"

namespace mxcert {

/// Where the golden files are: $MXCERT_VECTORS if that is set and not empty; else the folder of
/// set_golden_folder(); else embedded_folder if the program has them inside; else ../share/mxcert/vectors beside the
/// folder of the program, if it is there; else, for a program that still lies in its build tree, vectors/golden of the
/// source tree; else that ../share/mxcert/vectors, which is not there.
[[nodiscard]] std::filesystem::path golden_folder();

/// Makes golden_folder() say this folder, unless $MXCERT_VECTORS is set: for a library, whose program is anybody's.
void set_golden_folder(const std::filesystem::path& folder);

/// A golden file that equals what its manifest says.
struct LoadedGolden {
    GoldenFile golden;
    std::filesystem::path path;
    std::string sha256; ///< of its bytes, and of the manifest
};

/// The golden file of a pair from `folder`. Nullopt if the manifest names none for the pair, or if the folder does not
/// exist and $MXCERT_VECTORS does not ask for it. Throws std::runtime_error if the manifest or the file cannot be read
/// or is not valid, and if the bytes do not match the manifest: "fp32-e4m3.csv does not match its manifest: ..., run
/// `mxcert vectors check`".
[[nodiscard]] std::optional<LoadedGolden> load_golden(const Format& from, const Format& to,
                                                      const std::filesystem::path& folder = golden_folder());

/// The manifest of a folder. Throws std::runtime_error.
[[nodiscard]] Manifest load_manifest(const std::filesystem::path& folder);

/// The SHA-256 of the manifest of a folder, "" if there is none. Throws std::runtime_error if it cannot be read.
[[nodiscard]] std::string manifest_sha256(const std::filesystem::path& folder);

/// Makes a folder for golden files if need be. Throws std::runtime_error if they cannot be written into it.
void make_golden_folder(const std::filesystem::path& folder);

/// Writes the files and then the manifest into a folder, which is made if need be. Each file is written under another
/// name and renamed, so that a stop at any time leaves whole files. Throws std::runtime_error.
void write_golden_files(const std::vector<GoldenText>& all, const std::filesystem::path& folder);

/// What is wrong with one file of a folder; empty reason: nothing.
struct GoldenCheck {
    std::string file;
    std::string reason; ///< "missing", "line 12 is '...', not '...'", ...
};

/// Compares a folder with what it must be: the bytes of every file and of the manifest, no golden file beside them,
/// every selection of choices a partition of all inputs, and every conversion a profile covers permits something for
/// each input. One result a file, in the order of `all`, then the manifest, then files that should not be there. Never
/// empty. Throws std::runtime_error only if the folder cannot be listed.
[[nodiscard]] std::vector<GoldenCheck> check_golden_files(const std::vector<GoldenText>& all,
                                                          const std::filesystem::path& folder);

} // namespace mxcert
