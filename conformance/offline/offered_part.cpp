// SPDX-License-Identifier: Apache-2.0
#include "conformance/offline/offered_part.hpp"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

namespace mxcert::offline {
namespace {

constexpr const Format* elements[] = {&formats::e4m3, &formats::e5m2};

// A conversion of single values without a scale, to an element format.
bool is_of_elements(const Conversion& conversion) {
    return conversion.from->scale == nullptr && conversion.from->width() > 8 && !is_stochastic(conversion.rounding) &&
           std::find(std::begin(elements), std::end(elements), conversion.to) != std::end(elements);
}

bool lists(std::string_view list, std::string_view word) {
    while (!list.empty()) {
        const std::size_t space = list.find(' ');
        if (list.substr(0, space) == word) return true;
        list = space == std::string_view::npos ? std::string_view{} : list.substr(space + 1);
    }
    return false;
}

bool judges(const Profile& profile, const Format& from, const Format& to) {
    return std::any_of(profile.scopes.begin(), profile.scopes.end(), [&](const Scope& scope) {
        return lists(scope.sources, from.name) && lists(scope.targets, to.name);
    });
}

} // namespace

std::vector<std::string> missing_of(const Profile& profile, const std::vector<Conversion>& offered) {
    if (!profile.provisions.empty()) return {};
    const auto offers = [&](const Format* from, const Format* to) {
        return std::any_of(offered.begin(), offered.end(), [&](const Conversion& c) {
            return is_of_elements(c) && c.from == from && c.to == to && covers(profile, c);
        });
    };
    std::vector<std::string> missing;
    for (const Format& from : all_formats())
        for (const Format* to : elements)
            if (!offers(&from, to) && judges(profile, from, *to) &&
                std::any_of(std::begin(elements), std::end(elements),
                            [&](const Format* other_format) { return offers(&from, other_format); }))
                missing.push_back(fmt::format("{}-{}", from.name, to->name));
    return missing;
}

} // namespace mxcert::offline
