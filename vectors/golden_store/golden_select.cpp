// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <stdexcept>

#include "vectors/golden_store/golden.hpp"

namespace mxcert {
namespace {

/// Whether a profile permits every "choice=value" of a row's condition.
bool holds(std::string_view when, const Profile& profile, const Conversion& conversion) {
    while (!when.empty()) {
        const std::size_t space = when.find(' ');
        const std::string_view term = when.substr(0, space);
        const std::size_t equals = term.find('=');
        const auto choice = std::find_if(all_choices().begin(), all_choices().end(),
                                         [&](const ChoiceInfo& c) { return c.name == term.substr(0, equals); });
        if (equals == std::string_view::npos || choice == all_choices().end())
            throw std::runtime_error("golden row: '" + std::string(term) + "' is not choice=value");
        if (!permits(profile, conversion, choice->choice, term.substr(equals + 1))) return false;
        when = space == std::string_view::npos ? std::string_view{} : when.substr(space + 1);
    }
    return true;
}

/// A clause that permits several outputs names the row: where rows of several clauses meet, the first in order of id
/// does.
void unite_into(PermitStep& step, const GoldenRow& row, const Format& to) {
    step.permit = unite(step.permit, row.permit, to);
    if (step.clause.empty() || row.clause < step.clause) step.clause = row.clause;
}

} // namespace

PermitTable select(const GoldenFile& golden, const Profile& profile, const Conversion& conversion) {
    std::map<std::string_view, bool> held; // rows share few conditions
    std::vector<GoldenRow> rows;
    for (const GoldenRow& row : golden.rows) {
        const auto [it, fresh] = held.try_emplace(row.when, false);
        if (fresh) it->second = holds(row.when, profile, conversion);
        if (!it->second) continue;
        GoldenRow held_row = row;
        held_row.when.clear(); // done with, and the row may stand for many
        for (std::uint64_t k = 0; k < row.times; ++k) rows.push_back(expanded(held_row, k));
    }
    std::sort(rows.begin(), rows.end(), [](const GoldenRow& a, const GoldenRow& b) { return a.first < b.first; });

    // Sweep: cut at every first and every last + 1, and unite the rows that are open between two cuts.
    PermitTable table{golden.from, golden.to, {}};
    std::vector<const GoldenRow*> open;
    std::size_t next = 0;
    const Code end = golden.from->last_code();
    for (Code at = 0;;) {
        std::erase_if(open, [&](const GoldenRow* row) { return row->last < at; });
        for (; next < rows.size() && rows[next].first <= at; ++next) open.push_back(&rows[next]);
        if (open.empty())
            throw std::runtime_error("profile " + std::string(profile.name) + " permits nothing for input " +
                                     hex(at, *golden.from) + " of " + to_string(conversion));
        Code last = next < rows.size() ? rows[next].first - 1 : end;
        for (const GoldenRow* row : open) last = std::min(last, row->last);
        PermitStep step{at, last, {}, {}};
        for (const GoldenRow* row : open) unite_into(step, *row, *golden.to);
        PermitStep* before = table.steps.empty() ? nullptr : &table.steps.back();
        if (before != nullptr && before->permit == step.permit && before->clause == step.clause)
            before->last = last;
        else
            table.steps.push_back(std::move(step));
        if (last == end) break;
        at = last + 1;
    }
    return table;
}

} // namespace mxcert
