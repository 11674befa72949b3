// SPDX-License-Identifier: Apache-2.0
#include "conformance/parity/changed_behaviour.hpp"

#include <algorithm>
#include <cstddef>

#include <fmt/format.h>

#include "conformance/diagnose/behaviour_with_faults.hpp"
#include "conformance/diagnose/find_choices.hpp"
#include "vectors/tables/step_parts.hpp"

namespace mxcert::parity {
namespace {

using Faults = std::vector<const ConversionFault*>;

/// Whether Behaviours give what was read of B.
class Reader {
  public:
    Reader(const Conversion& conversion, const suites::Reading& reading)
        : from_(*conversion.from), to_(*conversion.to), reading_(reading), answers_(from_, to_, reading.steps) {}

    [[nodiscard]] bool explained(const Choices& choices, const Faults& faults) {
        if (!faults.empty()) {
            const diagnose::BehaviourWithFaults fit = diagnose::with_faults(from_, to_, choices, faults);
            return where(reading_.steps, fit.steps, false).empty();
        }
        if (answers_.missed(choices, 1) != 0) return false;
        const std::vector<diagnose::Unexplained> differing = answers_.unexplained(choices);
        answers_.look_at(differing); // another Behaviour that misses one of these is seen at once
        return differing.empty();
    }
    [[nodiscard]] diagnose::FoundBehaviour found(const Choices& choices, const Faults& faults) const {
        diagnose::FoundBehaviour found;
        found.from = &from_;
        found.to = &to_;
        found.asked = found.explained = answers_.asked();
        found.choices = choices;
        for (const ConversionFault* fault : faults) found.faults.push_back({fault, 0});
        return found;
    }
    [[nodiscard]] bool has_faults() const {
        // A source with a given scale has a table for each: faults of them take long, and change little.
        return from_.scale == nullptr;
    }
    [[nodiscard]] const Format& from() const { return from_; }
    [[nodiscard]] const Format& to() const { return to_; }

  private:
    const Format& from_;
    const Format& to_;
    const suites::Reading& reading_;
    diagnose::GivenAnswers answers_;
};

Faults faults_of(const diagnose::FoundBehaviour& found) {
    Faults faults;
    for (const diagnose::FoundFault& fault : found.faults) faults.push_back(fault.fault);
    return faults;
}

bool has(const Faults& faults, const ConversionFault* fault) {
    return std::find(faults.begin(), faults.end(), fault) != faults.end();
}

Change change_of(const Choices& a, const Choices& b, Choice choice, const std::string& part) {
    return {std::string(info(choice).name),
            std::string(value_name(a, choice)),
            std::string(value_name(b, choice)),
            part,
            {}};
}

/// Of choices that explain the same, those that people name come first: B has the default, or another rounding, rule or
/// overflow mode.
int rank_of(const Choices& b, Choice choice) {
    if (get(b, choice) == get(Choices{}, choice)) return 0;
    return choice == Choice::rounding || choice == Choice::rule || choice == Choice::overflow ? 1 : 2;
}

/// A single choice with another value that explains B, with all others that do.
std::optional<ChangedBehaviour> single_choice(Reader& reader, const Choices& choices, const Faults& faults,
                                              const std::string& part) {
    struct Single {
        int rank;
        Choices choices;
        Choice choice;
    };
    std::vector<Single> singles;
    for (const ChoiceInfo& choice : all_choices())
        for (const Choices& others : diagnose::others_of(choices, choice.choice, reader.to()))
            if (reader.explained(others, faults))
                singles.push_back({rank_of(others, choice.choice), others, choice.choice});
    std::stable_sort(singles.begin(), singles.end(), [](const Single& a, const Single& b) { return a.rank < b.rank; });
    if (singles.empty()) return std::nullopt;
    const Single& first = singles.front();
    ChangedBehaviour changed{reader.found(first.choices, faults),
                             {change_of(choices, first.choices, first.choice, part)}};
    for (std::size_t i = 1; i < singles.size(); ++i)
        changed.changes.front().alike.push_back(
            fmt::format("{} {}", info(singles[i].choice).name, value_name(singles[i].choices, singles[i].choice)));
    return changed;
}

std::optional<ChangedBehaviour> single_fault(Reader& reader, const Choices& choices, const Faults& faults,
                                             const std::string& part) {
    for (const ConversionFault* fault : faults) {
        Faults without = faults;
        std::erase(without, fault);
        if (reader.explained(choices, without))
            return ChangedBehaviour{reader.found(choices, without),
                                    {{"fault", std::string(fault->name), "none", part, {}}}};
    }
    if (!reader.has_faults()) return std::nullopt;
    for (const ConversionFault& fault : conversion_faults()) {
        if (!fault.applies(reader.from(), reader.to()) || has(faults, &fault)) continue;
        Faults with = faults;
        with.push_back(&fault);
        if (reader.explained(choices, with))
            return ChangedBehaviour{reader.found(choices, with),
                                    {{"fault", "none", std::string(fault.name), part, {}}}};
    }
    return std::nullopt;
}

/// What explains B by itself, with each choice at the value of A where that explains B, too.
ChangedBehaviour nearest(Reader& reader, const diagnose::FoundBehaviour& b, const Choices& of_a, const Faults& faults_a,
                         const std::string& part) {
    Choices choices = b.choices;
    Faults faults = faults_of(b);
    for (const ChoiceInfo& choice : all_choices()) {
        if (get(choices, choice.choice) == get(of_a, choice.choice)) continue;
        Choices others = choices;
        set(others, choice.choice, get(of_a, choice.choice));
        if (reader.explained(others, faults)) choices = others;
    }
    ChangedBehaviour changed{reader.found(choices, faults), {}};
    for (const ChoiceInfo& choice : all_choices())
        if (get(choices, choice.choice) != get(of_a, choice.choice))
            changed.changes.push_back(change_of(of_a, choices, choice.choice, part));
    for (const ConversionFault* fault : faults_a)
        if (!has(faults, fault)) changed.changes.push_back({"fault", std::string(fault->name), "none", part, {}});
    for (const ConversionFault* fault : faults)
        if (!has(faults_a, fault)) changed.changes.push_back({"fault", "none", std::string(fault->name), part, {}});
    return changed;
}

} // namespace

std::optional<ChangedBehaviour> change_to_explain(const diagnose::FoundBehaviour& a, const Conversion& conversion,
                                                  const suites::Reading& reading, const std::string& part) {
    // An input with two answers is explained by no function of it.
    if (reading.steps.empty() || !reading.contradictions.empty()) return std::nullopt;
    Reader reader(conversion, reading);
    const Faults faults = faults_of(a);
    if (reader.explained(a.choices, faults)) return ChangedBehaviour{reader.found(a.choices, faults), {}};
    if (std::optional<ChangedBehaviour> single = single_choice(reader, a.choices, faults, part)) return single;
    if (std::optional<ChangedBehaviour> single = single_fault(reader, a.choices, faults, part)) return single;
    const diagnose::FoundBehaviour b = suites::behaviour_of(conversion, reading);
    if (b.explained != b.asked) return std::nullopt;
    return nearest(reader, b, a.choices, faults, part);
}

} // namespace mxcert::parity
