// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "reference/block_shape.hpp"
#include "reference/choices.hpp"
#include "reference/conversion.hpp"
#include "reference/operation/operation.hpp"
#include "reference/profile/profile_rows.hpp"

namespace mxcert {

[[nodiscard]] std::span<const Profile> all_profiles();
/// Throws std::invalid_argument that names the near ones.
[[nodiscard]] const Profile& find_profile(std::string_view name);

/// Whether the profile judges this conversion at all. A scope or a profile that names its roundings judges a stochastic
/// one only if it names it with its random bits, stochastic_a8; one that names none judges all. Other conversions that
/// a backend offers are listed as outside the profile.
[[nodiscard]] bool covers(const Profile& profile, const Conversion& conversion);
/// The same of an operation: each conversion that it is made of, its layout, or its recipe.
[[nodiscard]] bool covers(const Profile& profile, const Operation& operation);

/// The overflow modes in which a profile judges conversions to this format where the scope names none, separated by
/// spaces: those of the profile for elements and their scales, any mode for E8M0 and wide formats. Precondition: a
/// scope names the format.
[[nodiscard]] std::string_view judged_overflow(const Profile& profile, const Format& to);
/// Whether the source of the profile refuses a tensor of this size. A backend that refuses it as well does what the
/// profile says; one that answers goes beyond it, and a report says so.
[[nodiscard]] bool refuses(const Profile& profile, const Extent& tensor);

/// Whether the profile, for this conversion, permits a choice to have the value of that name. rounding and overflow are
/// permitted exactly the value the conversion names.
[[nodiscard]] bool permits(const Profile& profile, const Conversion& conversion, Choice choice, std::string_view value);

/// All values it permits, in the order of the choice's own, after "any" where that is permitted.
[[nodiscard]] std::vector<std::string_view> permitted_values(const Profile& profile, const Conversion& conversion,
                                                             Choice choice);

} // namespace mxcert
