// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace mxcert {

/// SHA-256 (FIPS 180-4) of the bytes: 64 lower-case hexadecimal digits. Throws std::runtime_error if libcrypto cannot
/// do it.
[[nodiscard]] std::string sha256(std::string_view bytes);

/// The same of a regular file of any length, read in parts. Throws std::runtime_error that names a file it cannot read.
[[nodiscard]] std::string sha256_file(const std::filesystem::path& file);

} // namespace mxcert
