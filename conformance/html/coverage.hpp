// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "conformance/verdict/row.hpp"

namespace mxcert::html {

/// Rows by profile and status.
[[nodiscard]] std::string profiles_table(const std::vector<std::string>& profiles,
                                         const std::vector<verdict::Row>& rows);

/// What was asked, of how much: a line for each family of rows, opened each row.
[[nodiscard]] std::string coverage_html(const std::vector<verdict::Row>& rows);

} // namespace mxcert::html
