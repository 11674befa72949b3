// SPDX-License-Identifier: Apache-2.0
#include "conformance/diagnose/diagnose.hpp"

#include <algorithm>
#include <bit>
#include <set>

#include <fmt/format.h>

#include "conformance/diagnose/behaviour_with_faults.hpp"
#include "conformance/diagnose/find_behaviour.hpp"
#include "conformance/diagnose/quotients.hpp"
#include "vectors/tables/input_ranges.hpp"
#include "vectors/tables/step_parts.hpp"
#include "vectors/tables/tabulate.hpp"

namespace mxcert::diagnose {
namespace {

/// The number with the most zeros at its end.
Code roundest_in(const InputRange& range) {
    if (range.first == 0 || range.first == range.last) return range.first;
    const auto differs = static_cast<unsigned>(std::bit_width((range.first - 1) ^ range.last)) - 1;
    return range.last & ~((Code{1} << differs) - 1);
}

/// Precondition: there is an input.
NamedBug bug_of(const Format& from, const BugClass& bug_class, std::string how, const InputRanges& ranges) {
    NamedBug bug{&bug_class, std::move(how), count_inputs(ranges), ranges.front().first, ranges.front().first, ranges};
    const auto magnitude = [&](Code input) { return input & from.magnitude_mask(); };
    for (const InputRange& range : ranges) {
        if (magnitude(range.first) < magnitude(bug.smallest)) bug.smallest = range.first;
        const Code candidate = roundest_in(range);
        if (std::countr_zero(candidate) > std::countr_zero(bug.roundest)) bug.roundest = candidate;
    }
    return bug;
}

/// The differences that lie outside these ranges.
std::vector<Difference> outside(const std::vector<Difference>& differences, const InputRanges& ranges) {
    std::vector<Difference> left;
    for (const Difference& difference : differences)
        for (const Step& step : without({{difference.first, difference.last, difference.got}}, ranges)) {
            Difference part = difference;
            part.first = step.first;
            part.last = step.last;
            left.push_back(std::move(part));
        }
    return left;
}

void sort_by_inputs(std::vector<NamedBug>& bugs) {
    std::stable_sort(bugs.begin(), bugs.end(),
                     [](const NamedBug& a, const NamedBug& b) { return a.inputs > b.inputs; });
}

class Diagnosing {
  public:
    /// `permitted`: nullptr where each input has one right answer, that of the conforming choices.
    Diagnosing(const Conversion& conversion, const std::vector<Step>& steps, const Profile& profile,
               const PermitTable* permitted)
        : conversion_(conversion), from_(*conversion.from), to_(*conversion.to), steps_(steps), profile_(profile),
          permitted_(permitted), conforming_(conforming_choices(conversion, profile)),
          right_(tabulate(*conversion.from, *conversion.to, conforming_).steps) {
        for (const Step& step : steps) append(asked_, {step.first, step.last});
    }

    [[nodiscard]] Diagnosis run(const std::vector<Difference>& differences) const {
        Diagnosis diagnosis;
        InputRanges wrong;
        for (const Difference& difference : differences) append(wrong, {difference.first, difference.last});
        diagnosis.differing = count_inputs(wrong);
        if (wrong.empty()) return diagnosis;

        const BehaviourWithFaults fit = best_fit(wrong);
        const InputRanges right = where(steps_, fit.steps, true);
        const InputRanges as_fit = intersection(wrong, right);
        const InputRanges wrong_in_fit = not_permitted(fit.steps);
        InputRanges named;
        for (const ChoiceInfo& choice : all_choices()) {
            const InputRanges shown = shown_by(fit, choice.choice);
            const InputRanges ranges = intersection(as_fit, shown);
            // Where the choice changes one permitted answer for another, one that came proves nothing.
            if (ranges.empty() || !holds(asked_, intersection(shown, wrong_in_fit), right)) continue;
            named = united(named, ranges);
            diagnosis.bugs.push_back(
                bug_of(from_, bug_class_of(choice.choice, get(fit.choices, choice.choice), from_, to_),
                       fmt::format("{}={}", choice.name, value_name(fit.choices, choice.choice)), ranges));
            Choices mended = fit.choices;
            set(mended, choice.choice, get(conforming_, choice.choice));
            add_alike(diagnosis.bugs, fit, mended, fit.faults);
        }
        for (const ConversionFault* fault : fit.faults) {
            const InputRanges ranges =
                intersection(intersection(as_fit, given_by(*fault, fit, steps_)), changed_by(*fault, fit));
            if (ranges.empty()) continue;
            named = united(named, ranges);
            diagnosis.bugs.push_back(
                bug_of(from_, *find_bug_class(fault->bug_class), std::string(fault->name), ranges));
            std::vector<const ConversionFault*> others = fit.faults;
            std::erase(others, fault);
            add_alike(diagnosis.bugs, fit, fit.choices, others);
        }
        sort_by_inputs(diagnosis.bugs);
        diagnosis.explained = count_inputs(named);
        diagnosis.unexplained = outside(differences, named);
        return diagnosis;
    }

