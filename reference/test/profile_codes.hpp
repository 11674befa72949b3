// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <catch.hpp>
#include <set>
#include <string_view>
#include <vector>

#include "reference/exact/exact.hpp"
#include "reference/profile/profile.hpp"

namespace mxcert {

using Codes = std::set<Code>;

/// The codes that come of the permitted Behaviours.
inline Codes codes(std::string_view name, std::string_view id, Code input) {
    const Profile& profile = find_profile(name);
    const Conversion conversion = parse_conversion(id);
    CAPTURE(name, id, input);
    REQUIRE(covers(profile, conversion));
    std::vector<Choices> all{choices_of(conversion)};
    for (const ChoiceInfo& choice : all_choices()) {
        std::vector<Choices> more;
        for (const Choices& choices : all)
            for (const std::string_view value : permitted_values(profile, conversion, choice.choice)) {
                if (value == any_nan_code) continue;
                more.push_back(choices);
                set(more.back(), choice.name, value);
            }
        all = std::move(more);
    }
    Codes results;
    for (const Choices& choices : all)
        results.insert(exact::convert(*conversion.from, *conversion.to, choices, input).code);
    return results;
}

} // namespace mxcert
