// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <istream>
#include <optional>
#include <string>
#include <vector>

#include "reference/format.hpp"

namespace mxcert::frames {

/// A memory as $readmemh reads it and $writememh writes it (IEEE 1364-2005 17.2.9, IEEE 1800-2017 21.4).
struct HexMemory {
    std::vector<std::optional<Code>> words; ///< by address; none: x or z in it, or the address was jumped over
    std::string unwritten;                  ///< where the first word with x or z stands, "3: word 2 is xx"; "" if none
    std::string error; ///< "3: ..." with the line: what is no memory of such words; `words` ends before it
};

/// Reads words of a format: hexadecimal digits, x, z and _ between white space, with comments of both kinds and
/// @addresses. A word may have more digits than it needs if these are 0. At most `most` words. Whatever the text holds,
/// it is read in little memory.
[[nodiscard]] HexMemory parse_hex_memory(std::istream& text, const Format& format, std::uint64_t most);

/// The same of a file. Throws std::runtime_error that names it if it cannot be read.
[[nodiscard]] HexMemory read_hex_memory(const std::filesystem::path& path, const Format& format, std::uint64_t most);

} // namespace mxcert::frames
