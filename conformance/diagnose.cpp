// SPDX-License-Identifier: Apache-2.0
#include "conformance/diagnose.hpp"

#include <algorithm>
#include <bit>
#include <optional>

#include <fmt/format.h>

#include "conformance/identify_conversion.hpp"
#include "vectors/conversion_faults.hpp"
#include "vectors/input_ranges.hpp"
#include "vectors/tabulate.hpp"

namespace mxcert {
namespace {

/// Where two runs of steps have both an answer, and the same one, or another.
InputRanges where(const std::vector<Step>& a, const std::vector<Step>& b, bool same) {
    InputRanges ranges;
    auto at = b.begin();
    for (const Step& one : a) {
        while (at != b.end() && at->last < one.first) ++at;
        for (auto i = at; i != b.end() && i->first <= one.last; ++i)
            if ((i->code == one.code) == same)
                append(ranges, {std::max(one.first, i->first), std::min(one.last, i->last)});
    }
    return ranges;
}

/// The steps without these inputs.
std::vector<Step> without(const std::vector<Step>& steps, const InputRanges& ranges) {
    std::vector<Step> left;
    auto at = ranges.begin();
    for (Step step : steps) {
        while (at != ranges.end() && at->last < step.first) ++at;
        bool gone = false;
        for (auto i = at; i != ranges.end() && i->first <= step.last; ++i) {
            if (i->first > step.first) left.push_back({step.first, i->first - 1, step.code});
            gone = i->last >= step.last;
            if (gone) break;
            step.first = i->last + 1;
        }
        if (!gone) left.push_back(step);
    }
    return left;
}

/// The steps with those of another table where that is said to differ.
std::vector<Step> overlaid(const std::vector<Step>& steps, const std::vector<Step>& over, const InputRanges& ranges) {
    std::vector<Step> all = without(steps, ranges);
    auto at = ranges.begin();
    for (const Step& step : over) {
        while (at != ranges.end() && at->last < step.first) ++at;
        for (auto i = at; i != ranges.end() && i->first <= step.last; ++i)
            all.push_back({std::max(step.first, i->first), std::min(step.last, i->last), step.code});
    }
    std::sort(all.begin(), all.end(), [](const Step& x, const Step& y) { return x.first < y.first; });
    return all;
}

/// A fault that the conversion can have, in a conforming implementation.
struct Candidate {
    const ConversionFault* fault = nullptr;
    InputRanges changed; ///< inputs to which it gives another code
    InputRanges given;   ///< those of them whose code is the one that came
};

/// A Behaviour with faults, and what it does.
struct Model {
    std::vector<const Candidate*> faults;
    Choices choices;
    std::vector<Step> behaviour; ///< the Behaviour's table
    std::vector<Step> steps;     ///< with the faults
    std::uint64_t right = 0;     ///< inputs whose code is the one that came
};

class Diagnosing {
  public:
    Diagnosing(const Conversion& conversion, const std::vector<Step>& steps, const Profile& profile)
        : conversion_(conversion), from_(*conversion.from), to_(*conversion.to), steps_(steps), profile_(profile),
          conforming_(conforming_choices(conversion, profile)),
          right_(tabulate(*conversion.from, *conversion.to, conforming_).steps) {
        for (const Step& step : steps) append(asked_, {step.first, step.last});
    }

    Diagnosis run(std::vector<Difference> differences) {
        Diagnosis diagnosis;
        InputRanges wrong;
        for (const Difference& one : differences) append(wrong, {one.first, one.last});
        diagnosis.differing = count_inputs(wrong);
        if (wrong.empty()) return diagnosis;

        Model model = model_of({});
        if (model.right != count_inputs(asked_))
            for (const ConversionFault& fault : conversion_faults())
                if (fault.applies(from_, to_)) candidates_.push_back(candidate(fault));
        while (model.right != count_inputs(asked_)) {
            std::optional<Model> better = with_one_more(model, wrong);
            if (!better) break;
            model = std::move(*better);
        }
        const InputRanges right = where(steps_, model.steps, true);
        const InputRanges as_model = intersection(wrong, right);
        InputRanges named;
        for (const ChoiceInfo& choice : all_choices()) {
            const InputRanges shown = shown_by(model, choice.choice);
            const InputRanges ranges = intersection(as_model, shown);
            if (ranges.empty() || !holds(shown, right, nearly_all)) continue;
            named = united(named, ranges);
            diagnosis.bugs.push_back(bug(bug_class_of(choice.choice, get(model.choices, choice.choice), from_, to_),
                                         fmt::format("{}={}", choice.name, value_name(model.choices, choice.choice)),
                                         ranges));
        }
        for (const Candidate* one : model.faults) {
            const ConversionFault& fault = *one->fault;
            const InputRanges changed = where(table(fault, model.choices), model.behaviour, false);
            const InputRanges ranges = intersection(as_model, changed);
            if (ranges.empty() || !holds(changed, right, nearly_all)) continue;
            named = united(named, ranges);
            diagnosis.bugs.push_back(bug(*find_bug_class(fault.bug_class), std::string(fault.name), ranges));
        }
        std::stable_sort(diagnosis.bugs.begin(), diagnosis.bugs.end(),
                         [](const NamedBug& a, const NamedBug& b) { return a.inputs > b.inputs; });
        diagnosis.explained = count_inputs(named);
        diagnosis.unexplained = outside(std::move(differences), named);
        return diagnosis;
    }

