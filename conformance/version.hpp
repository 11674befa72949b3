// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace mxcert {

/// Version of this program. The build fails if it is not that of the CMake project.
inline constexpr std::string_view tool_version = "0.1.0";

} // namespace mxcert