  private:
    /// What explains most, looked for from a conforming implementation on and, if that leaves something, from every
    /// start that `identify` has.
    [[nodiscard]] BehaviourWithFaults best_fit(const InputRanges& wrong) const {
        const auto explained = [&](const BehaviourWithFaults& fit) {
            return count_inputs(where(steps_, fit.steps, true));
        };
        BehaviourWithFaults best = find_behaviour_with_faults(from_, to_, steps_, conforming_, wrong);
        if (explained(best) == count_inputs(asked_)) return best;
        const FoundBehaviour found = find_behaviour(from_, to_, steps_);
        if (found.explained <= explained(best)) return best;
        std::vector<const ConversionFault*> faults;
        for (const FoundFault& fault : found.faults) faults.push_back(fault.fault);
        return with_faults(from_, to_, found.choices, faults);
    }

    /// The inputs to which such a table has an answer that is not permitted.
    [[nodiscard]] InputRanges not_permitted(const std::vector<Step>& steps) const {
        if (permitted_ == nullptr) return where(steps, right_, false);
        InputRanges ranges;
        for (const Difference& difference : differences_of(steps, *permitted_))
            append(ranges, {difference.first, difference.last});
        return ranges;
    }

    /// Names besides the last bug the first fault of each other class that gives the very same answers in its place.
    /// `choices`, `others`: the fit without that bug.
    void add_alike(std::vector<NamedBug>& bugs, const BehaviourWithFaults& fit, const Choices& choices,
                   const std::vector<const ConversionFault*>& others) const {
        const NamedBug last = bugs.back();
        std::set<std::string_view> named;
        for (const NamedBug& bug : bugs) named.insert(bug.bug_class->id);
        for (const FaultTable& table : fault_tables(from_, to_, conforming_)) {
            if (named.contains(table.fault->bug_class)) continue;
            // Most faults have other answers already by themselves.
            if (count_inputs(intersection(last.where, where(table.steps, steps_, true))) != last.inputs) continue;
            std::vector<const ConversionFault*> faults = others;
            faults.push_back(table.fault);
            const BehaviourWithFaults alike = with_faults(from_, to_, choices, faults);
            if (!intersection(where(alike.steps, fit.steps, false), asked_).empty()) continue;
            named.insert(table.fault->bug_class);
            bugs.push_back(bug_of(from_, *find_bug_class(table.fault->bug_class), table.fault->name, last.where));
        }
    }

    /// Where a choice has a say that the profile does not permit: it gives another code if it alone is as it should
    /// be, or if it alone is as it is.
    [[nodiscard]] InputRanges shown_by(const BehaviourWithFaults& fit, Choice choice) const {
        const std::string_view value = value_name(fit.choices, choice);
        if (permits(profile_, conversion_, choice, value) ||
            (permits(profile_, conversion_, choice, any_nan_code) && !is_number(fit.choices.nan)))
            return {};
        Choices mended = fit.choices;
        Choices alone = conforming_;
        set(mended, choice, get(conforming_, choice));
        set(alone, choice, get(fit.choices, choice));
        return united(where(tabulate(from_, to_, mended).steps, fit.behaviour, false),
                      where(tabulate(from_, to_, alone).steps, right_, false));
    }

