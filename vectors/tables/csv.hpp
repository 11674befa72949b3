// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>

// What all tables in CSV have in common. The rows are split by fast-cpp-csv-parser, which forgives what a committed
// file must not have (a byte order mark, CR, a last line without its end); check_text() does not forgive.
namespace mxcert::csv {

/// No table of ours is longer, in bytes: 2^20 rows, the most an observation keeps, take 41 MiB for the widest formats.
inline constexpr std::uint64_t max_bytes = std::uint64_t{64} << 20;

/// A file that is not what it should be. what() is "<file>:<line>: <reason>", or "<file>: <reason>".
struct Error : std::runtime_error {
    Error(std::string_view file, const std::string& reason);
    Error(std::string_view file, std::uint64_t line, const std::string& reason); ///< lines count from 1
};

/// The bytes of a regular file of at most max_bytes. Throws Error; a larger file is not read.
[[nodiscard]] std::string read_text(const std::filesystem::path& file);

/// Throws Error if text is empty, longer than max_bytes, starts with a byte order mark, has CR or NUL, or does not end
/// with LF.
void check_text(std::string_view text, std::string_view name);

} // namespace mxcert::csv
