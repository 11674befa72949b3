// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "reference/format.hpp"

// Text from outside (names, messages, stderr of a backend), made safe for people and files.
namespace mxcert::print {

/// The text with everything that is not printable UTF-8 written as \xNN: control characters (also C1), broken
/// sequences, and what XML 1.0 cannot hold. A line feed stays if `lines`. A backend cannot move the cursor or break a
/// report with it.
[[nodiscard]] std::string printable(std::string_view text, bool lines = false);

/// Whether a pattern with * (any characters) and ? (one character) matches the whole text.
[[nodiscard]] bool glob_matches(std::string_view pattern, std::string_view text);
/// Whether one of the patterns matches, or there is none: what --filter selects. An operation selects its rows,
/// OPERATION/PART.
[[nodiscard]] bool selected(const std::vector<std::string>& filters, std::string_view text);
/// True if the text has * or ?.
[[nodiscard]] bool is_glob(std::string_view text);

/// The first line of a text without its line feed; the text begins behind it then.
[[nodiscard]] std::string_view take_line(std::string_view& text);

/// As one word of a POSIX shell: quoted if it holds anything but letters, digits and _-./:=,+@%.
[[nodiscard]] std::string shell_word(std::string_view text);

/// 4294967296 -> "4,294,967,296".
[[nodiscard]] std::string grouped(std::uint64_t number);

/// "1 input", "2 inputs"; the number grouped.
[[nodiscard]] std::string counted(std::uint64_t number, std::string_view noun);

/// The value of a code for people, the same on every machine: "-0x1.cp+8 (-448)", "nan", "-inf"; "no code of e3m2" of
/// one with bits above. Any format of at most 64 bits, whose finite values are all values of binary64.
[[nodiscard]] std::string value_text(const Format& format, Code code);

} // namespace mxcert::print
