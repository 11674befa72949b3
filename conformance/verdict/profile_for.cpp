// SPDX-License-Identifier: Apache-2.0
#include "conformance/verdict/profile_for.hpp"

#include <stdexcept>

#include <fmt/format.h>

namespace mxcert::verdict {

const Profile& profile_for(const Conversion& conversion, std::string_view name) {
    if (name.empty()) {
        name = conversion.overflow != Overflow::nosat ? "ocp-sat" : "ocp-nosat";
        if (!covers(find_profile(name), conversion)) name = "unsigned-scales";
    }
    const Profile& profile = find_profile(name);
    if (is_stochastic(conversion.rounding))
        throw std::invalid_argument(to_string(conversion) + ": a stochastic rounding has no table");
    if (!covers(profile, conversion))
        throw std::invalid_argument(fmt::format("profile {} does not judge {}", profile.name, to_string(conversion)));
    return profile;
}

} // namespace mxcert::verdict
