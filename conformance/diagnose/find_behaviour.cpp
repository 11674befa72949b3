// SPDX-License-Identifier: Apache-2.0
#include "conformance/diagnose/find_behaviour.hpp"

#include <algorithm>

#include "conformance/diagnose/behaviour_with_faults.hpp"
#include "conformance/diagnose/find_choices.hpp"
#include "conformance/inputs/run_length.hpp"
#include "vectors/tables/input_ranges.hpp"
#include "vectors/tables/step_parts.hpp"
#include "vectors/tables/tabulate.hpp"

namespace mxcert::diagnose {
namespace {

std::vector<FoundParameter> parameters_of(const GivenAnswers& answers, const Choices& choices) {
    const std::vector<TracedStep> traced = answers.trace(choices);
    std::vector<FoundParameter> parameters;
    for (const ChoiceInfo& choice : all_choices()) {
        const std::vector<InputRange> asking = GivenAnswers::asking(traced, choice.choice);
        if (asking.empty()) continue;
        FoundParameter& parameter = parameters.emplace_back();
        parameter.name = choice.name;
        parameter.value = value_name(choices, choice.choice);
        for (const Choices& other_choices : others_of(choices, choice.choice, answers.to())) {
            const std::uint64_t lost = answers.lost(traced, other_choices, asking);
            if (lost == 0) parameter.alike.emplace_back(value_name(other_choices, choice.choice));
            parameter.decided_by = std::min(parameter.decided_by.value_or(lost), lost);
        }
    }
    return parameters;
}

std::uint64_t right_of(const BehaviourWithFaults& fit, const std::vector<Step>& steps) {
    return count_inputs(where(steps, fit.steps, true));
}

/// What the answers and a fit differ in.
std::vector<Unexplained> unexplained_by(const BehaviourWithFaults& fit, const std::vector<Step>& steps) {
    std::vector<Unexplained> all;
    auto at = fit.steps.begin();
    for (const Step& step : steps)
        for (const Code end = step.last; at != fit.steps.end() && at->first <= end; ++at) {
            const Unexplained unexplained{std::max(step.first, at->first), std::min(end, at->last), step.code,
                                          at->code};
            const bool differs = unexplained.first <= unexplained.last && unexplained.got != unexplained.expected;
            if (differs && !all.empty() && all.back().last + 1 == unexplained.first &&
                all.back().got == unexplained.got && all.back().expected == unexplained.expected)
                all.back().last = unexplained.last;
            else if (differs)
                all.push_back(unexplained);
            if (at->last >= end) break;
        }
    return all;
}

/// The evidence of a fit: what its parts, each by itself, could not be replaced by.
std::vector<FoundParameter> parameters_of(const GivenAnswers& answers, const BehaviourWithFaults& fit,
                                          const std::vector<Step>& steps) {
    const InputRanges right = where(steps, fit.steps, true);
    const std::vector<TracedStep> traced = answers.trace(fit.choices);
    std::vector<FoundParameter> parameters;
    for (const ChoiceInfo& choice : all_choices()) {
        if (GivenAnswers::asking(traced, choice.choice).empty()) continue;
        FoundParameter& parameter = parameters.emplace_back();
        parameter.name = choice.name;
        parameter.value = value_name(fit.choices, choice.choice);
        for (const Choices& other_choices : others_of(fit.choices, choice.choice, *fit.to)) {
            const BehaviourWithFaults others = with_faults(*fit.from, *fit.to, other_choices, fit.faults);
            const std::uint64_t lost = count_inputs(intersection(right, where(steps, others.steps, false)));
            if (lost == 0) parameter.alike.emplace_back(value_name(other_choices, choice.choice));
            parameter.decided_by = std::min(parameter.decided_by.value_or(lost), lost);
        }
    }
    return parameters;
}

std::vector<FoundFault> faults_of(const BehaviourWithFaults& fit, const std::vector<Step>& steps) {
    std::vector<FoundFault> faults;
    for (const ConversionFault* fault : fit.faults)
        faults.push_back({fault, count_inputs(intersection(given_by(*fault, fit, steps), changed_by(*fault, fit)))});
    return faults;
}

bool can_have_faults(const Format& from, const Format& to) {
    const auto faults = conversion_faults();
    return std::any_of(faults.begin(), faults.end(),
                       [&](const ConversionFault& fault) { return fault.applies(from, to); });
}

/// The start from which one fault alone gives most answers: a fault that changes nearly all leads the search for
/// choices astray.
Choices start_with_fault(const Format& from, const Format& to, const std::vector<Step>& steps) {
    Choices best = start_choices(to).front();
    const std::vector<Step> right_steps = tabulate(from, to, best).steps;
    const std::uint64_t many = count_inputs(InputRanges{{0, from.last_code()}}) / 16;
    std::vector<const ConversionFault*> large;
    for (const FaultTable& table : fault_tables(from, to, best))
        if (count_inputs(where(table.steps, right_steps, false)) > many) large.push_back(table.fault);
    std::uint64_t most = 0;
    for (const Choices& start : start_choices(to))
        for (const ConversionFault* fault : large) {
            const std::uint64_t right = count_inputs(where(steps, fault->make(from, to, start).steps, true));
            if (right <= most) continue;
            most = right;
            best = start;
        }
    return best;
}

/// The Behaviour with faults that explains most of what `found` does not; without faults if none explains more.
BehaviourWithFaults best_fit(const FoundBehaviour& found, const std::vector<Step>& steps) {
    const Format& from = *found.from;
    const Format& to = *found.to;
    const InputRanges wanted{{0, from.last_code()}};
    BehaviourWithFaults best = find_behaviour_with_faults(from, to, steps, found.choices, wanted);
    // A source with a given scale has a table for each: its faults change little.
    if (from.scale != nullptr || right_of(best, steps) == found.asked) return best;
    BehaviourWithFaults other_behaviour_with_faults =
        find_behaviour_with_faults(from, to, steps, start_with_fault(from, to, steps), wanted);
    return right_of(other_behaviour_with_faults, steps) > right_of(best, steps) ? other_behaviour_with_faults : best;
}

} // namespace

FoundBehaviour find_behaviour(const Format& from, const Format& to, const std::vector<Step>& steps) {
    GivenAnswers answers(from, to, steps);
    FoundBehaviour found;
    found.from = &from;
    found.to = &to;
    found.asked = answers.asked();
    if (found.asked == 0) return found;
    FoundChoices choices = find_choices(answers, {});
    found.choices = choices.choices;
    found.explained = choices.explained;
    found.unexplained = std::move(choices.unexplained);
    if (!found.unexplained.empty() && can_have_faults(from, to)) {
        BehaviourWithFaults fit = best_fit(found, steps);
        if (!fit.faults.empty()) fit = pruned(settled(std::move(fit), steps, Ties::to_default), steps);
        if (!fit.faults.empty() && right_of(fit, steps) > found.explained) {
            found.choices = fit.choices;
            found.unexplained = unexplained_by(fit, steps);
            found.explained = found.asked - count_unexplained(found.unexplained);
            found.parameters = parameters_of(answers, fit, steps);
            found.faults = faults_of(fit, steps);
            return found;
        }
    }
    found.parameters = parameters_of(answers, found.choices);
    return found;
}

StepTable table_of(const FoundBehaviour& found) {
    std::vector<const ConversionFault*> faults;
    for (const FoundFault& fault : found.faults) faults.push_back(fault.fault);
    StepTable table{found.from, found.to, {}};
    for (const Step& step : with_faults(*found.from, *found.to, found.choices, faults).steps)
        inputs::append_step(table.steps, step);
    return table;
}

} // namespace mxcert::diagnose
