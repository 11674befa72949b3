// SPDX-License-Identifier: Apache-2.0
#include "conformance/diagnose.hpp"

#include <algorithm>
#include <bit>
#include <optional>

#include <fmt/format.h>

#include "conformance/identify_conversion.hpp"
#include "vectors/conversion_faults.hpp"
#include "vectors/tabulate.hpp"

namespace mxcert {
namespace {

using Ranges = std::vector<InputRange>;

std::uint64_t size_of(const Ranges& ranges) {
    std::uint64_t size = 0;
    for (const InputRange& range : ranges) size += range.last - range.first + 1;
    return size;
}

void append(Ranges& ranges, Code first, Code last) {
    if (!ranges.empty() && ranges.back().last + 1 == first)
        ranges.back().last = last;
    else
        ranges.push_back({first, last});
}

Ranges intersection(const Ranges& a, const Ranges& b) {
    Ranges both;
    auto at = b.begin();
    for (const InputRange& one : a) {
        while (at != b.end() && at->last < one.first) ++at;
        for (auto i = at; i != b.end() && i->first <= one.last; ++i)
            append(both, std::max(one.first, i->first), std::min(one.last, i->last));
    }
    return both;
}

Ranges united(const Ranges& a, const Ranges& b) {
    Ranges all = a;
    all.insert(all.end(), b.begin(), b.end());
    std::sort(all.begin(), all.end(), [](const InputRange& x, const InputRange& y) { return x.first < y.first; });
    Ranges ranges;
    for (const InputRange& one : all) {
        if (ranges.empty() || one.first > ranges.back().last)
            append(ranges, one.first, one.last);
        else
            ranges.back().last = std::max(ranges.back().last, one.last);
    }
    return ranges;
}

/// Where two runs of steps have both an answer, and the same one, or another.
Ranges where(const std::vector<Step>& a, const std::vector<Step>& b, bool same) {
    Ranges ranges;
    auto at = b.begin();
    for (const Step& one : a) {
        while (at != b.end() && at->last < one.first) ++at;
        for (auto i = at; i != b.end() && i->first <= one.last; ++i)
            if ((i->code == one.code) == same)
                append(ranges, std::max(one.first, i->first), std::min(one.last, i->last));
    }
    return ranges;
}

/// The steps without these inputs.
std::vector<Step> without(const std::vector<Step>& steps, const Ranges& ranges) {
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
std::vector<Step> overlaid(const std::vector<Step>& steps, const std::vector<Step>& over, const Ranges& ranges) {
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

/// A Behaviour with faults, and what it does.
struct Model {
    std::vector<const ConversionFault*> faults;
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
        for (const Step& step : steps) asked_ += step.last - step.first + 1;
    }

    Diagnosis run(std::vector<Difference> differences) {
        Diagnosis diagnosis;
        Ranges wrong;
        for (const Difference& one : differences) append(wrong, one.first, one.last);
        diagnosis.differing = size_of(wrong);
        if (wrong.empty()) return diagnosis;

        Model model = model_of({});
        while (model.right != asked_) {
            std::optional<Model> better = with_one_more(model, wrong);
            if (!better) break;
            model = std::move(*better);
        }
        const Ranges right = where(steps_, model.steps, true);
        const Ranges as_model = intersection(wrong, right);
        Ranges named;
        for (const ChoiceInfo& choice : all_choices()) {
            const Ranges shown = shown_by(model, choice.choice);
            const Ranges ranges = intersection(as_model, shown);
            if (ranges.empty() || !holds(shown, right, nearly_all)) continue;
            named = united(named, ranges);
            diagnosis.bugs.push_back(bug(bug_class_of(choice.choice, get(model.choices, choice.choice), from_, to_),
                                         fmt::format("{}={}", choice.name, value_name(model.choices, choice.choice)),
                                         ranges));
        }
        for (const ConversionFault* fault : model.faults) {
            const Ranges changed = where(table(*fault, model.choices), model.behaviour, false);
            const Ranges ranges = intersection(as_model, changed);
            if (ranges.empty() || !holds(changed, right, nearly_all)) continue;
            named = united(named, ranges);
            diagnosis.bugs.push_back(bug(*find_bug_class(fault->bug_class), std::string(fault->name), ranges));
        }
        std::stable_sort(diagnosis.bugs.begin(), diagnosis.bugs.end(),
                         [](const NamedBug& a, const NamedBug& b) { return a.inputs > b.inputs; });
        diagnosis.explained = size_of(named);
        diagnosis.unexplained = outside(std::move(differences), named);
        return diagnosis;
    }

  private:
    [[nodiscard]] std::vector<Step> table(const ConversionFault& fault, const Choices& choices) const {
        return fault.make(from_, to_, choices).steps;
    }

    /// The Behaviour that does best outside of what the faults change, with them.
    [[nodiscard]] Model model_of(const std::vector<const ConversionFault*>& faults) const {
        Model model;
        model.faults = faults;
        Ranges changed;
        for (const ConversionFault* fault : faults)
            changed = united(changed, where(table(*fault, conforming_), right_, false));
        model.choices = find_choices(from_, to_, without(steps_, changed), conforming_);
        model.behaviour = tabulate(from_, to_, model.choices).steps;
        model.steps = model.behaviour;
        for (const ConversionFault* fault : faults) {
            const std::vector<Step> faulty = table(*fault, model.choices);
            model.steps = overlaid(model.steps, faulty, where(faulty, model.behaviour, false));
        }
        model.right = size_of(where(steps_, model.steps, true));
        return model;
    }

    /// The fault by which most is explained besides, if any explains more.
    [[nodiscard]] std::optional<Model> with_one_more(const Model& model, const Ranges& wrong) const {
        std::optional<Model> best;
        for (const ConversionFault& fault : conversion_faults()) {
            if (!fault.applies(from_, to_)) continue;
            if (std::find(model.faults.begin(), model.faults.end(), &fault) != model.faults.end()) continue;
            // One that gives few of the answers it should needs no search.
            const std::vector<Step> faulty = table(fault, conforming_);
            const Ranges changed = where(faulty, right_, false);
            const Ranges given = where(faulty, steps_, true);
            if (intersection(intersection(changed, given), wrong).empty() || !holds(changed, given, half)) continue;
            std::vector<const ConversionFault*> faults = model.faults;
            faults.push_back(&fault);
            Model one = model_of(faults);
            if (one.right > (best ? best->right : model.right)) best = std::move(one);
            if (best && best->right == asked_) break;
        }
        return best;
    }

    // In hundredths. Where a bug has a say the answers are to be its own: a few that agree are chance.
    static constexpr std::uint64_t half = 50;
    static constexpr std::uint64_t nearly_all = 90;
    /// Whether so many of what was asked in these ranges lies in the others too.
    [[nodiscard]] bool holds(const Ranges& ranges, const Ranges& others, std::uint64_t hundredths) const {
        Ranges asked;
        for (const Step& step : steps_) append(asked, step.first, step.last);
        const double all = static_cast<double>(size_of(intersection(ranges, asked)));
        const double both = static_cast<double>(size_of(intersection(intersection(ranges, asked), others)));
        return both * 100 >= all * static_cast<double>(hundredths);
    }

    /// Where a choice has a say that the profile does not permit: it gives another code if it alone is as it should
    /// be, or if it alone is as it is.
    [[nodiscard]] Ranges shown_by(const Model& model, Choice choice) const {
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
    [[nodiscard]] NamedBug bug(const BugClass& bug_class, std::string how, const Ranges& ranges) const {
        NamedBug one{&bug_class, std::move(how), size_of(ranges), ranges.front().first, ranges.front().first};
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
    static std::vector<Difference> outside(std::vector<Difference> differences, const Ranges& ranges) {
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
    std::uint64_t asked_ = 0;
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
