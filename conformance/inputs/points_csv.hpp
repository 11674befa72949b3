// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "conformance/inputs/point.hpp"
#include "reference/format.hpp"

namespace mxcert::inputs {

/// Chosen inputs and what came out, as text: the line `input,code`, then a row a point, as write_step_table() writes
/// numbers.
[[nodiscard]] std::string write_points(const std::vector<Point>& points, const Format& from, const Format& to);

/// The reverse; `name` stands for the text in errors. Throws csv::Error with file and line on anything write_points()
/// would not write: another header, wrong digits, inputs that do not ascend, no row at all.
[[nodiscard]] std::vector<Point> parse_points(std::string_view text, std::string_view name, const Format& from,
                                              const Format& to);

} // namespace mxcert::inputs
