// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "reference/conversion.hpp"
#include "reference/profile/profile.hpp"

namespace mxcert::offline {

/// The conversions that a backend lacks of a profile: those of Profile::whole, and E4M3 or E5M2 where it converts a
/// source to one of them alone and the profile judges both. "fp32-e5m2", or "fp32-e5m2-up-sat" where it has others of
/// the pair; empty if none is missing. A profile that has provisions demands what they say.
[[nodiscard]] std::vector<std::string> missing_of(const Profile& profile, const std::vector<Conversion>& offered);

} // namespace mxcert::offline
