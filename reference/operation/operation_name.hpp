// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "reference/operation/operation.hpp"

namespace mxcert {

/// The reverse of to_string(): "quantize-fp32-e4m3-e8m0-ocp_floor-nearest_even-sat-row-32". Throws
/// std::invalid_argument that says what is wrong: no such operation, too few or too many values, one that cannot be.
[[nodiscard]] Operation parse_operation(std::string_view text);

} // namespace mxcert
