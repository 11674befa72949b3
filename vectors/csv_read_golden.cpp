// SPDX-License-Identifier: Apache-2.0
#include <set>
#include <tuple>

#include "reference/clause.hpp"
#include "vectors/csv_rows.hpp"
#include "vectors/golden_csv.hpp"
#include "vectors/golden_partition.hpp"

namespace mxcert {
namespace {

/// A golden file has about a hundred; the bound keeps a hostile one from taking hours.
constexpr std::size_t max_conditions = 1024;

Permit permit_of(const csv::Rows<5>& rows, const Format& to) {
    try {
        return parse_permit(rows.field(3), to);
    } catch (const std::exception& error) {
        rows.fail(error.what());
    }
}

void check_when(const csv::Rows<5>& rows) {
    try {
        static_cast<void>(parse_when(rows.field(0)));
    } catch (const std::exception& error) {
        rows.fail(error.what());
    }
}

} // namespace

GoldenFile parse_golden(std::string_view text, std::string_view name, const Format& from, const Format& to) {
    csv::Rows<5> rows(text, name, "when,first,last,permit,clause");
    GoldenFile golden{&from, &to, {}};
    std::set<std::string, std::less<>> conditions;
    while (rows.next()) {
        if (!conditions.contains(rows.field(0))) {
            check_when(rows);
            conditions.emplace(rows.field(0));
            if (conditions.size() > max_conditions)
                rows.fail("more than " + std::to_string(max_conditions) + " different conditions");
        }
        const Clause* clause = find_clause(rows.field(4));
        if (clause == nullptr) rows.fail("unknown clause '" + std::string(rows.field(4)) + "'");
        GoldenRow row{std::string(rows.field(0)), rows.code(1, from), rows.code(2, from), permit_of(rows, to),
                      clause->id};
        if (row.last < row.first) rows.fail("last is below first");
        if (!golden.rows.empty()) {
            const GoldenRow& before = golden.rows.back();
            if (std::tie(row.when, row.first) < std::tie(before.when, before.first))
                rows.fail("out of order: rows are sorted by when, then first");
            if (row.when == before.when && row.first <= before.last) rows.fail("overlaps the row before it");
        }
        golden.rows.push_back(std::move(row));
    }
    if (golden.rows.empty()) throw csv::Error(name, "no rows");
    if (const std::string reason = not_a_partition(golden); !reason.empty()) throw csv::Error(name, reason);
    return golden;
}

GoldenFile read_golden(const std::filesystem::path& file, const Format& from, const Format& to) {
    return parse_golden(csv::read_text(file), file.string(), from, to);
}

} // namespace mxcert
