// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdio>
#include <string>
#include <string_view>

#include "conformance/status.hpp"

namespace mxcert::print {

/// When output is coloured.
enum class ColorMode { automatic, always, never };

/// "auto", "always" or "never". Throws std::invalid_argument.
[[nodiscard]] ColorMode parse_color_mode(std::string_view text);

/// True if the stream is a terminal.
[[nodiscard]] bool is_terminal(std::FILE* stream);

/// Columns of the terminal that the stream is; 0 if it is none, or does not say.
[[nodiscard]] std::size_t width_of(std::FILE* stream);

/// Whether to colour what goes to a stream: `automatic` colours a terminal, unless NO_COLOR is set and not empty or
/// TERM is "dumb" (no-color.org).
[[nodiscard]] bool use_color(ColorMode mode, std::FILE* stream);

/// The text in the colour of a status: green PASS, yellow UNSUPPORTED and INCOMPLETE, red all others.
[[nodiscard]] std::string colored(std::string_view text, Status status, bool color);

} // namespace mxcert::print
