// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace mxcert::print {

/// The text with lines of at most `width` bytes, broken at spaces; what follows in the same line of the text is
/// indented. A word that is longer stays whole. Width 0: the text as it is.
[[nodiscard]] std::string wrapped(std::string_view text, std::size_t width, std::string_view indent = "  ");

} // namespace mxcert::print
