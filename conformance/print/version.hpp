// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace mxcert::print {

/// Version of this program. The build fails if it is not that of the CMake project.
inline constexpr std::string_view tool_version = "0.2.0";

/// The revision of the sources that this program was configured from, as git names it, with "-dirty" if they had been
/// changed; "" if that is not known.
[[nodiscard]] std::string_view tool_revision();

/// The address of the project, as CMake has it; "" if it has none.
[[nodiscard]] std::string_view homepage();

} // namespace mxcert::print
