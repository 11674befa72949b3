// SPDX-License-Identifier: Apache-2.0
#include "vectors/golden_store/golden_compact.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <optional>

namespace mxcert {
namespace {

/// to - from as a signed number. Nullopt if it takes more than 63 bits: the sign of a 64-bit code is such a one.
std::optional<std::int64_t> difference(Code to, Code from) {
    constexpr auto most = static_cast<Code>(std::numeric_limits<std::int64_t>::max());
    const Code size = to < from ? from - to : to - from;
    if (size > most) return std::nullopt;
    return to < from ? -static_cast<std::int64_t>(size) : static_cast<std::int64_t>(size);
}

/// The rows of one condition, of which each is taken once.
class Group {
  public:
    Group(std::vector<GoldenRow>::iterator begin, std::vector<GoldenRow>::iterator end, const Format& from,
          const Format& to)
        : rows_(std::make_move_iterator(begin), std::make_move_iterator(end)), taken_(rows_.size(), false), from_(from),
          to_(to) {}

    void append_to(std::vector<GoldenRow>& all) {
        for (std::size_t i = 0; i < rows_.size(); ++i) {
            if (taken_[i]) continue;
            GoldenRow best = rows_[i];
            for (const std::size_t second : seconds(i)) {
                GoldenRow row = progression(i, second);
                if (row.times > best.times) best = std::move(row);
            }
            for (std::uint64_t k = 0; k < best.times; ++k) taken_[*find(best, k)] = true;
            all.push_back(std::move(best));
        }
    }

  private:
    /// Rows that may be the second of a progression: the next two, and those that one scale more leads to.
    [[nodiscard]] std::vector<std::size_t> seconds(std::size_t i) const {
        std::vector<std::size_t> found{i + 1, i + 2};
        const Code scale = Code{1} << static_cast<unsigned>(from_.value_width());
        const Code binade = Code{1} << static_cast<unsigned>(from_.fraction_bits);
        // A product reaches a step a binade earlier. Files under E8M0 are written without that.
        const bool earlier = from_.scaling == Scaling::multiply && from_.scale->name != formats::e8m0.name;
        for (const Code offset : {scale, earlier ? scale - binade : scale + binade})
            found.push_back(at_or_after(rows_[i].first + offset));
        std::erase_if(found, [&](std::size_t j) { return j >= rows_.size(); });
        return found;
    }

    [[nodiscard]] std::size_t at_or_after(Code first) const {
        const auto at = std::lower_bound(rows_.begin(), rows_.end(), first,
                                         [](const GoldenRow& row, Code input) { return row.first < input; });
        return static_cast<std::size_t>(at - rows_.begin());
    }

    /// The index of the row that is number k of those `row` stands for, if there is one that is not taken.
    [[nodiscard]] std::optional<std::size_t> find(const GoldenRow& row, std::uint64_t k) const {
        if (!stands_for(row, k, from_, to_)) return std::nullopt;
        const GoldenRow this_row = expanded(row, k);
        const std::size_t at = at_or_after(this_row.first);
        if (at == rows_.size() || taken_[at] || rows_[at] != this_row) return std::nullopt;
        return at;
    }

    /// As many rows as follow from these two.
    [[nodiscard]] GoldenRow progression(std::size_t first, std::size_t second) const {
        GoldenRow row = rows_[first];
        const GoldenRow& next = rows_[second];
        std::optional<std::int64_t> permit_by = 0;
        if (row.permit.codes.size() == 1 && next.permit.codes.size() == 1)
            permit_by = difference(next.permit.codes.front(), row.permit.codes.front());
        if (!permit_by) return row;
        // Rows ascend, and no source with a given scale has inputs of 64 bits.
        row.first_by = static_cast<std::int64_t>(next.first - row.first);
        row.last_by = static_cast<std::int64_t>(next.last - row.last);
        row.permit_by = *permit_by;
        while (find(row, row.times)) ++row.times;
        return row.times > 1 ? row : rows_[first];
    }

    std::vector<GoldenRow> rows_;
    std::vector<bool> taken_;
    const Format& from_;
    const Format& to_;
};

} // namespace

std::vector<GoldenRow> compact(std::vector<GoldenRow> rows, const Format& from, const Format& to) {
    std::vector<GoldenRow> all;
    for (auto begin = rows.begin(); begin != rows.end();) {
        const auto end = std::find_if(begin, rows.end(), [&](const GoldenRow& row) { return row.when != begin->when; });
        Group(begin, end, from, to).append_to(all);
        begin = end;
    }
    return all;
}

std::optional<Code> stepped(Code code, std::int64_t step, std::uint64_t k, const Format& format) {
    const std::uint64_t size = step < 0 ? 0 - static_cast<std::uint64_t>(step) : static_cast<std::uint64_t>(step);
    const Code room = step < 0 ? code : format.last_code() - code;
    if (code > format.last_code() || (size != 0 && k > room / size)) return std::nullopt;
    return step < 0 ? code - k * size : code + k * size;
}

bool stands_for(const GoldenRow& row, std::uint64_t k, const Format& from, const Format& to) {
    return stepped(row.first, row.first_by, k, from) && stepped(row.last, row.last_by, k, from) &&
           (row.permit_by == 0 || stepped(row.permit.codes.front(), row.permit_by, k, to));
}

GoldenRow expanded(const GoldenRow& row, std::uint64_t k) {
    const auto sum = [k](Code code, std::int64_t step) { return code + k * static_cast<std::uint64_t>(step); };
    GoldenRow this_row = row;
    this_row.first = sum(row.first, row.first_by);
    this_row.last = sum(row.last, row.last_by);
    if (row.permit_by != 0) this_row.permit.codes.front() = sum(row.permit.codes.front(), row.permit_by);
    this_row.times = 1;
    this_row.first_by = this_row.last_by = this_row.permit_by = 0;
    return this_row;
}

} // namespace mxcert
