// SPDX-License-Identifier: Apache-2.0
#include "conformance/html/coverage.hpp"

#include <algorithm>
#include <array>
#include <set>

#include <fmt/format.h>

#include "conformance/html/heat_map.hpp"
#include "conformance/html/markup.hpp"
#include "conformance/print/text.hpp"
#include "conformance/report/report_families.hpp"

namespace mxcert::html {
namespace {

constexpr std::array statuses{Status::pass,        Status::fail,  Status::mistrusted, Status::untested,
                              Status::unsupported, Status::error, Status::incomplete};
/// The gravest first: that of a family is the gravest of its rows.
constexpr std::array gravest{Status::fail,       Status::mistrusted,  Status::error, Status::untested,
                             Status::incomplete, Status::unsupported, Status::pass};

/// Rows that are counted together.
struct Family {
    std::string name;
    std::vector<const verdict::Row*> rows;
};

std::vector<Family> families_of(const std::vector<verdict::Row>& rows) {
    std::vector<Family> families;
    for (const verdict::Row& row : rows) {
        const std::string name = report::family_of(row);
        auto at = std::find_if(families.begin(), families.end(), [&](const Family& f) { return f.name == name; });
        if (at == families.end()) at = families.insert(at, {name, {}});
        at->rows.push_back(&row);
    }
    return families;
}

std::string total_text(const verdict::Row& row) {
    if (row.open) return "open";
    if (row.total.empty() || row.total.find('^') != std::string::npos) return escaped(row.total);
    return print::grouped(std::stoull(row.total));
}

std::string how_text(const verdict::Row& row) {
    const verdict::TableFindings* table = verdict::table_of(row);
    if (table != nullptr && !table->asked.empty()) return escaped(table->asked);
    if (row.open) return row.sample ? "a few cases" : "cases";
    if (row.sample) return "a sample";
    return row.compared == 0 ? "" : "every input";
}

std::string family_html(const Family& family, bool is_open) {
    std::vector<std::vector<std::string>> lines;
    std::uint64_t compared = 0;
    std::uint64_t passed = 0;
    std::string maps;
    std::set<std::string> mapped;
    for (const verdict::Row* row : family.rows) {
        compared += row->compared;
        passed += row->status == Status::pass ? 1 : 0;
        lines.push_back({code(row->id), escaped(row->profile), badge(to_string(row->status), row->status),
                         print::grouped(row->compared), total_text(*row),
                         row->open ? "" : coverage_bar(row->compared, row->total), how_text(*row)});
        const verdict::TableFindings* table = verdict::table_of(*row);
        // Every profile was asked the same inputs: one map stands for all.
        if (table != nullptr && row->status == Status::pass && verdict::is_sampled(*row) &&
            mapped.insert(row->id).second)
            maps += details("map", "Which inputs were asked: " + code(row->id),
                            map_figure(table->map, "Map of the inputs of " + row->id));
    }
    const Status status = *std::find_if(gravest.begin(), gravest.end(), [&](Status wanted) {
        return std::any_of(family.rows.begin(), family.rows.end(),
                           [&](const verdict::Row* row) { return row->status == wanted; });
    });
    return details(
        "family",
        fmt::format("{} {}: {} of {} passed, {} compared", badge(to_string(status), status), code(family.name), passed,
                    print::counted(family.rows.size(), "row"), print::counted(compared, "value")),
        table("coverage", {"row", "profile", "status", "compared", "of", "", "asked"}, lines) + maps, is_open);
}

} // namespace

std::string profiles_table(const std::vector<std::string>& profiles, const std::vector<verdict::Row>& rows) {
    const auto count = [&](const std::string& profile, Status status) {
        return std::count_if(rows.begin(), rows.end(),
                             [&](const verdict::Row& row) { return row.profile == profile && row.status == status; });
    };
    std::vector<Status> seen; // no column of noughts
    std::copy_if(statuses.begin(), statuses.end(), std::back_inserter(seen), [&](Status status) {
        return std::any_of(rows.begin(), rows.end(), [&](const verdict::Row& row) { return row.status == status; });
    });
    std::vector<std::string> heading{"profile", "rows"};
    for (const Status status : seen) heading.emplace_back(to_string(status));
    heading.insert(heading.end(), {"values compared", "wrong"});
    std::vector<std::vector<std::string>> lines;
    for (const std::string& profile : profiles) {
        std::uint64_t number = 0;
        std::uint64_t compared = 0;
        std::uint64_t wrong = 0;
        for (const verdict::Row& row : rows) {
            if (row.profile != profile) continue;
            ++number;
            compared += row.compared;
            wrong += row.differing;
        }
        std::vector<std::string>& line = lines.emplace_back();
        line = {code(profile), print::grouped(number)};
        for (const Status status : seen)
            line.push_back(print::grouped(static_cast<std::uint64_t>(count(profile, status))));
        line.insert(line.end(), {print::grouped(compared), print::grouped(wrong)});
    }
    return table("profiles", heading, lines);
}

std::string coverage_html(const std::vector<verdict::Row>& rows) {
    std::string text;
    const std::vector<Family> families = families_of(rows);
    constexpr std::size_t few = 2;
    for (const Family& family : families) text += family_html(family, families.size() <= few);
    return text;
}

} // namespace mxcert::html
