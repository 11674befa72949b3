// SPDX-License-Identifier: Apache-2.0
#include "conformance/inputs/sweep_order.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <optional>

#include "reference/base/random.hpp"

namespace mxcert::inputs {
namespace {

constexpr std::uint64_t repeat_one_in = 16;
constexpr std::uint64_t requests_at_once = 8; ///< that have the same poison, if there is one for all of them

std::uint64_t size_of(const CodeRange& range) { return range.last - range.first + 1; }

/// How many stretches a group has at most: an even number of two ranges, so that these take turns.
std::uint64_t most_stretches(const std::vector<CodeRange>& ranges) {
    return Interleaving::most_lanes - (ranges.size() > 1 ? 1 : 0);
}

/// How many stretches of `rows` inputs are taken of each range.
std::vector<std::uint64_t> share_out(const std::vector<CodeRange>& ranges, std::uint64_t rows, std::uint64_t in_block) {
    std::vector<std::uint64_t> shares;
    std::uint64_t all = 0;
    for (const CodeRange& range : ranges) {
        shares.push_back(std::min(size_of(range) / rows, most_stretches(ranges) - all));
        all += shares.back();
    }
    for (; rows > 1 && all > 1 && std::gcd(all, in_block) != 1; --all)
        --*std::max_element(shares.begin(), shares.end());
    return shares;
}

/// The starts of the stretches, those of the ranges in turn.
std::vector<std::uint64_t> starts_of(const std::vector<CodeRange>& ranges, const std::vector<std::uint64_t>& shares,
                                     std::uint64_t rows) {
    std::vector<std::uint32_t> classes;
    std::vector<std::uint64_t> starts;
    for (std::uint32_t range = 0; range < ranges.size(); ++range)
        for (std::uint64_t i = 0; i < shares[range]; ++i) {
            classes.push_back(range);
            starts.push_back(ranges[range].first + far_apart(i, shares[range]) * rows);
        }
    std::vector<std::uint64_t> ordered;
    for (const std::uint32_t at : spread(classes)) ordered.push_back(starts[at]);
    return ordered;
}

std::vector<CodeRange> joined(std::vector<CodeRange> ranges) {
    std::sort(ranges.begin(), ranges.end(), [](const CodeRange& a, const CodeRange& b) { return a.first < b.first; });
    std::vector<CodeRange> whole;
    for (const CodeRange& range : ranges) {
        if (!whole.empty() && whole.back().last + 1 == range.first)
            whole.back().last = range.last;
        else
            whole.push_back(range);
    }
    return whole;
}

} // namespace

SweepOrder::SweepOrder(std::span<const std::vector<CodeRange>> sets, std::uint64_t in_block) : in_block_(in_block) {
    for (const std::vector<CodeRange>& set : sets) arrange(set);
}

void SweepOrder::arrange(std::vector<CodeRange> ranges) {
    while (!ranges.empty()) {
        std::uint64_t total = 0;
        std::uint64_t longest = 0;
        for (const CodeRange& range : ranges) {
            total += size_of(range);
            longest = std::max(longest, size_of(range));
        }
        const std::uint64_t rows = std::clamp<std::uint64_t>(total / most_stretches(ranges), 1, longest);
        const std::vector<std::uint64_t> shares = share_out(ranges, rows, in_block_);
        groups_.push_back({size_, rows, starts_of(ranges, shares, rows)});
        size_ = groups_.back().end();
        std::vector<CodeRange> left;
        for (std::size_t i = 0; i < ranges.size(); ++i)
            if (const std::uint64_t taken = shares[i] * rows; taken < size_of(ranges[i]))
                left.push_back({ranges[i].first + taken, ranges[i].last});
        ranges = std::move(left);
    }
}

const SweepOrder::Group& SweepOrder::group_of(std::uint64_t position) const {
    return *std::prev(std::upper_bound(groups_.begin(), groups_.end(), position,
                                       [](std::uint64_t at, const Group& group) { return at < group.first; }));
}

Interleaving::Part SweepOrder::part_at(std::uint64_t position) const {
    const Group& group = group_of(position);
    return {{group.rows, group.starts}, position - group.first};
}

Code SweepOrder::input_at(std::uint64_t position) const {
    const Group& group = group_of(position);
    const std::uint64_t within = position - group.first;
    return group.starts[within % group.starts.size()] + within / group.starts.size();
}

std::uint64_t SweepOrder::end_of_group(std::uint64_t position) const { return group_of(position).end(); }

std::vector<CodeRange> SweepOrder::inputs_of(std::uint64_t position, std::uint64_t count) const {
    std::vector<CodeRange> ranges;
    for (const std::uint64_t end = position + count; position < end;) {
        const std::uint64_t here = std::min(end, end_of_group(position)) - position;
        const std::vector<CodeRange> some_ranges = inputs::inputs_of(part_at(position), here);
        ranges.insert(ranges.end(), some_ranges.begin(), some_ranges.end());
        position += here;
    }
    return joined(std::move(ranges));
}

std::vector<SweepOrder::Stretch> SweepOrder::parts(std::uint64_t most) const {
    std::vector<Stretch> parts;
    for (const Group& group : groups_) {
        const std::uint64_t lanes = group.starts.size();
        for (std::uint64_t at = group.first; at < group.end();) {
            const std::uint64_t used = parts.empty() ? most : parts.back().count;
            std::uint64_t rows = used < most ? (most - used) / lanes : 0;
            if (rows == 0) {
                parts.push_back({at, 0});
                rows = std::max<std::uint64_t>(1, most / lanes);
            }
            const std::uint64_t here = std::min(rows * lanes, group.end() - at);
            parts.back().count += here;
            at += here;
        }
    }
    return parts;
}

namespace {

/// Makes requests of some positions of a group.
class SweepPlanner {
  public:
    using Companions = std::function<std::vector<CodeRange>(std::uint64_t)>;
    SweepPlanner(const SweepOrder& order, const PermitTable* permitted, std::uint64_t seed,
                 const Companions& companions)
        : order_(order), permitted_(permitted), seed_(seed), companions_(companions) {}

