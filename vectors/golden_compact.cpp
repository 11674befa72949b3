// SPDX-License-Identifier: Apache-2.0
#include "vectors/golden_compact.hpp"

#include <algorithm>
#include <iterator>
#include <optional>

namespace mxcert {
namespace {

/// The rows of one condition, of which each is taken once.
class Group {
  public:
    Group(std::vector<GoldenRow>::iterator begin, std::vector<GoldenRow>::iterator end, const Format& from)
        : rows_(std::make_move_iterator(begin), std::make_move_iterator(end)), taken_(rows_.size(), false),
          from_(from) {}

    void append_to(std::vector<GoldenRow>& all) {
        for (std::size_t i = 0; i < rows_.size(); ++i) {
            if (taken_[i]) continue;
            GoldenRow best = rows_[i];
            for (const std::size_t second : seconds(i)) {
                GoldenRow row = progression(i, second);
                if (row.times > best.times) best = std::move(row);
            }
            for (std::uint64_t k = 0; k < best.times; ++k) taken_[*find(expanded(best, k))] = true;
            all.push_back(std::move(best));
        }
    }

  private:
    /// Rows that may be the second of a progression: the next two, and those that one scale more leads to.
    [[nodiscard]] std::vector<std::size_t> seconds(std::size_t i) const {
        std::vector<std::size_t> found{i + 1, i + 2};
        const Code scale = Code{1} << static_cast<unsigned>(from_.value_width());
        const Code binade = Code{1} << static_cast<unsigned>(from_.fraction_bits);
        for (const Code by : {scale, scale + binade}) found.push_back(at_or_after(rows_[i].first + by));
        std::erase_if(found, [&](std::size_t j) { return j >= rows_.size(); });
        return found;
    }

    [[nodiscard]] std::size_t at_or_after(Code first) const {
        const auto at = std::lower_bound(rows_.begin(), rows_.end(), first,
                                         [](const GoldenRow& row, Code input) { return row.first < input; });
        return static_cast<std::size_t>(at - rows_.begin());
    }

    /// The index of a row equal to this one that is not taken.
    [[nodiscard]] std::optional<std::size_t> find(const GoldenRow& row) const {
        const std::size_t at = at_or_after(row.first);
        if (at == rows_.size() || taken_[at] || rows_[at] != row) return std::nullopt;
        return at;
    }

    /// As many rows as follow from these two.
    [[nodiscard]] GoldenRow progression(std::size_t first, std::size_t second) const {
        GoldenRow row = rows_[first];
        const GoldenRow& next = rows_[second];
        row.first_by = next.first - row.first;
        row.last_by = next.last - row.last;
        if (row.permit.codes.size() == 1 && next.permit.codes.size() == 1)
            row.permit_by = next.permit.codes.front() - row.permit.codes.front();
        while (find(expanded(row, row.times))) ++row.times;
        return row.times > 1 ? row : rows_[first];
    }

    std::vector<GoldenRow> rows_;
    std::vector<bool> taken_;
    const Format& from_;
};

} // namespace

std::vector<GoldenRow> compact(std::vector<GoldenRow> rows, const Format& from) {
    std::vector<GoldenRow> all;
    for (auto begin = rows.begin(); begin != rows.end();) {
        const auto end = std::find_if(begin, rows.end(), [&](const GoldenRow& row) { return row.when != begin->when; });
        Group(begin, end, from).append_to(all);
        begin = end;
    }
    return all;
}

GoldenRow expanded(const GoldenRow& row, std::uint64_t k) {
    GoldenRow one = row;
    one.first += k * row.first_by;
    one.last += k * row.last_by;
    if (row.permit_by != 0) one.permit.codes.front() += k * row.permit_by;
    one.times = 1;
    one.first_by = one.last_by = one.permit_by = 0;
    return one;
}

} // namespace mxcert
