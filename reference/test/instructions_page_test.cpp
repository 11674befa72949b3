// SPDX-License-Identifier: Apache-2.0
// docs/instructions.md names exactly the conversions that the profiles of instruction sets judge.
#include <algorithm>
#include <catch.hpp>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "reference/base/word_list.hpp"
#include "reference/profile/profile.hpp"
#include "reference/profile/profile_parts.hpp"

using namespace mxcert;

namespace {

using Names = std::vector<std::string>;
using Listed = std::map<std::string, std::set<std::string>>; // conversions, by profile

/// "a-{b,c}" is "a-b" and "a-c".
Names expanded(const std::string& text) {
    const std::size_t open = text.find('{');
    if (open == std::string::npos) return {text};
    const std::size_t close = text.find('}', open);
    REQUIRE(close != std::string::npos);
    Names all;
    for (std::size_t from = open + 1; from <= close;) {
        const std::size_t to = std::min(text.find(',', from), close);
        for (const std::string& rest : expanded(text.substr(close + 1)))
            all.push_back(text.substr(0, open) + text.substr(from, to - from) + rest);
        from = to + 1;
    }
    return all;
}

/// What stands between backquotes.
Names in_backquotes(const std::string& text) {
    Names all;
    for (std::size_t open = text.find('`'); open != std::string::npos;) {
        const std::size_t close = text.find('`', open + 1);
        REQUIRE(close != std::string::npos);
        all.push_back(text.substr(open + 1, close - open - 1));
        open = text.find('`', close + 1);
    }
    return all;
}

Names cells_of(const std::string& line) {
    Names all;
    for (std::size_t from = 1; from < line.size();) {
        const std::size_t to = std::min(line.find('|', from), line.size());
        all.push_back(line.substr(from, to - from));
        from = to + 1;
    }
    return all;
}

Names lines_of_page() {
    std::ifstream page(MXCERT_TEST_SOURCE "/docs/instructions.md");
    REQUIRE(page.good());
    Names lines;
    for (std::string line; std::getline(page, line);) lines.push_back(line);
    return lines;
}

/// The conversions of each profile in the tables whose second column has rows.
Listed listed_on_page() {
    const Names lines = lines_of_page();
    const std::string placeholder = "{rounding}";
    std::string roundings;
    for (const std::string& line : lines)
        if (line.starts_with("`" + placeholder + "` is ")) {
            Names names = in_backquotes(line);
            names.erase(names.begin());
            for (const std::string& name : names) roundings += (roundings.empty() ? "{" : ",") + name;
            roundings += "}";
        }
    REQUIRE_FALSE(roundings.empty());

    Listed all;
    Names header;
    for (const std::string& line : lines) {
        if (!line.starts_with("|")) {
            header.clear();
            continue;
        }
        const Names cells = cells_of(line);
        if (header.empty()) header = cells;
        if (header[1] != " rows " || cells[1].find('`') == std::string::npos) continue;
        CAPTURE(line);
        REQUIRE(cells.size() == header.size());
        for (std::string row : in_backquotes(cells[1])) {
            if (const std::size_t at = row.find(placeholder); at != std::string::npos)
                row.replace(at, placeholder.size(), roundings);
            for (const std::string& profiles : in_backquotes(cells.back()))
                for (const std::string& profile : expanded(profiles))
                    for (const std::string& conversion : expanded(row)) {
                        // Between rows and profiles: columns that end the name of the profile, with the overflow mode.
                        for (std::size_t i = 2; i + 1 < cells.size(); ++i)
                            all[profile + in_backquotes(header[i])[0]].insert(conversion + "-" +
                                                                              in_backquotes(cells[i])[0]);
                        if (cells.size() == 3) all[profile].insert(conversion);
                    }
        }
    }
    return all;
}

/// Every conversion that a profile judges, of all roundings, with some numbers of random bits.
std::set<std::string> judged_by(const Profile& profile) {
    std::set<std::string> all;
    const auto names = [&](std::string_view Scope::*list, const Format& format) {
        return std::any_of(profile.scopes.begin(), profile.scopes.end(),
                           [&](const Scope& scope) { return listed(scope.*list, format.name); });
    };
    for (const Format& from : all_formats())
        for (const Format& to : all_formats()) {
            if (!names(&Scope::sources, from) || !names(&Scope::targets, to)) continue;
            for (const std::string_view rounding : info(Choice::rounding).values)
                for (const std::string_view overflow : info(Choice::overflow).values)
                    for (const unsigned bits : {0U, 7U, 8U, 16U, 20U, 21U, 32U}) {
                        Choices choices;
                        set(choices, "rounding", rounding);
                        set(choices, "overflow", overflow);
                        if (is_stochastic(choices.rounding) != (bits != 0)) continue;
                        const Conversion conversion{&from, &to, choices.rounding, choices.overflow, bits};
                        if (covers(profile, conversion)) all.insert(to_string(conversion));
                    }
        }
    return all;
}

std::set<std::string> without(const std::set<std::string>& all, const std::set<std::string>& others) {
    std::set<std::string> rest;
    std::set_difference(all.begin(), all.end(), others.begin(), others.end(), std::inserter(rest, rest.end()));
    return rest;
}

} // namespace

TEST_CASE("the page of instruction sets lists the conversions that their profiles judge", "[profile]") {
    Listed on_page = listed_on_page();
    for (const Profile& profile : profiles::of_instructions()) {
        CAPTURE(profile.name);
        const std::set<std::string> judged = judged_by(profile);
        const std::set<std::string> named = on_page[std::string(profile.name)];
        CHECK_FALSE(judged.empty());
        CHECK(without(judged, named) == std::set<std::string>{}); // not on the page
        CHECK(without(named, judged) == std::set<std::string>{}); // on the page, and not judged
        on_page.erase(std::string(profile.name));
    }
    for (const auto& [name, conversions] : on_page) FAIL_CHECK("no profile of an instruction set is named " << name);
}

TEST_CASE("the page of instruction sets says which choices their profiles leave open", "[profile]") {
    const Names lines = lines_of_page();
    for (const Profile& profile : profiles::of_instructions()) {
        const bool open = std::any_of(profile.permitted.begin(), profile.permitted.end(),
                                      [](const PermittedChoice& entry) { return entry.values.size() > 1; });
        // "amd-*" is for all of AMD.
        const std::string name(profile.name.starts_with("amd-") ? "amd-*" : profile.name);
        const auto at = std::find(lines.begin(), lines.end(), "## What is left open");
        const auto end = std::find(at, lines.end(), "### Not judged");
        REQUIRE(end != lines.end());
        const bool said =
            std::any_of(at, end, [&](const std::string& line) { return line.starts_with("| `" + name + "` |"); });
        CAPTURE(profile.name);
        CHECK(said == open);
    }
}