  private:
    [[nodiscard]] std::vector<Step> table(const ConversionFault& fault, const Choices& choices) const {
        return fault.make(from_, to_, choices).steps;
    }

    [[nodiscard]] Candidate candidate(const ConversionFault& fault) const {
        const std::vector<Step> faulty = table(fault, conforming_);
        const InputRanges changed = where(faulty, right_, false);
        return {&fault, changed, intersection(changed, where(faulty, steps_, true))};
    }

    /// The Behaviour that does best outside of what the faults change, with them.
    [[nodiscard]] Model model_of(const std::vector<const Candidate*>& faults) const {
        Model model;
        model.faults = faults;
        InputRanges changed;
        for (const Candidate* one : faults) changed = united(changed, one->changed);
        model.choices = find_choices(from_, to_, without(steps_, changed), conforming_);
        model.behaviour = tabulate(from_, to_, model.choices).steps;
        model.steps = model.behaviour;
        for (const Candidate* one : faults) {
            const std::vector<Step> faulty = table(*one->fault, model.choices);
            model.steps = overlaid(model.steps, faulty, where(faulty, model.behaviour, false));
        }
        model.right = count_inputs(where(steps_, model.steps, true));
        return model;
    }

    /// The fault by which most is explained besides, if any explains more.
    [[nodiscard]] std::optional<Model> with_one_more(const Model& model, const InputRanges& wrong) const {
        std::optional<Model> best;
        for (const Candidate& candidate : candidates_) {
            if (std::find(model.faults.begin(), model.faults.end(), &candidate) != model.faults.end()) continue;
            // One that gives few of the answers it should needs no search.
            if (intersection(candidate.given, wrong).empty() || !holds(candidate.changed, candidate.given, half))
                continue;
            std::vector<const Candidate*> faults = model.faults;
            faults.push_back(&candidate);
            Model one = model_of(faults);
            if (one.right > (best ? best->right : model.right)) best = std::move(one);
            if (best && best->right == count_inputs(asked_)) break;
        }
        return best;
    }

    // In hundredths. Where a bug has a say the answers are to be its own: a few that agree are chance.
    static constexpr std::uint64_t half = 50;
    static constexpr std::uint64_t nearly_all = 90;
    /// Whether so many of what was asked in these ranges lies in the others too.
    [[nodiscard]] bool holds(const InputRanges& ranges, const InputRanges& others, std::uint64_t hundredths) const {
        const InputRanges asked = intersection(ranges, asked_);
        const auto all = static_cast<double>(count_inputs(asked));
        const auto both = static_cast<double>(count_inputs(intersection(asked, others)));
        return both * 100 >= all * static_cast<double>(hundredths);
    }

    /// Where a choice has a say that the profile does not permit: it gives another code if it alone is as it should
    /// be, or if it alone is as it is.
    [[nodiscard]] InputRanges shown_by(const Model& model, Choice choice) const {
        const std::string_view value = value_name(model.choices, choice);
        if (permits(profile_, conversion_, choice, value) ||
            (permits(profile_, conversion_, choice, any_nan_code) && !is_number(model.choices.nan)))
            return {};
        Choices mended = model.choices;
        Choices alone = conforming_;
        set(mended, choice, get(conforming_, choice));
        set(alone, choice, get(model.choices, choice));
        return united(where(tabulate(from_, to_, mended).steps, model.behaviour, false),
                      where(tabulate(from_, to_, alone).steps, right_, false));
    }
    static bool is_number(NanRule rule) {
        return rule == NanRule::max || rule == NanRule::max_sign || rule == NanRule::zero;
    }
    [[nodiscard]] NamedBug bug(const BugClass& bug_class, std::string how, const InputRanges& ranges) const {
        NamedBug one{&bug_class,           std::move(how),       count_inputs(ranges),
                     ranges.front().first, ranges.front().first, ranges};
        const auto magnitude = [&](Code input) { return input & from_.magnitude_mask(); };
        for (const InputRange& range : ranges) {
            if (magnitude(range.first) < magnitude(one.smallest)) one.smallest = range.first;
            const Code candidate = roundest_in(range);
            if (std::countr_zero(candidate) > std::countr_zero(one.roundest)) one.roundest = candidate;
        }
        return one;
    }
    /// The number with the most zeros at its end.
    static Code roundest_in(const InputRange& range) {
        if (range.first == 0 || range.first == range.last) return range.first;
        const auto differs = static_cast<unsigned>(std::bit_width((range.first - 1) ^ range.last)) - 1;
        return range.last & ~((Code{1} << differs) - 1);
    }

    /// The differences that lie outside these ranges.
    static std::vector<Difference> outside(std::vector<Difference> differences, const InputRanges& ranges) {
        std::vector<Difference> left;
        for (Difference& one : differences)
            for (const Step& step : without({{one.first, one.last, one.got}}, ranges)) {
                Difference part = one;
                part.first = step.first;
                part.last = step.last;
                left.push_back(std::move(part));
            }
        return left;
    }

    const Conversion& conversion_;
    const Format& from_;
    const Format& to_;
    const std::vector<Step>& steps_;
    const Profile& profile_;
    Choices conforming_;
    std::vector<Step> right_; ///< what those choices give
    InputRanges asked_;
    std::vector<Candidate> candidates_; ///< where choices alone do not explain all
};

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
    return Diagnosing(conversion, steps, profile).run(differences_of(steps, permitted));
}

} // namespace mxcert
