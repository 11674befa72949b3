// SPDX-License-Identifier: Apache-2.0
#include "conformance/gate/gate.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <stdexcept>

#include <fmt/format.h>

#include "conformance/print/text.hpp"

namespace mxcert::gate {
namespace {

/// How a standing is said, and what it does to the gate.
struct StandingInfo {
    std::string_view name;
    bool different;
};
constexpr std::array<StandingInfo, 10> standings{{
    {"same", false},
    {"acknowledged", false},
    {"EXPIRED", true},
    {"NEW", true},
    {"CHANGED", true},
    {"UNEXPECTED PASS", true},
    {"ADDED", true},
    {"GONE", true},
    {"NOT RECOGNISABLE", true},
    {"NOT FINISHED", false},
}};

const StandingInfo& info_of(Standing standing) { return standings.at(static_cast<std::size_t>(standing)); }

bool is_unfinished(const verdict::Row& row) { return row.status == Status::error || row.status == Status::incomplete; }

Standing standing_of(const GateRow& row, const files::Date& today) {
    const bool was_deviation = row.is_known && row.was.deviation.has_value();
    if (is_settled(row.now)) {
        if (!row.is_known) return Standing::added;
        if (was_deviation) return row.now.status == Status::pass ? Standing::mended : Standing::changed;
        return row.was.status == row.now.status ? Standing::same : Standing::changed;
    }
    if (was_deviation && row.unrecognisable.empty() && is_same(row.deviation, *row.was.deviation))
        return today > row.was.by.expires ? Standing::expired : Standing::acknowledged;
    if (is_unfinished(row.now)) return Standing::unfinished;
    if (!row.unrecognisable.empty()) return Standing::unrecognisable;
    return was_deviation ? Standing::changed : Standing::fresh;
}

// A side that has wrong inputs and lists none has too many of them.
bool lists_ranges(const Deviation& deviation) { return deviation.differing == 0 || !deviation.ranges.empty(); }

std::vector<ChangedRange> changes_of(const GateRow& row) {
    if (verdict::table_of(row.now) == nullptr || !table_of_row(row.name.second)) return {};
    const Deviation was = row.is_known && row.was.deviation ? *row.was.deviation : Deviation{};
    if (!lists_ranges(was) || !lists_ranges(row.deviation)) return {};
    return changed_ranges(was.ranges, row.deviation.ranges);
}

GateRow compare_row(const Baseline& baseline, const verdict::Row& now, const files::Date& today) {
    GateRow row;
    row.name = {now.profile, now.id};
    row.now = now;
    if (const auto was = baseline.rows.find(row.name); was != baseline.rows.end()) {
        row.is_known = true;
        row.was = was->second;
    }
    if (!is_settled(now)) {
        row.deviation = deviation_of(now);
        row.unrecognisable = unrecognisable(now, row.deviation);
    }
    row.standing = standing_of(row, today);
    if (row.standing != Standing::same && row.standing != Standing::acknowledged && row.standing != Standing::expired)
        row.changes = changes_of(row);
    return row;
}

} // namespace

std::string_view to_string(Standing standing) { return info_of(standing).name; }
bool is_different(Standing standing) { return info_of(standing).different; }

void check_same(const std::string& file, std::string_view what, const std::string& was, const std::string& is,
                std::string_view remedy) {
    if (was == is) return;
    const auto shown = [](const std::string& text) {
        return text.empty() ? "none" : "'" + print::printable(text) + "'";
    };
    throw std::runtime_error(fmt::format("{}: {} is {}, and this run has {}{}{}", file, what, shown(was), shown(is),
                                         remedy.empty() ? "" : "; ", remedy));
}

std::string text_of(const VectorSet& vectors) {
    return fmt::format("{} ({})", vectors.version,
                       vectors.manifest_sha256.empty() ? "tabulated" : vectors.manifest_sha256.substr(0, 12));
}

std::vector<GateRow> compare(const Baseline& baseline, const report::Report& report, const GateQuestion& question) {
    std::vector<GateRow> rows;
    std::set<RowName> seen;
    for (const verdict::Row& now : report.rows) {
        rows.push_back(compare_row(baseline, now, question.today));
        seen.insert(rows.back().name);
    }
    if (report.interrupted || report.invocation.profiles.empty()) return rows; // not all was asked
    for (const auto& [name, was] : baseline.rows) {
        if (seen.contains(name) || !print::selected(question.filters, name.second)) continue;
        GateRow& row = rows.emplace_back();
        row.name = name;
        row.was = was;
        row.is_known = true;
        row.standing = Standing::gone;
    }
    return rows;
}

int exit_code(const std::vector<GateRow>& rows, bool interrupted) {
    const auto any = [&](auto is) { return std::any_of(rows.begin(), rows.end(), is); };
    if (any([](const GateRow& row) { return is_different(row.standing); })) return 1;
    if (interrupted || any([](const GateRow& row) { return row.standing == Standing::unfinished; })) return 3;
    return rows.empty() ? 4 : 0;
}

std::vector<const GateRow*> unwritable(const std::vector<GateRow>& rows) {
    std::vector<const GateRow*> all;
    for (const GateRow& row : rows)
        if (!row.unrecognisable.empty()) all.push_back(&row);
    return all;
}

bool needs_word(const GateRow& row) {
    return row.standing != Standing::gone && row.standing != Standing::acknowledged && !is_settled(row.now);
}

Baseline acknowledged(Baseline baseline, const std::vector<GateRow>& rows, const Acknowledgement& word) {
    for (const GateRow& row : rows) {
        if (row.standing == Standing::gone) {
            baseline.rows.erase(row.name);
            continue;
        }
        BaselineRow& now = baseline.rows[row.name];
        now.status = row.now.status;
        now.deviation.reset();
        if (is_settled(row.now)) continue;
        now.deviation = row.deviation;
        if (needs_word(row)) now.by = word;
    }
    return baseline;
}

} // namespace mxcert::gate
