// SPDX-License-Identifier: Apache-2.0
#include "conformance/diagnose/find_behaviour.hpp"

#include <algorithm>
#include <limits>
#include <map>

#include "conformance/diagnose/fit.hpp"
#include "conformance/inputs/run_length.hpp"
#include "reference/exact/exact.hpp"
#include "reference/fast/convert.hpp"
#include "vectors/tables/compare.hpp"
#include "vectors/tables/input_ranges.hpp"
#include "vectors/tables/step_parts.hpp"
#include "vectors/tables/tabulate.hpp"

namespace mxcert {
namespace {

constexpr std::size_t most_probes = 4096; // at the start; what is found to differ comes on top
constexpr std::size_t most_added = 512;   // of what differs, each time
constexpr std::size_t most_starts = 3;
constexpr std::size_t most_ranges = 4096; // beyond, the whole table of a Behaviour takes less than so many parts of it

std::uint64_t inputs_of(Code first, Code last) { return last - first + 1; }

/// What came, and what Behaviours say of it.
class Answers {
  public:
    Answers(const Format& from, const Format& to, const std::vector<Step>& steps)
        : from_(from), to_(to), steps_(steps) {
        for (const Step& step : steps) {
            append(ranges_, {step.first, step.last});
            asked_ += inputs_of(step.first, step.last);
        }
        if (ranges_.size() > most_ranges && to.width() <= 8) ranges_ = {{0, from.last_code()}};
        // Every change of code shows at the ends of a step.
        const std::size_t every = std::max<std::size_t>(1, 2 * steps.size() / most_probes);
        for (std::size_t i = 0; i < steps.size(); i += every) add_probes(steps[i]);
        if (!steps.empty()) add_probes(steps.back());
    }

    [[nodiscard]] std::uint64_t asked() const { return asked_; }

    /// How many probes a Behaviour misses. Gives up after `enough`.
    [[nodiscard]] std::size_t missed(const Choices& choices,
                                     std::size_t enough = std::numeric_limits<std::size_t>::max()) const {
        std::size_t count = 0;
        for_each_missed(choices, [&](Code) { return ++count < enough; });
        return count;
    }
    /// The choices that those ask for.
    [[nodiscard]] ChoiceSet asked_by_missed(const Choices& choices) const {
        ChoiceSet consulted = 0;
        for_each_missed(choices, [&](Code input) {
            consulted |= exact::convert(from_, to_, choices, input).consulted;
            return true;
        });
        return consulted;
    }

    /// All that differs from a Behaviour.
    [[nodiscard]] std::vector<Unexplained> unexplained(const Choices& choices) const {
        std::vector<Unexplained> all;
        for_each_part(trace_steps(from_, to_, choices, ranges_), [&](Code first, Code last, Code got, Code expected) {
            if (got == expected) return;
            if (!all.empty() && all.back().last + 1 == first && all.back().got == got &&
                all.back().expected == expected)
                all.back().last = last;
            else
                all.push_back({first, last, got, expected});
        });
        return all;
    }

    /// Looks at the ends of some of these from now on. False if it did already.
    bool look_at(const std::vector<Unexplained>& differing) {
        const std::size_t before = probes_.size();
        const std::size_t every = std::max<std::size_t>(1, 2 * differing.size() / most_added);
        for (std::size_t i = 0; i < differing.size(); i += every)
            add_probes({differing[i].first, differing[i].last, differing[i].got});
        return probes_.size() != before;
    }

    /// Inputs that ask a Behaviour for a choice.
    [[nodiscard]] static std::vector<InputRange> asking(const std::vector<TracedStep>& traced, Choice choice) {
        std::vector<InputRange> ranges;
        for (const TracedStep& step : traced) {
            if ((step.consulted & bit(choice)) != 0) append(ranges, {step.first, step.last});
        }
        return ranges;
    }
    [[nodiscard]] std::vector<TracedStep> trace(const Choices& choices) const {
        return trace_steps(from_, to_, choices, ranges_);
    }

