// SPDX-License-Identifier: Apache-2.0
#include "conformance/diagnose/behaviour_with_faults.hpp"

#include <algorithm>
#include <optional>

#include "conformance/diagnose/find_choices.hpp"
#include "vectors/faults/fault_tables.hpp"
#include "vectors/tables/step_parts.hpp"

namespace mxcert::diagnose {
namespace {

// In hundredths. Where a fault has a say the answers are to be its own.
constexpr std::uint64_t half = 50;
constexpr std::uint64_t nearly_all = 90;

// Of a family of faults dozens may give most of the answers. Those that give most come first.
constexpr std::size_t most_searches = 12;

bool hold_as_many(const InputRanges& asked_ranges, const InputRanges& ranges, const InputRanges& others,
                  std::uint64_t hundredths) {
    const InputRanges among = intersection(ranges, asked_ranges);
    const auto all = static_cast<double>(count_inputs(among));
    const auto both = static_cast<double>(count_inputs(intersection(among, others)));
    return both * 100 >= all * static_cast<double>(hundredths);
}

/// A fault that the conversion can have, in the implementation that the search begins with.
struct Candidate {
    const ConversionFault* fault = nullptr;
    InputRanges changed; ///< inputs to which it gives another code
    InputRanges given;   ///< those of them whose code is the one that came
};

/// A fit with what it was made of.
struct Tried {
    std::vector<const Candidate*> candidates;
    BehaviourWithFaults fit;
    std::uint64_t right = 0; ///< inputs whose code is the one that came
};

class Fitting {
  public:
    Fitting(const Format& from, const Format& to, const std::vector<Step>& steps, const Choices& first)
        : from_(from), to_(to), steps_(steps), first_(first) {
        for (const Step& step : steps) append(asked_, {step.first, step.last});
    }

    BehaviourWithFaults run(const InputRanges& wanted) {
        Tried best = with({});
        if (best.right != count_inputs(asked_)) find_candidates();
        while (best.right != count_inputs(asked_)) {
            std::optional<Tried> better = with_one_more(best, wanted);
            if (!better) break;
            best = std::move(*better);
        }
        for (;;) {
            // Outside of what its faults change nothing may decide on some choices.
            if (best.right != count_inputs(asked_) && !best.fit.faults.empty())
                best.fit = settled(std::move(best.fit), steps_, Ties::kept);
            BehaviourWithFaults left = pruned(best.fit, steps_);
            if (left.faults.size() == best.fit.faults.size()) return left;
            // Without them other choices may do better.
            std::erase_if(best.candidates, [&](const Candidate* candidate) {
                return std::find(left.faults.begin(), left.faults.end(), candidate->fault) == left.faults.end();
            });
            best = with(best.candidates);
        }
    }

  private:
    void find_candidates() {
        const std::vector<Step> right = right_table(from_, to_, first_).steps;
        for (const FaultTable& table : fault_tables(from_, to_, first_)) {
            const InputRanges changed = where(table.steps, right, false);
            candidates_.push_back({table.fault, changed, intersection(changed, where(table.steps, steps_, true))});
        }
        // The first that explains everything ends the search.
        std::stable_sort(candidates_.begin(), candidates_.end(), [](const Candidate& a, const Candidate& b) {
            return count_inputs(a.given) > count_inputs(b.given);
        });
    }

    /// The Behaviour that does best outside of what the faults change, with them.
    [[nodiscard]] Tried with(const std::vector<const Candidate*>& candidates) const {
        Tried tried;
        tried.candidates = candidates;
        InputRanges changed;
        std::vector<const ConversionFault*> faults;
        for (const Candidate* candidate : candidates) {
            changed = united(changed, candidate->changed);
            faults.push_back(candidate->fault);
        }
        const std::vector<Step> others = without(steps_, changed);
        GivenAnswers answers(from_, to_, others);
        tried.fit = with_faults(from_, to_, find_choices(answers, first_).choices, faults);
        tried.right = count_inputs(where(steps_, tried.fit.steps, true));
        return tried;
    }

