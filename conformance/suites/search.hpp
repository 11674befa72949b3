// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "conformance/suites/found_cases.hpp"

// What explains answers, as a few parameters each of which has one of a few values.
namespace mxcert::suites {

/// A parameter of a Way. The first value is the right one, or the default.
template <class Way> struct SearchParameter {
    struct Value {
        std::string name;
        std::function<void(Way&)> take;
    };
    std::string_view name;
    std::vector<Value> values;
    bool said_if_other = false; ///< the others explain whatever the first one does
};

/// Looks for the values that explain most of `count` answers: from those of `start` one is changed after the other, or
/// two at once where that is of no use, as long as more are explained. `explains(way)` gives a function of the number
/// of an answer; `title(number)` says what an answer is about. Sets `asked`, `explained`, `parameters` and
/// `unexplained`.
template <class Way, class Explains, class Title>
FoundCases search(const std::vector<SearchParameter<Way>>& parameters, std::uint64_t count, const Explains& explains,
                  const Title& title, std::vector<std::size_t> start = {}) {
    constexpr std::size_t most_unexplained = 8; // that are put into words
    using Chosen = std::vector<std::size_t>;    // value of each parameter
    const auto explains_by = [&](const Chosen& values) {
        Way way;
        for (std::size_t i = 0; i < values.size(); ++i) parameters[i].values[values[i]].take(way);
        return explains(way);
    };
    // Gives up after `enough` that are not explained.
    const auto explained_by = [&](const Chosen& values, std::uint64_t enough) {
        auto gives = explains_by(values);
        std::vector<bool> explained;
        std::uint64_t missed = 0;
        for (std::uint64_t number = 0; number < count && missed < enough; ++number) {
            explained.push_back(gives(number));
            missed += explained.back() ? 0 : 1;
        }
        return explained;
    };
    const auto missed_of = [](const std::vector<bool>& all) {
        return static_cast<std::uint64_t>(std::count(all.begin(), all.end(), false));
    };
    const auto with = [](Chosen values, std::size_t parameter, std::size_t value) {
        values[parameter] = value;
        return values;
    };
    Chosen best = std::move(start);
    best.resize(parameters.size());
    std::vector<bool> explained = explained_by(best, std::numeric_limits<std::uint64_t>::max());
    // Takes others if they explain more.
    const auto take = [&](const Chosen& others) {
        const std::uint64_t missed = missed_of(explained);
        if (missed == 0) return false;
        std::vector<bool> now = explained_by(others, missed);
        if (missed_of(now) >= missed) return false;
        explained = std::move(now);
        best = others;
        return true;
    };
    // Calls with every other value of every parameter from `first` on.
    const auto for_each_change = [&](const Chosen& chosen, std::size_t first, const auto& call) {
        for (std::size_t i = first; i < chosen.size(); ++i)
            for (std::size_t value = 0; value < parameters[i].values.size(); ++value)
                if (value != chosen[i]) call(i, with(chosen, i, value));
    };
    for (bool better = true; better;) {
        better = false;
        const Chosen chosen = best; // NOLINT(performance-unnecessary-copy-initialization): take() changes it
        for_each_change(chosen, 0, [&](std::size_t, const Chosen& changed) { better = take(changed) || better; });
        // Some choices decide whether another one matters.
        if (!better)
            for_each_change(chosen, 0, [&](std::size_t i, const Chosen& changed) {
                for_each_change(changed, i + 1,
                                [&](std::size_t, const Chosen& twice) { better = take(twice) || better; });
            });
    }
    // How many the best explain and others do not; no more than `enough` are counted.
    const auto lost_by = [&](const Chosen& others, std::uint64_t enough) {
        auto gives = explains_by(others);
        std::uint64_t lost = 0;
        for (std::uint64_t number = 0; number < count && lost < enough; ++number)
            lost += explained[number] && !gives(number) ? 1 : 0;
        return lost;
    };
    FoundCases found;
    found.asked = explained.size();
    found.explained = found.asked - missed_of(explained);
    for (std::size_t i = 0; i < best.size(); ++i) {
        if (parameters[i].said_if_other && best[i] == 0) continue;
        diagnose::FoundParameter& parameter = found.parameters.emplace_back();
        parameter.name = parameters[i].name;
        parameter.value = parameters[i].values[best[i]].name;
        for (std::size_t value = 0; value < parameters[i].values.size(); ++value) {
            if (value == best[i]) continue;
            // What is alike is looked for after the fewest are known, too.
            const std::uint64_t fewest = parameter.decided_by.value_or(explained.size() + 1);
            const std::uint64_t lost = lost_by(with(best, i, value), std::max<std::uint64_t>(fewest, 1));
            if (lost == 0) parameter.alike.push_back(parameters[i].values[value].name);
            parameter.decided_by = std::min(fewest, lost);
        }
    }
    for (std::uint64_t number = 0; number < count && found.unexplained.size() < most_unexplained; ++number)
        if (!explained[number]) found.unexplained.push_back(title(number));
    return found;
}

/// The values that make a Way, by the number of each; the first where none does.
template <class Way>
std::vector<std::size_t> values_of_way(const std::vector<SearchParameter<Way>>& parameters, const Way& way) {
    std::vector<std::size_t> values;
    for (const SearchParameter<Way>& parameter : parameters) {
        std::size_t value = 0;
        for (std::size_t i = parameter.values.size(); i-- > 0;) {
            Way changed = way;
            parameter.values[i].take(changed);
            if (changed == way) value = i;
        }
        values.push_back(value);
    }
    return values;
}

/// The values with the names that were found, by the number of each; the first where none was.
template <class Way> std::vector<std::size_t> values_by_name(const std::vector<SearchParameter<Way>>& parameters,
                                                             const std::vector<diagnose::FoundParameter>& found) {
    std::vector<std::size_t> values;
    for (const SearchParameter<Way>& parameter : parameters) {
        std::size_t number = 0;
        for (const diagnose::FoundParameter& one : found)
            for (std::size_t value = 0; one.name == parameter.name && value < parameter.values.size(); ++value)
                if (parameter.values[value].name == one.value) number = value;
        values.push_back(number);
    }
    return values;
}

/// A Way that has a name.
template <class Way> struct NamedWay {
    std::string_view name;
    Way way;
};

/// Searches from the recipe that explains most answers: those that differ from it in one choice are found at once. Sets
/// `table`, `in_table`, and `name` to the recipes that explain all, too. `explains` and `title` are those of search(),
/// the recipes and the search each with their own `explains`. Precondition: there is a recipe.
template <class Way, class ExplainsRecipe, class Explains, class Title>
FoundCases search_from_recipes(const std::vector<SearchParameter<Way>>& parameters,
                               const std::vector<NamedWay<Way>>& recipes, std::uint64_t count,
                               const ExplainsRecipe& explains_recipe, const Explains& explains, const Title& title) {
    const NamedWay<Way>* nearest = nullptr;
    std::uint64_t most = 0;
    std::string names;
    for (const NamedWay<Way>& recipe : recipes) {
        auto gives = explains_recipe(recipe.way);
        std::uint64_t explained = 0;
        for (std::uint64_t at = 0; at < count; ++at) explained += gives(at) ? 1 : 0;
        if (explained == count) names.append(names.empty() ? "" : " or ").append(recipe.name);
        if (nearest != nullptr && explained <= most) continue;
        nearest = &recipe;
        most = explained;
    }
    FoundCases found = search<Way>(parameters, count, explains, title, values_of_way(parameters, nearest->way));
    found.table = "recipe";
    found.in_table = !names.empty();
    found.name = std::move(names);
    return found;
}

} // namespace mxcert::suites
