// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "reference/operation/operation.hpp"

// A few of the cases of an operation in the place of all of them (docs/suites.md).
namespace mxcert::cases {

/// Whether a small suite asks this case of a row: one of those that show the bugs planted in operations of the kind
/// (planted_backends()), the fewest and smallest of them. A row that has few anyway is asked all.
[[nodiscard]] bool is_small_case(const Operation& operation, std::string_view part, std::string_view name);

/// About so many of these, evenly spread, the first and the last among them.
[[nodiscard]] std::vector<Code> thinned(const std::vector<Code>& codes, std::size_t count);

} // namespace mxcert::cases
