// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "reference/conversion.hpp"
#include "reference/profile/profile.hpp"

namespace mxcert::verdict {

/// The profile whose table of a conversion is given out: the one of that name, or without a name ocp-sat or ocp-nosat
/// by the overflow mode, and where these do not judge the conversion unsigned-scales or else the first that does.
/// Throws std::invalid_argument for an unknown name, a stochastic rounding, which has no table, and a profile that does
/// not judge the conversion.
[[nodiscard]] const Profile& profile_for(const Conversion& conversion, std::string_view name);

} // namespace mxcert::verdict
