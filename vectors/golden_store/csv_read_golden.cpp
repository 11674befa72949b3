// SPDX-License-Identifier: Apache-2.0
#include <set>
#include <tuple>

#include "reference/clause.hpp"
#include "vectors/golden_store/golden_csv.hpp"
#include "vectors/golden_store/golden_partition.hpp"
#include "vectors/tables/csv_rows.hpp"

namespace mxcert {
namespace {

/// A golden file has about a hundred; the bound keeps a hostile one from taking hours.
constexpr std::size_t max_conditions = 1024;
/// The same for rows that stand for several: the scaled sources have under a million.
constexpr std::uint64_t max_expanded = std::uint64_t{1} << 22;

template <unsigned N> class Reader {
  public:
    Reader(std::string_view text, std::string_view name, const Format& from, const Format& to)
        : rows_(text, name, golden_header(from)), golden_{&from, &to, {}} {}

    GoldenFile read() {
        while (rows_.next()) golden_.rows.push_back(row());
        return std::move(golden_);
    }

  private:
    GoldenRow row() {
        const Format& from = *golden_.from;
        check_when();
        const Clause* clause = find_clause(rows_.field(4));
        if (clause == nullptr) rows_.fail("unknown clause '" + std::string(rows_.field(4)) + "'");
        GoldenRow row{std::string(rows_.field(0)), rows_.code(1, from), rows_.code(2, from), permit(), clause->id};
        if (row.last < row.first) rows_.fail("last is below first");
        if constexpr (N > 5) repeat(row);
        if (golden_.rows.empty()) return row;
        const GoldenRow& before = golden_.rows.back();
        if (std::tie(row.when, row.first) < std::tie(before.when, before.first))
            rows_.fail("out of order: rows are sorted by when, then first");
        if (row.when == before.when && row.first <= before.last) rows_.fail("overlaps the row before it");
        return row;
    }

    void check_when() {
        if (conditions_.contains(rows_.field(0))) return;
        try {
            static_cast<void>(parse_when(rows_.field(0)));
        } catch (const std::exception& error) {
            rows_.fail(error.what());
        }
        conditions_.emplace(rows_.field(0));
        if (conditions_.size() > max_conditions)
            rows_.fail("more than " + std::to_string(max_conditions) + " different conditions");
    }

    Permit permit() {
        try {
            return parse_permit(rows_.field(3), *golden_.to);
        } catch (const std::exception& error) {
            rows_.fail(error.what());
        }
    }

    /// What the row stands for beside itself.
    void repeat(GoldenRow& row) {
        row.times = rows_.count(5, max_expanded - expanded_);
        expanded_ += row.times;
        row.first_by = rows_.difference(6, *golden_.from);
        row.last_by = rows_.difference(7, *golden_.from);
        row.permit_by = rows_.difference(8, *golden_.to);
        if (row.times == 1 && (row.first_by != 0 || row.last_by != 0 || row.permit_by != 0))
            rows_.fail("it stands for itself alone, and has differences");
        if (row.permit_by != 0 && (row.permit.any_nan || row.permit.codes.size() != 1))
            rows_.fail("its permit is no single code, and has a difference");
        Code before = row.last;
        for (std::uint64_t k = 1; k < row.times; ++k) {
            const auto none = [&] {
                rows_.fail("number " + std::to_string(k + 1) + " of the rows it stands for is none");
            };
            if (!stands_for(row, k, *golden_.from, *golden_.to)) none();
            const GoldenRow this_row = expanded(row, k);
            if (this_row.first <= before || this_row.last < this_row.first) none();
            before = this_row.last;
        }
    }

    csv::Rows<N> rows_;
    GoldenFile golden_;
    std::set<std::string, std::less<>> conditions_;
    std::uint64_t expanded_ = 0;
};

} // namespace

GoldenFile parse_golden(std::string_view text, std::string_view name, const Format& from, const Format& to) {
    GoldenFile golden =
        from.scale != nullptr ? Reader<9>(text, name, from, to).read() : Reader<5>(text, name, from, to).read();
    if (golden.rows.empty()) throw csv::Error(name, "no rows");
    if (const std::string reason = not_a_partition(golden); !reason.empty()) throw csv::Error(name, reason);
    return golden;
}

GoldenFile read_golden(const std::filesystem::path& file, const Format& from, const Format& to) {
    return parse_golden(csv::read_text(file), file.string(), from, to);
}

} // namespace mxcert
