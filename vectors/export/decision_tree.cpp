// SPDX-License-Identifier: Apache-2.0
#include "vectors/export/decision_tree.hpp"

#include <map>

namespace mxcert::decision_tree {
namespace {

std::string part(const Rows& rows, const Words& words, std::size_t first, std::size_t count) {
    if (count == 1) return words.leaf(rows.rows[first].permit);
    const std::size_t half = count / 2;
    // One after the other: a language may number what it writes.
    const std::string low = part(rows, words, first, half);
    const std::string high = part(rows, words, first + half, count - half);
    return words.choose(rows.rows[first + half - 1].last, low, high);
}

} // namespace

Rows rows_of(const PermitTable& table) {
    Rows rows;
    std::map<Permit, std::size_t> places;
    for (const PermitStep& step : table.steps) {
        const auto [place, is_new] = places.try_emplace(step.permit, rows.permits.size());
        if (is_new) rows.permits.push_back(step.permit);
        if (!rows.rows.empty() && rows.rows.back().permit == place->second)
            rows.rows.back().last = step.last;
        else
            rows.rows.push_back({step.last, place->second});
    }
    return rows;
}

std::string tree_of(const Rows& rows, const Words& words) { return part(rows, words, 0, rows.rows.size()); }

} // namespace mxcert::decision_tree
