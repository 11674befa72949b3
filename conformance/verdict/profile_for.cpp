// SPDX-License-Identifier: Apache-2.0
#include "conformance/verdict/profile_for.hpp"

#include <stdexcept>

#include <fmt/format.h>

namespace mxcert::verdict {

const Profile& profile_for(const Conversion& conversion, std::string_view name) {
    if (is_stochastic(conversion.rounding))
        throw std::invalid_argument(to_string(conversion) + ": a stochastic rounding has no table");
    const bool saturates = conversion.overflow != Overflow::nosat;
    const Profile& profile = find_profile(!name.empty() ? name : saturates ? "ocp-sat" : "ocp-nosat");
    if (covers(profile, conversion)) return profile;
    if (name.empty()) {
        const Profile& scales = find_profile("unsigned-scales");
        if (covers(scales, conversion)) return scales;
        for (const Profile& other : all_profiles())
            if (covers(other, conversion)) return other;
    }
    throw std::invalid_argument(fmt::format("profile {} does not judge {}", profile.name, to_string(conversion)));
}

} // namespace mxcert::verdict
