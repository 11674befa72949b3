// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "reference/conversion.hpp"
#include "reference/profile/profile.hpp"

namespace mxcert::offline {

/// What is missing of a profile of which only a part is offered: what else Profile::whole has, and a source that is
/// converted to E4M3 or E5M2 is converted to both, where the profile judges both. "fp32-e5m2", or "fp32-e5m2-up-sat"
/// where only some of them are missing; empty if nothing is. A profile that has provisions demands what they say.
[[nodiscard]] std::vector<std::string> missing_of(const Profile& profile, const std::vector<Conversion>& offered);

} // namespace mxcert::offline
