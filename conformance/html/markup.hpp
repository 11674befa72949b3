// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/status.hpp"

// Pieces of HTML. A function that takes text escapes it; one that takes HTML says so.
namespace mxcert::html {

/// Untrusted text as text, or as the value of an attribute in double quotes. Unprintable characters are written as by
/// print::printable(); a line feed stays if `lines`.
[[nodiscard]] std::string escaped(std::string_view text, bool lines = false);

/// A text in fixed-width letters: a name, a code.
[[nodiscard]] std::string code(std::string_view text);

/// A command to copy. `what` says what it does: "again", "explain".
[[nodiscard]] std::string command(std::string_view what, std::string_view line);

/// A word with the colour of a status beside it.
[[nodiscard]] std::string badge(std::string_view word, Status status);

/// HTML that scrolls where the window is narrower, by keyboard too. `label`: what it is, in words.
[[nodiscard]] std::string scrolling(std::string_view label, const std::string& body, std::string_view name = "wide");

/// A table. Cells are HTML; columns whose every cell below the heading is a number or "-" stand to the right.
/// `name`: its class, for the style and for readers of the file.
[[nodiscard]] std::string table(std::string_view name, const std::vector<std::string>& heading,
                                const std::vector<std::vector<std::string>>& rows);

/// Something that opens. `summary` and `body` are HTML.
[[nodiscard]] std::string details(std::string_view name, const std::string& summary, const std::string& body,
                                  bool is_open = false);

/// How much of all was asked, as a bar; "" if nobody counted. `total` as in Row::total: "65536", "2^64".
[[nodiscard]] std::string coverage_bar(std::uint64_t asked, std::string_view total);

/// The lines of a text as paragraphs. Lines that begin with a space stay below the one before, and many of them open.
[[nodiscard]] std::string paragraphs(std::string_view text);

} // namespace mxcert::html
