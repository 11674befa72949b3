// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <initializer_list>
#include <string_view>
#include <vector>

#include "reference/choices.hpp"
#include "reference/profile/profile.hpp"

namespace mxcert {

/// Every conversion that a profile judges from these formats, also those that no golden file has rows for.
inline std::vector<Conversion> judged(const Profile& profile, std::initializer_list<const char*> sources) {
    std::vector<Conversion> all;
    for (const char* from : sources)
        for (const Format& to : all_formats())
            for (const std::string_view how : info(rounding_or_rule(to)).values)
                for (const std::string_view overflow : info(Choice::overflow).values) {
                    if (how == "none" || how.starts_with("stochastic") || how.starts_with("ptx_rs") ||
                        to.scale != nullptr)
                        continue;
                    const Conversion conversion = make_conversion(from, to.name, how, overflow, 0);
                    if (covers(profile, conversion)) all.push_back(conversion);
                }
    return all;
}

} // namespace mxcert
