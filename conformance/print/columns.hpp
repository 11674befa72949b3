// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace mxcert::print {

/// Rows of cells as aligned text: columns two spaces apart, no space at the end of a line. Cells are ASCII; rows may
/// have fewer cells than others.
[[nodiscard]] std::string columns(const std::vector<std::vector<std::string>>& rows);

} // namespace mxcert::print
