// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace mxcert::print {

/// Rows of cells as aligned text: columns two spaces apart, no space at the end of a line. Cells are ASCII; rows may
/// have fewer cells than others.
[[nodiscard]] std::string columns(const std::vector<std::vector<std::string>>& rows);

/// The same for a terminal of that width in columns. Where a line would be longer, cells are two spaces apart and the
/// line is broken at spaces instead. Width 0: as above.
[[nodiscard]] std::string columns(const std::vector<std::vector<std::string>>& rows, std::size_t width);

} // namespace mxcert::print
