// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "conformance/parity/comparison.hpp"
#include "conformance/suites/search.hpp"

namespace mxcert::parity {

/// Whether a way gives every answer. The answers that ways missed are looked at first.
template <class Way, class Explains> class GivesAll {
  public:
    GivesAll(std::uint64_t count, Explains explains) : count_(count), explains_(std::move(explains)) {}

    [[nodiscard]] bool operator()(const Way& way) {
        auto gives = explains_(way);
        for (const std::uint64_t number : missed_)
            if (!gives(number)) return false;
        for (std::uint64_t number = 0; number < count_; ++number)
            if (!gives(number)) {
                missed_.push_back(number);
                return false;
            }
        return true;
    }

  private:
    std::uint64_t count_;
    Explains explains_;
    std::vector<std::uint64_t> missed_;
};

/// The fewest parameters of A's way with another value by which it gives every answer of B, as far as they are found:
/// none, one, else those of the way that a search from A's finds, without those that are not needed. Nothing if no way
/// gives every answer; `explained` has then the most that one gives. `explains` is that of suites::search().
template <class Way, class Explains>
[[nodiscard]] std::optional<std::vector<Change>> change_way(const std::vector<suites::SearchParameter<Way>>& parameters,
                                                            const Way& a, std::uint64_t count, const Explains& explains,
                                                            std::uint64_t& explained) {
    using Chosen = std::vector<std::size_t>;
    const Chosen of_a = suites::values_of_way(parameters, a);
    GivesAll<Way, Explains> gives_all(count, explains);
    const auto explained_by = [&](const Chosen& values) {
        Way way;
        for (std::size_t i = 0; i < values.size(); ++i) parameters[i].values[values[i]].take(way);
        return gives_all(way);
    };
    const auto change_of = [&](std::size_t i, std::size_t value) {
        return Change{std::string(parameters[i].name),
                      parameters[i].values[of_a[i]].name,
                      parameters[i].values[value].name,
                      "",
                      {}};
    };
    explained = count;
    if (gives_all(a)) return std::vector<Change>{};
    std::vector<Change> singles;
    for (std::size_t i = 0; i < parameters.size(); ++i)
        for (std::size_t value = 0; value < parameters[i].values.size(); ++value) {
            Chosen changed = of_a;
            changed[i] = value;
            if (value != of_a[i] && explained_by(changed)) singles.push_back(change_of(i, value));
        }
    if (!singles.empty()) {
        Change first = singles.front();
        for (std::size_t i = 1; i < singles.size(); ++i) first.alike.push_back(singles[i].name + " " + singles[i].b);
        return std::vector<Change>{std::move(first)};
    }
    const suites::FoundCases found = suites::search<Way>(
        parameters, count, explains, [](std::uint64_t) { return std::string(); }, of_a);
    explained = found.explained;
    if (found.explained != count) return std::nullopt;
    Chosen best = suites::values_by_name(parameters, found.parameters);
    for (std::size_t i = 0; i < best.size(); ++i) {
        Chosen with_a = best;
        with_a[i] = of_a[i];
        if (best[i] != of_a[i] && explained_by(with_a)) best = with_a;
    }
    std::vector<Change> changes;
    for (std::size_t i = 0; i < best.size(); ++i)
        if (best[i] != of_a[i]) changes.push_back(change_of(i, best[i]));
    return changes;
}

} // namespace mxcert::parity