    /// Inputs among `ranges` of which the first Behaviour, that of `traced`, is right and the other one is not.
    [[nodiscard]] std::uint64_t lost(const std::vector<TracedStep>& traced, const Choices& other,
                                     const std::vector<InputRange>& ranges) const {
        const std::vector<TracedStep> others = trace_steps(from_, to_, other, ranges);
        std::uint64_t lost = 0;
        std::size_t at = 0;
        for_each_part(others, [&](Code first, Code last, Code got, Code expected) {
            if (got == expected) return;
            while (traced[at].last < first) ++at;
            for (std::size_t i = at; i < traced.size() && traced[i].first <= last; ++i)
                if (traced[i].code == got)
                    lost += inputs_of(std::max(first, traced[i].first), std::min(last, traced[i].last));
        });
        return lost;
    }

  private:
    /// The probes that a Behaviour misses, until `take` wants no more. The integer model is some hundred times as fast.
    template <class Take> void for_each_missed(const Choices& choices, const Take& take) const {
        const bool integer = fast::offers(from_, to_, choices);
        for (const auto& [input, got] : probes_) {
            const Code code =
                integer ? fast::convert(from_, to_, choices, input) : exact::convert(from_, to_, choices, input).code;
            if (code != got && !take(input)) return;
        }
    }
    void add_probes(const Step& step) {
        probes_.emplace(step.first, step.code);
        probes_.emplace(step.last, step.code);
    }
    /// The parts of the answers and of a Behaviour on which both are one code.
    template <class Take> void for_each_part(const std::vector<TracedStep>& traced, const Take& take) const {
        auto step = steps_.begin();
        for (const TracedStep& one : traced) {
            while (step != steps_.end() && step->last < one.first) ++step;
            for (auto i = step; i != steps_.end() && i->first <= one.last; ++i)
                take(std::max(i->first, one.first), std::min(i->last, one.last), i->code, one.code);
        }
    }

