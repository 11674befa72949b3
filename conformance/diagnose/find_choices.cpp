// SPDX-License-Identifier: Apache-2.0
#include "conformance/diagnose/find_choices.hpp"

#include <algorithm>

namespace mxcert::diagnose {
namespace {

constexpr std::size_t most_starts = 3;

/// Changes the one choice by which most is explained, again and again until none does better.
void improve(const GivenAnswers& answers, Choices& choices) {
    std::size_t missed = answers.missed(choices);
    for (bool better = true; better && missed != 0;) {
        better = false;
        const Choices given_choices = choices;
        const ChoiceSet consulted = answers.asked_by_missed(given_choices);
        for (const ChoiceInfo& choice : all_choices()) {
            if ((consulted & bit(choice.choice)) == 0) continue;
            for (const Choices& other_choices : others_of(given_choices, choice.choice, answers.to())) {
                const std::size_t now = answers.missed(other_choices, missed);
                if (now >= missed) continue;
                missed = now;
                choices = other_choices;
                better = true;
            }
        }
    }
}

} // namespace

std::vector<Choices> others_of(const Choices& choices, Choice choice, const Format& to) {
    std::vector<Choices> others;
    for (unsigned value = 0; value < info(choice).values.size(); ++value) {
        if (value == get(choices, choice)) continue;
        Choices other_choices = choices;
        set(other_choices, choice, value);
        if (is_stochastic(other_choices.rounding) || (other_choices.rule == ScaleRule::none) != (to.element == nullptr))
            continue;
        others.push_back(other_choices);
    }
    return others;
}

std::vector<Choices> start_choices(const Format& to) {
    Choices first;
    if (to.element != nullptr) first.rule = ScaleRule::ocp_floor;
    std::vector<Choices> of_rounding{first};
    for (const Choices& other_choices : others_of(first, rounding_or_rule(to), to))
        of_rounding.push_back(other_choices);
    std::vector<Choices> starts;
    for (const Choices& choices : of_rounding) {
        starts.push_back(choices);
        for (const Choices& other_choices : others_of(choices, Choice::overflow, to)) starts.push_back(other_choices);
    }
    return starts;
}

FoundChoices find_choices(GivenAnswers& answers, const std::optional<Choices>& first) {
    struct Start {
        Choices choices;
        std::size_t missed = 0;
    };
    FoundChoices found;
    if (first) found.choices = *first;
    if (answers.asked() == 0) return found;
    std::vector<Start> starts;
    for (const Choices& choices : start_choices(answers.to())) starts.push_back({choices, answers.missed(choices)});
    std::stable_sort(starts.begin(), starts.end(), [](const Start& a, const Start& b) { return a.missed < b.missed; });
    starts.resize(std::min(starts.size(), first ? 1 : most_starts));
    if (first) starts.insert(starts.begin(), {*first, {}});
    bool any = false;
    for (Start& start : starts) {
        // What the probes do not show, the ranges that differ do: those are looked at, until they show nothing more.
        std::vector<Unexplained> differing;
        do {
            improve(answers, start.choices);
            differing = answers.unexplained(start.choices);
        } while (answers.look_at(differing));
        const std::uint64_t explained = answers.asked() - count_unexplained(differing);
        if (any && explained <= found.explained) continue;
        any = true;
        found.explained = explained;
        found.choices = start.choices;
        found.unexplained = std::move(differing);
        if (found.explained == answers.asked()) break;
    }
    return found;
}

} // namespace mxcert::diagnose