    using Poison = std::array<std::uint8_t, 2>;
    [[nodiscard]] std::optional<Poison> poison_of(std::uint64_t first, std::uint64_t count) const {
        if (permitted_ == nullptr) return any_poison;
        std::vector<CodeRange> inputs = order_.inputs_of(first, count);
        for (const CodeRange& range : companions_(first)) inputs.push_back(range);
        return choose_poison(*permitted_, inputs);
    }

    /// Halves what has no poison, down to one row.
    void add(std::uint64_t first, std::uint64_t count, std::uint64_t lanes, std::optional<Poison> poison) {
        if (!poison) poison = poison_of(first, count);
        if (const std::uint64_t half = count / lanes / 2 * lanes; !poison && half != 0) {
            add(first, half, lanes, {});
            add(first + half, count - half, lanes, {});
            return;
        }
        const bool repeat = SplitMix64::at(seed_, blocks_.size()) % repeat_one_in == 0;
        blocks_.push_back({first, count, poison.value_or(any_poison), repeat, blocks_.size()});
    }
    [[nodiscard]] std::vector<Block> take() { return std::move(blocks_); }

  private:
    const SweepOrder& order_;
    const PermitTable* permitted_;
    std::uint64_t seed_;
    const Companions& companions_;
    std::vector<Block> blocks_;
};

} // namespace

std::vector<Block> plan_sweep(const SweepOrder& order, SweepOrder::Stretch part, std::uint64_t at_once,
                              const PermitTable* permitted, std::uint64_t seed,
                              const std::function<std::vector<CodeRange>(std::uint64_t)>& companions) {
    SweepPlanner planner(order, permitted, seed, companions);
    const std::uint64_t end = part.first + part.count;
    for (std::uint64_t at = part.first; at < end;) {
        const std::uint64_t lanes = order.part_at(at).streams.firsts.size();
        const std::uint64_t even = 2 * lanes * order.in_block();
        const std::uint64_t unit = even <= at_once ? even : lanes;
        const std::uint64_t size = std::max<std::uint64_t>(1, at_once / unit) * unit;
        const std::uint64_t group_end = std::min(end, order.end_of_group(at));
        while (at < group_end) {
            const std::uint64_t several = std::min(requests_at_once * size, group_end - at);
            const auto poison = planner.poison_of(at, several);
            for (const std::uint64_t several_end = at + several; at < several_end;) {
                const std::uint64_t count = std::min(size, several_end - at);
                planner.add(at, count, lanes, poison);
                at += count;
            }
        }
    }
    return planner.take();
}

} // namespace mxcert::inputs
