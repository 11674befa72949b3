// SPDX-License-Identifier: Apache-2.0
#include "conformance/inputs/point_order.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <span>
#include <utility>

#include "conformance/inputs/interleave.hpp"
#include "conformance/process/shared_memory.hpp"
#include "reference/base/random.hpp"

namespace mxcert::inputs {
namespace {

using Poison = std::array<std::uint8_t, 2>;

/// Appends points in this order as requests.
void append(const std::vector<Point>& points, const Poison& poison, PointOrder& order) {
    for (std::size_t at = 0; at < points.size(); at += process::layout::max_points) {
        const std::size_t count = std::min<std::size_t>(process::layout::max_points, points.size() - at);
        order.blocks.push_back({order.points.size(), count, poison, true, order.blocks.size()});
        order.points.insert(order.points.end(), points.begin() + static_cast<std::ptrdiff_t>(at),
                            points.begin() + static_cast<std::ptrdiff_t>(at + count));
    }
}

/// Points of one scale, with what is permitted of them.
class Arranger {
  public:
    Arranger(std::span<const Point> points, const PermitTable& permitted) : points_(points), permitted_(permitted) {
        std::map<Permit, std::uint32_t> known;
        for (const Point& point : points) {
            const PermitStep& step = permitted.steps[find_step(permitted, point.input)];
            const auto [found, is_new] = known.emplace(step.permit, static_cast<std::uint32_t>(known.size()));
            if (is_new) example_.push_back(point.input);
            classes_.push_back(found->second);
        }
    }

    /// Deals the classes out to as few groups as have poison each.
    void append_to(PointOrder& order) const {
        for (std::size_t groups = 1; groups < example_.size(); groups += 1 + groups / 2) {
            const auto poison = poison_of(groups);
            if (poison) return append_groups(groups, *poison, order);
        }
        // A class alone: where it leaves no byte there is no poison.
        std::vector<Poison> poison;
        for (const Code input : example_)
            poison.push_back(choose_poison(permitted_, input, input).value_or(any_poison));
        append_groups(example_.size(), poison, order);
    }

  private:
    [[nodiscard]] std::optional<std::vector<Poison>> poison_of(std::size_t groups) const {
        std::vector<Poison> poison;
        for (std::size_t group = 0; group < groups; ++group) {
            std::vector<CodeRange> ranges;
            for (std::size_t i = group; i < example_.size(); i += groups) ranges.push_back({example_[i], example_[i]});
            const auto chosen = choose_poison(permitted_, ranges);
            if (!chosen) return std::nullopt;
            poison.push_back(*chosen);
        }
        return poison;
    }

    void append_groups(std::size_t groups, const std::vector<Poison>& poison, PointOrder& order) const {
        for (std::size_t group = 0; group < groups; ++group) {
            std::vector<Point> points;
            std::vector<std::uint32_t> classes;
            for (std::size_t i = 0; i < points_.size(); ++i) {
                if (classes_[i] % groups != group) continue;
                points.push_back(points_[i]);
                classes.push_back(classes_[i]);
            }
            std::vector<Point> spread_out;
            spread_out.reserve(points.size());
            for (const std::uint32_t at : spread(classes)) spread_out.push_back(points[at]);
            append(spread_out, poison[group], order);
        }
    }

    std::span<const Point> points_;
    const PermitTable& permitted_;
    std::vector<std::uint32_t> classes_; ///< of each point
    std::vector<Code> example_;          ///< an input of each class
};

} // namespace

void shuffle(std::vector<Point>& points, std::uint64_t seed) {
    SplitMix64 random(seed);
    shuffle(points, random);
}

PointOrder order_points(std::vector<Point> points, const Format& from, const PermitTable* permitted,
                        std::uint64_t seed) {
    std::sort(points.begin(), points.end(), [](const Point& a, const Point& b) {
        return a.input != b.input ? a.input < b.input : a.random < b.random;
    });
    const bool has_words = std::any_of(points.begin(), points.end(), [](const Point& p) { return p.random != 0; });
    PointOrder order;
    order.points.reserve(points.size());
    for (std::size_t begin = 0; begin < points.size();) {
        std::size_t end = points.size();
        if (from.scale != nullptr) {
            end = begin;
            while (end < points.size() && from.scale_of(points[end].input) == from.scale_of(points[begin].input)) ++end;
        }
        std::vector<Point> some_points(points.begin() + static_cast<std::ptrdiff_t>(begin),
                                       points.begin() + static_cast<std::ptrdiff_t>(end));
        begin = end;
        if (permitted != nullptr) {
            // Otherwise neighbours would have nearly the same random words.
            if (has_words) shuffle(some_points, seed);
            Arranger(some_points, *permitted).append_to(order);
        } else {
            shuffle(some_points, seed);
            append(some_points, any_poison, order);
        }
    }
    return order;
}

} // namespace mxcert::inputs
