// SPDX-License-Identifier: Apache-2.0
#include "conformance/verdict/offers.hpp"

#include <algorithm>
#include <string>

#include <fmt/format.h>

namespace mxcert::verdict {
namespace {

std::vector<const Format*> formats_of(std::string_view names) {
    std::vector<const Format*> formats;
    while (!names.empty()) {
        const std::size_t space = names.find(' ');
        formats.push_back(&format(names.substr(0, space)));
        names = space == std::string_view::npos ? std::string_view{} : names.substr(space + 1);
    }
    return formats;
}

bool contains(const std::vector<const Format*>& formats, const Format* format) {
    return std::find(formats.begin(), formats.end(), format) != formats.end();
}

// The formats that are converted to any of the targets by a conversion the profile judges in any overflow mode.
std::vector<const Format*> sources_of(const std::vector<Conversion>& offered,
                                      const std::vector<const Format*>& targets) {
    std::vector<const Format*> sources;
    for (const Conversion& c : offered)
        if (!is_stochastic(c.rounding) && contains(targets, c.to) && !contains(sources, c.from))
            sources.push_back(c.from);
    return sources;
}

bool is_of_kind(const Conversion& conversion, const Provision& provision) {
    const Choices choices = choices_of(conversion);
    return (provision.rounding.empty() || provision.rounding == value_name(choices, Choice::rounding)) &&
           (provision.overflow.empty() || provision.overflow == value_name(choices, Choice::overflow)) &&
           !is_stochastic(conversion.rounding);
}

// What one provision misses: "fp32-e4m3-nearest_even-*, ...", or "" if nothing.
std::string missing(const Provision& provision, const std::vector<Conversion>& offered) {
    const std::vector<const Format*> targets = formats_of(provision.targets);
    const std::vector<const Format*> sources = sources_of(offered, targets);
    std::string text;
    const auto add = [&](std::string_view from, const Format& to) {
        text += fmt::format("{}{}-{}-{}-{}", text.empty() ? "" : ", ", from, to.name,
                            provision.rounding.empty() ? "*" : provision.rounding,
                            provision.overflow.empty() ? "*" : provision.overflow);
    };
    if (sources.empty())
        for (const Format* to : targets) add("any *", *to);
    for (const Format* from : sources)
        for (const Format* to : targets) {
            if (from == to) continue;
            const bool there = std::any_of(offered.begin(), offered.end(), [&](const Conversion& c) {
                return c.from == from && c.to == to && is_of_kind(c, provision);
            });
            if (!there) add(from->name, *to);
        }
    return text;
}

} // namespace

std::vector<Row> judge_offers(const Profile& profile, const std::vector<Conversion>& offered) {
    std::vector<Row> rows;
    for (const Provision& provision : profile.provisions) {
        const std::string id = "provision " + std::string(provision.clause);
        auto row = std::find_if(rows.begin(), rows.end(), [&](const Row& r) { return r.id == id; });
        if (row == rows.end()) {
            rows.emplace_back();
            row = rows.end() - 1;
            row->id = id;
            row->profile = profile.name;
            row->status = Status::pass;
            row->required = true;
            row->clauses = {std::string(provision.clause)};
        }
        const std::string lacks = missing(provision, offered);
        if (lacks.empty()) continue;
        row->status = Status::unsupported;
        row->reason += (row->reason.empty() ? "not offered: " : ", ") + lacks;
    }
    return rows;
}

} // namespace mxcert::verdict
