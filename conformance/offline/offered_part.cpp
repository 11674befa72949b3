// SPDX-License-Identifier: Apache-2.0
#include "conformance/offline/offered_part.hpp"

#include <algorithm>
#include <set>
#include <string_view>

#include <fmt/format.h>

#include "reference/base/word_list.hpp"

namespace mxcert::offline {
namespace {

constexpr const Format* elements[] = {&formats::e4m3, &formats::e5m2};

// A conversion of single values without a scale, to an element format.
bool is_of_elements(const Conversion& conversion) {
    return conversion.from->scale == nullptr && conversion.from->width() > 8 && !is_stochastic(conversion.rounding) &&
           std::find(std::begin(elements), std::end(elements), conversion.to) != std::end(elements);
}

bool judges(const Profile& profile, const Format& from, const Format& to) {
    return std::any_of(profile.scopes.begin(), profile.scopes.end(), [&](const Scope& scope) {
        return listed(scope.sources, from.name) && listed(scope.targets, to.name);
    });
}

void add_once(std::vector<std::string>& names, std::string name) {
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(std::move(name));
}

/// The conversions of Profile::whole that are not offered: "fp32-e5m2", or where some of its roundings and overflow
/// modes are offered the conversions themselves.
std::vector<std::string> missing_of_whole(const Profile& profile, const std::vector<Conversion>& conversions) {
    std::set<std::string> offered;
    for (const Conversion& conversion : conversions) offered.insert(to_string(conversion));
    std::vector<std::string> missing;
    for (const Scope& scope : profile.whole)
        for (const std::string_view source : list_of(scope.sources))
            for (const std::string_view target : list_of(scope.targets)) {
                const std::string_view modes =
                    scope.overflow.empty() ? judged_overflow(profile, *find_format(target)) : scope.overflow;
                const std::string pair = fmt::format("{}-{}", source, target);
                if (std::none_of(offered.begin(), offered.end(),
                                 [&](const std::string& name) { return name.starts_with(pair + "-"); })) {
                    add_once(missing, pair);
                    continue;
                }
                for (const std::string_view rounding : list_of(scope.roundings))
                    for (const std::string_view mode : list_of(modes))
                        if (const std::string name = fmt::format("{}-{}-{}", pair, rounding, mode);
                            !offered.contains(name))
                            missing.push_back(name);
            }
    return missing;
}

} // namespace

std::vector<std::string> missing_of(const Profile& profile, const std::vector<Conversion>& offered) {
    if (!profile.provisions.empty()) return {};
    std::vector<std::string> missing = missing_of_whole(profile, offered);
    const auto offers = [&](const Format* from, const Format* to) {
        return std::any_of(offered.begin(), offered.end(), [&](const Conversion& c) {
            return is_of_elements(c) && c.from == from && c.to == to && covers(profile, c);
        });
    };
    for (const Format& from : all_formats())
        for (const Format* to : elements)
            if (!offers(&from, to) && judges(profile, from, *to) &&
                std::any_of(std::begin(elements), std::end(elements),
                            [&](const Format* other_format) { return offers(&from, other_format); }))
                add_once(missing, fmt::format("{}-{}", from.name, to->name));
    return missing;
}

} // namespace mxcert::offline
