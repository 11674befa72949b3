// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace mxcert::print {

/// The text with lines of at most `width` bytes, broken at spaces; what follows in the same line of the text is
/// indented. A word that is longer is broken after a comma, a slash or a bar, or else stays whole. Width 0: the text as
/// it is.
[[nodiscard]] std::string wrapped(std::string_view text, std::size_t width, std::string_view indent = "  ");

/// A line with a shell command, of at most `width` bytes where its words allow that: each line but the last ends with a
/// backslash, so that what is copied is still the command. It is broken at spaces outside of quotes, and no earlier
/// than at `start`, where the command begins. Width 0: the line as it is.
[[nodiscard]] std::string wrapped_command(std::string_view line, std::size_t start, std::size_t width,
                                          std::string_view indent);

} // namespace mxcert::print
