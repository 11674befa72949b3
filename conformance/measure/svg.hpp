// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

// What plots have in common.
namespace mxcert::measure {

/// A colour for each number, again after eight. Told apart by most people, whatever colours they see (Okabe and Ito).
[[nodiscard]] const char* svg_colour(std::size_t number);

/// Text of a user as text of XML.
[[nodiscard]] std::string svg_text(const std::string& text);

/// The beginning of a plot: its size, style, background, and the title at a place. `title` is text of XML.
[[nodiscard]] std::string svg_begin(int width, int height, int title_x, int title_y, const std::string& title);

} // namespace mxcert::measure