    const Conversion& conversion_;
    const Format& from_;
    const Format& to_;
    const std::vector<Step>& steps_;
    const Profile& profile_;
    const PermitTable* permitted_;
    Choices conforming_;
    std::vector<Step> right_; ///< what those choices give
    InputRanges asked_;
};

/// Names mistakes in quotients, whatever the scale.
Diagnosis diagnose_quotients(const Conversion& conversion, const std::vector<Step>& steps,
                             const std::vector<Difference>& differences, const Profile& profile) {
    const Quotients quotients = quotients_of(*conversion.from, steps, differences);
    if (quotients.differences.empty()) return {};
    Conversion of_quotients = conversion;
    of_quotients.from = conversion.from->value;
    Diagnosis diagnosis;
    diagnosis.differing = count_inputs(differences);
    InputRanges named;
    for (const NamedBug& bug :
         Diagnosing(of_quotients, quotients.steps, profile, nullptr).run(quotients.differences).bugs) {
        const InputRanges ranges = inputs_with(*conversion.from, differences, bug.where);
        named = united(named, ranges);
        diagnosis.bugs.push_back(bug_of(*conversion.from, *bug.bug_class, bug.how, ranges));
    }
    sort_by_inputs(diagnosis.bugs); // a quotient counts as often as there are scales that give it
    diagnosis.explained = count_inputs(named);
    diagnosis.unexplained = outside(differences, named);
    return diagnosis;
}

/// The steps, with one code for every NaN of a wide target for which any will do: which of them came says nothing.
std::vector<Step> with_one_nan(const Conversion& conversion, std::vector<Step> steps, const Profile& profile) {
    constexpr int widest_element = 8; // bits
    const Format& to = *conversion.to;
    if (to.value_width() <= widest_element || !permits(profile, conversion, Choice::nan, any_nan_code)) return steps;
    for (Step& step : steps)
        if (to.is_nan(step.code)) step.code = to.magnitude_mask();
    return steps;
}

} // namespace

Choices conforming_choices(const Conversion& conversion, const Profile& profile) {
    Choices choices = choices_of(conversion);
    for (const ChoiceInfo& choice : all_choices()) {
        const std::string_view now = value_name(choices, choice.choice);
        const std::vector<std::string_view> values = permitted_values(profile, conversion, choice.choice);
        if (values.empty() || values.front() == any_nan_code) continue;
        if (std::find(values.begin(), values.end(), now) == values.end()) set(choices, choice.name, values.front());
    }
    return choices;
}

std::vector<Difference> differences_of(const std::vector<Step>& steps, const PermitTable& permitted) {
    std::vector<Difference> differences;
    for (const Step& step : steps) {
        for (std::size_t at = find_step(permitted, step.first);
             at < permitted.steps.size() && permitted.steps[at].first <= step.last; ++at) {
            const PermitStep& wanted = permitted.steps[at];
            if (!permits(wanted.permit, step.code, *permitted.to))
                differences.push_back({std::max(step.first, wanted.first), std::min(step.last, wanted.last), step.code,
                                       wanted.permit, wanted.clause});
        }
    }
    return differences;
}

Diagnosis diagnose(const Conversion& conversion, const std::vector<Step>& steps, const PermitTable& permitted,
                   const Profile& profile) {
    const std::vector<Difference> differences = differences_of(steps, permitted);
    const std::vector<Step> of_one_nan = with_one_nan(conversion, steps, profile);
    Diagnosis diagnosis = Diagnosing(conversion, of_one_nan, profile, &permitted).run(differences);
    if (diagnosis.unexplained.empty() || !are_quotients(*conversion.from)) return diagnosis;
    Diagnosis of_quotients = diagnose_quotients(conversion, steps, differences, profile);
    return of_quotients.explained > diagnosis.explained ? of_quotients : diagnosis;
}

} // namespace mxcert::diagnose