    /// The fault by which most is explained besides, if any explains more.
    [[nodiscard]] std::optional<Tried> with_one_more(const Tried& now, const InputRanges& wanted) const {
        std::optional<Tried> best;
        std::size_t searches = 0;
        for (const Candidate& candidate : candidates_) {
            if (std::find(now.candidates.begin(), now.candidates.end(), &candidate) != now.candidates.end()) continue;
            // One that gives few of the answers it should needs no search.
            if (intersection(candidate.given, wanted).empty() ||
                !hold_as_many(asked_, candidate.changed, candidate.given, half))
                continue;
            // Nor does one that cannot explain more, were all else right.
            const std::uint64_t most = count_inputs(asked_) - count_inputs(intersection(asked_, candidate.changed)) +
                                       count_inputs(candidate.given);
            if (most <= (best ? best->right : now.right)) continue;
            if (++searches > most_searches) break;
            std::vector<const Candidate*> candidates = now.candidates;
            candidates.push_back(&candidate);
            Tried tried = with(candidates);
            if (tried.right > (best ? best->right : now.right)) best = std::move(tried);
            if (best && best->right == count_inputs(asked_)) break;
        }
        return best;
    }

    const Format& from_;
    const Format& to_;
    const std::vector<Step>& steps_;
    Choices first_;
    InputRanges asked_;
    std::vector<Candidate> candidates_; ///< where choices alone do not explain all
};

} // namespace

bool holds(const InputRanges& asked_ranges, const InputRanges& ranges, const InputRanges& others) {
    return hold_as_many(asked_ranges, ranges, others, nearly_all);
}

const std::vector<FaultTable>& fault_tables(const Format& from, const Format& to, const Choices& choices) {
    struct Made {
        const Format* from = nullptr;
        const Format* to = nullptr;
        Choices choices;
        std::vector<FaultTable> tables;
    };
    thread_local Made last;
    if (last.from == &from && last.to == &to && last.choices == choices) return last.tables;
    last = {&from, &to, choices, {}};
    for (const ConversionFault& fault : conversion_faults())
        if (fault.applies(from, to)) last.tables.push_back({&fault, fault.make(from, to, choices).steps});
    return last.tables;
}

BehaviourWithFaults with_faults(const Format& from, const Format& to, const Choices& choices,
                                const std::vector<const ConversionFault*>& faults) {
    BehaviourWithFaults fit{&from, &to, choices, faults, right_table(from, to, choices).steps, {}};
    fit.steps = fit.behaviour;
    for (const ConversionFault* fault : faults) {
        const std::vector<Step> faulty = fault->make(from, to, choices).steps;
        fit.steps = overlaid(fit.steps, faulty, where(faulty, fit.behaviour, false));
    }
    return fit;
}

InputRanges changed_by(const ConversionFault& fault, const BehaviourWithFaults& fit) {
    return where(fault.make(*fit.from, *fit.to, fit.choices).steps, fit.behaviour, false);
}

InputRanges given_by(const ConversionFault& fault, const BehaviourWithFaults& fit, const std::vector<Step>& steps) {
    return where(steps, fault.make(*fit.from, *fit.to, fit.choices).steps, true);
}

BehaviourWithFaults pruned(BehaviourWithFaults fit, const std::vector<Step>& steps) {
    InputRanges ranges;
    for (const Step& step : steps) append(ranges, {step.first, step.last});
    for (std::size_t i = 0; i < fit.faults.size();) {
        const InputRanges changed = intersection(changed_by(*fit.faults[i], fit), ranges);
        if (!changed.empty() && holds(ranges, changed, where(steps, fit.steps, true))) {
            ++i;
            continue;
        }
        std::vector<const ConversionFault*> left = fit.faults;
        left.erase(left.begin() + static_cast<std::ptrdiff_t>(i));
        fit = with_faults(*fit.from, *fit.to, fit.choices, left);
        i = 0;
    }
    return fit;
}

BehaviourWithFaults settled(BehaviourWithFaults fit, const std::vector<Step>& steps, Ties ties) {
    std::uint64_t right = count_inputs(where(steps, fit.steps, true));
    for (const ChoiceInfo& choice : all_choices())
        for (const Choices& choices : others_of(fit.choices, choice.choice, *fit.to)) {
            BehaviourWithFaults other_behaviour_with_faults = with_faults(*fit.from, *fit.to, choices, fit.faults);
            const std::uint64_t of_other = count_inputs(where(steps, other_behaviour_with_faults.steps, true));
            const bool wins_tie =
                ties == Ties::to_default && get(choices, choice.choice) == get(Choices{}, choice.choice);
            if (of_other < right || (of_other == right && !wins_tie)) continue;
            right = of_other;
            fit = std::move(other_behaviour_with_faults);
        }
    return fit;
}

BehaviourWithFaults find_behaviour_with_faults(const Format& from, const Format& to, const std::vector<Step>& steps,
                                               const Choices& first, const InputRanges& wanted) {
    return Fitting(from, to, steps, first).run(wanted);
}

} // namespace mxcert::diagnose
