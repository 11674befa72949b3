// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace mxcert {

/// The name of a rounding, where `name` is what an instruction set calls it: "rne" and "rn" give "nearest_even", "rz"
/// gives "toward_zero". Any other name is returned as it is.
[[nodiscard]] std::string_view rounding_name(std::string_view name);

/// The same for the parts of a name of a conversion or operation, or of a pattern for such names: "fp32-*-rne-sat"
/// gives "fp32-*-nearest_even-sat".
[[nodiscard]] std::string with_rounding_names(std::string_view text);

} // namespace mxcert
