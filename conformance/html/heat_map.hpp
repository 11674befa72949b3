// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "conformance/verdict/input_map.hpp"

namespace mxcert::html {

/// The cells of a map that a picture shows.
struct MapWindow {
    std::uint32_t first_row = 0;
    std::uint32_t last_row = 0;
    std::uint32_t first_column = 0;
    std::uint32_t last_column = 0;
};
[[nodiscard]] MapWindow whole_window(const verdict::InputMap& map);

/// The picture as SVG: a cell is coloured by how many of its inputs were asked, and where some are wrong by which part
/// of them is. `name`: of what, in words.
[[nodiscard]] std::string heat_map(const verdict::InputMap& map, const MapWindow& window, const std::string& name);

/// What the axes of a map are, in words.
[[nodiscard]] std::string axes_text(const verdict::InputMap& map);
/// Rows and columns in words: "+1.5 to +1.9375", "2^-9 to 2^8", "0x7E".
[[nodiscard]] std::string rows_text(const verdict::InputMap& map, std::uint32_t first, std::uint32_t last);
[[nodiscard]] std::string columns_text(const verdict::InputMap& map, std::uint32_t first, std::uint32_t last);

/// What the colours mean.
[[nodiscard]] std::string map_legend();

/// The map of a row with its legend, and a closer look at each place where inputs are wrong; "" of an empty map.
[[nodiscard]] std::string map_figure(const verdict::InputMap& map, const std::string& name);

} // namespace mxcert::html