    const Format& from_;
    const Format& to_;
    const std::vector<Step>& steps_;
    std::vector<InputRange> ranges_; ///< hold all that was asked
    std::map<Code, Code> probes_;    ///< input and answer
    std::uint64_t asked_ = 0;
};

} // namespace

std::vector<Choices> others_of(const Choices& choices, Choice choice, const Format& to) {
    std::vector<Choices> others;
    for (unsigned value = 0; value < info(choice).values.size(); ++value) {
        if (value == get(choices, choice)) continue;
        Choices other = choices;
        set(other, choice, value);
        if (is_stochastic(other.rounding) || (other.rule == ScaleRule::none) != (to.element == nullptr)) continue;
        others.push_back(other);
    }
    return others;
}

namespace {

/// Each rounding, or rule, with each overflow mode.
std::vector<Choices> starts_of(const Format& to) {
    Choices first;
    if (to.element != nullptr) first.rule = ScaleRule::ocp_floor;
    std::vector<Choices> of_rounding{first};
    for (const Choices& other : others_of(first, rounding_or_rule(to), to)) of_rounding.push_back(other);
    std::vector<Choices> starts;
    for (const Choices& one : of_rounding) {
        starts.push_back(one);
        for (const Choices& other : others_of(one, Choice::overflow, to)) starts.push_back(other);
    }
    return starts;
}

/// Changes the one choice by which most is explained, again and again until none does better.
void improve(const Answers& answers, const Format& to, Choices& choices) {
    std::size_t missed = answers.missed(choices);
    for (bool better = true; better && missed != 0;) {
        better = false;
        const Choices given = choices;
        const ChoiceSet consulted = answers.asked_by_missed(given);
        for (const ChoiceInfo& choice : all_choices()) {
            if ((consulted & bit(choice.choice)) == 0) continue;
            for (const Choices& other : others_of(given, choice.choice, to)) {
                const std::size_t now = answers.missed(other, missed);
                if (now >= missed) continue;
                missed = now;
                choices = other;
                better = true;
            }
        }
    }
}

std::uint64_t count_inputs(const std::vector<Unexplained>& ranges) {
    std::uint64_t count = 0;
    for (const Unexplained& range : ranges) count += inputs_of(range.first, range.last);
    return count;
}

std::vector<FoundParameter> parameters_of(const Answers& answers, const Format& to, const Choices& choices) {
    const std::vector<TracedStep> traced = answers.trace(choices);
    std::vector<FoundParameter> parameters;
    for (const ChoiceInfo& choice : all_choices()) {
        const std::vector<InputRange> asking = Answers::asking(traced, choice.choice);
        if (asking.empty()) continue;
        FoundParameter& one = parameters.emplace_back();
        one.name = choice.name;
        one.value = value_name(choices, choice.choice);
        for (const Choices& other : others_of(choices, choice.choice, to)) {
            const std::uint64_t lost = answers.lost(traced, other, asking);
            if (lost == 0) one.alike.emplace_back(value_name(other, choice.choice));
            one.decided_by = std::min(one.decided_by.value_or(lost), lost);
        }
    }
    return parameters;
}

/// The Behaviour that explains most, and what it does not: no evidence.
FoundBehaviour search(Answers& answers, const Format& from, const Format& to, const std::optional<Choices>& wanted) {
    struct Start {
        Choices choices;
        std::size_t missed = 0;
    };
    FoundBehaviour found;
    found.from = &from;
    found.to = &to;
    found.asked = answers.asked();
    if (wanted) found.choices = *wanted;
    if (found.asked == 0) return found;
    std::vector<Start> starts;
    for (const Choices& one : starts_of(to)) starts.push_back({one, answers.missed(one)});
    std::stable_sort(starts.begin(), starts.end(), [](const Start& a, const Start& b) { return a.missed < b.missed; });
    starts.resize(std::min(starts.size(), wanted ? 1 : most_starts));
    if (wanted) starts.insert(starts.begin(), {*wanted, {}});
    bool first = true;
    for (Start& start : starts) {
        // What the probes do not show, the ranges that differ do: those are looked at, until they show nothing more.
        std::vector<Unexplained> differing;
        do {
            improve(answers, to, start.choices);
            differing = answers.unexplained(start.choices);
        } while (answers.look_at(differing));
        const std::uint64_t explained = found.asked - count_inputs(differing);
        if (!first && explained <= found.explained) continue;
        first = false;
        found.explained = explained;
        found.choices = start.choices;
        found.unexplained = std::move(differing);
        if (found.explained == found.asked) break;
    }
    return found;
}

std::uint64_t right_of(const Fit& fit, const std::vector<Step>& steps) {
    return count_inputs(where(steps, fit.steps, true));
}

/// With every choice at the value that explains most together with the faults, or at its default where several do: what
/// was found without them may have stood in for them.
Fit settled(Fit fit, const std::vector<Step>& steps) {
    std::uint64_t right = right_of(fit, steps);
    for (const ChoiceInfo& choice : all_choices())
        for (const Choices& choices : others_of(fit.choices, choice.choice, *fit.to)) {
            Fit other = with_faults(*fit.from, *fit.to, choices, fit.faults);
            const std::uint64_t of_other = right_of(other, steps);
            const bool is_default = get(choices, choice.choice) == get(Choices{}, choice.choice);
            if (of_other < right || (of_other == right && !is_default)) continue;
            right = of_other;
            fit = std::move(other);
        }
    return fit;
}

/// What the answers and a fit differ in.
std::vector<Unexplained> unexplained_by(const Fit& fit, const std::vector<Step>& steps) {
    std::vector<Unexplained> all;
    auto at = fit.steps.begin();
    for (const Step& step : steps)
        for (const Code end = step.last; at != fit.steps.end() && at->first <= end; ++at) {
            const Unexplained one{std::max(step.first, at->first), std::min(end, at->last), step.code, at->code};
            const bool differs = one.first <= one.last && one.got != one.expected;
            if (differs && !all.empty() && all.back().last + 1 == one.first && all.back().got == one.got &&
                all.back().expected == one.expected)
                all.back().last = one.last;
            else if (differs)
                all.push_back(one);
            if (at->last >= end) break;
        }
    return all;
}

/// The evidence of a fit: what its parts, each by itself, could not be replaced by.
std::vector<FoundParameter> parameters_of(const Answers& answers, const Fit& fit, const std::vector<Step>& steps) {
    const InputRanges right = where(steps, fit.steps, true);
    const std::vector<TracedStep> traced = answers.trace(fit.choices);
    std::vector<FoundParameter> parameters;
    for (const ChoiceInfo& choice : all_choices()) {
        if (Answers::asking(traced, choice.choice).empty()) continue;
        FoundParameter& one = parameters.emplace_back();
        one.name = choice.name;
        one.value = value_name(fit.choices, choice.choice);
        for (const Choices& other : others_of(fit.choices, choice.choice, *fit.to)) {
            const Fit others = with_faults(*fit.from, *fit.to, other, fit.faults);
            const std::uint64_t lost = count_inputs(intersection(right, where(steps, others.steps, false)));
            if (lost == 0) one.alike.emplace_back(value_name(other, choice.choice));
            one.decided_by = std::min(one.decided_by.value_or(lost), lost);
        }
    }
    return parameters;
}

std::vector<FoundFault> faults_of(const Fit& fit, const std::vector<Step>& steps) {
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
    Choices best = starts_of(to).front();
    const std::vector<Step> right_steps = tabulate(from, to, best).steps;
    const std::uint64_t many = count_inputs({{0, from.last_code()}}) / 16;
    std::vector<const ConversionFault*> large;
    for (const FaultTable& one : fault_tables(from, to, best))
        if (count_inputs(where(one.steps, right_steps, false)) > many) large.push_back(one.fault);
    std::uint64_t most = 0;
    for (const Choices& start : starts_of(to))
        for (const ConversionFault* fault : large) {
            const std::uint64_t right = count_inputs(where(steps, fault->make(from, to, start).steps, true));
            if (right <= most) continue;
            most = right;
            best = start;
        }
    return best;
}

/// The Behaviour with faults that explains most of what `found` does not; without faults if none explains more.
Fit best_fit(const FoundBehaviour& found, const std::vector<Step>& steps) {
    const Format& from = *found.from;
    const Format& to = *found.to;
    const InputRanges wanted{{0, from.last_code()}};
    Fit best = fit(from, to, steps, found.choices, wanted);
    // A source with a given scale has a table for each: its faults change little.
    if (from.scale != nullptr || right_of(best, steps) == found.asked) return best;
    Fit other = fit(from, to, steps, start_with_fault(from, to, steps), wanted);
    return right_of(other, steps) > right_of(best, steps) ? other : best;
}

} // namespace

FoundBehaviour find_behaviour(const Format& from, const Format& to, const std::vector<Step>& steps) {
    Answers answers(from, to, steps);
    FoundBehaviour found = search(answers, from, to, {});
    if (found.asked == 0) return found;
    if (!found.unexplained.empty() && can_have_faults(from, to)) {
        Fit fit = best_fit(found, steps);
        if (!fit.faults.empty()) fit = pruned(settled(std::move(fit), steps), steps);
        if (!fit.faults.empty() && right_of(fit, steps) > found.explained) {
            found.choices = fit.choices;
            found.unexplained = unexplained_by(fit, steps);
            found.explained = found.asked - count_inputs(found.unexplained);
            found.parameters = parameters_of(answers, fit, steps);
            found.faults = faults_of(fit, steps);
            return found;
        }
    }
    found.parameters = parameters_of(answers, to, found.choices);
    return found;
}

StepTable table_of(const FoundBehaviour& found) {
    std::vector<const ConversionFault*> faults;
    for (const FoundFault& one : found.faults) faults.push_back(one.fault);
    StepTable table{found.from, found.to, {}};
    for (const Step& step : with_faults(*found.from, *found.to, found.choices, faults).steps)
        append_step(table.steps, step);
    return table;
}

Choices find_choices(const Format& from, const Format& to, const std::vector<Step>& steps, const Choices& first) {
    Answers answers(from, to, steps);
    return search(answers, from, to, first).choices;
}

} // namespace mxcert
