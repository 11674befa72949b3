// SPDX-License-Identifier: Apache-2.0
#include "conformance/verdict/value_judge.hpp"

#include <algorithm>

#include "reference/clause.hpp"
#include "reference/exact/exact.hpp"

namespace mxcert::verdict {

ValueJudge::ValueJudge(const Conversion& conversion, const std::vector<Judge>& judges)
    : conversion_(conversion), judges_(&judges) {}

ValueJudge::ValueJudge(const Conversion& conversion, const std::vector<const Profile*>& profiles)
    : conversion_(conversion) {
    for (const Profile* profile : profiles) {
        Models& models = models_.emplace_back(Models{profile, choices_of(conversion)});
        for (const ChoiceInfo& choice : all_choices())
            for (unsigned i = 0; i < choice.values.size(); ++i)
                if (permits(*profile, conversion, choice.choice, choice.values[i])) {
                    set(models.first, choice.choice, i);
                    break;
                }
    }
}

std::optional<ExpectedValue> ValueJudge::forbids(Code input, std::uint32_t random, Code answer) const {
    const Format& to = *conversion_.to;
    if (judges_ != nullptr) {
        for (const Judge& judge : *judges_) {
            const PermitStep& step = judge.permitted.steps[find_step(judge.permitted, input)];
            if (!permits(step.permit, answer, to))
                return ExpectedValue{step.permit, step.clause, judge.profile->name, step.first, step.last};
        }
        return std::nullopt;
    }
    for (const Models& models : models_) {
        const exact::Result usual =
            exact::convert(*conversion_.from, to, models.first, input, {conversion_.random_bits, random});
        if (usual.code == answer) continue; // what most answers are
        ExpectedValue expected = model(input, random, models);
        if (!permits(expected.permit, answer, to)) return expected;
    }
    return std::nullopt;
}

ExpectedValue ValueJudge::model(Code input, std::uint32_t random, const Models& models) const {
    const Format& to = *conversion_.to;
    const Profile& profile = *models.profile;
    ExpectedValue expected{{}, {}, profile.name, input, input};
    // From the first on, only choices that have a say for this value are varied, so the combinations stay few.
    std::vector<Choices> open{models.first};
    for (std::size_t at = 0; at < open.size(); ++at) {
        const Choices choices = open[at];
        const exact::Result result =
            exact::convert(*conversion_.from, to, choices, input, {conversion_.random_bits, random});
        expected.permit = unite(expected.permit, permit_code(result.code), to);
        if (at == 0) expected.clause = clause_of(result.rule, *conversion_.from, to, choices.rule);
        for (const ChoiceInfo& choice : all_choices()) {
            if ((result.consulted & bit(choice.choice)) == 0) continue;
            if (to.is_nan(result.code) && permits(profile, conversion_, choice.choice, "any"))
                expected.permit = unite(expected.permit, permit_any_nan(), to);
            for (unsigned i = 0; i < choice.values.size(); ++i) {
                if (!permits(profile, conversion_, choice.choice, choice.values[i])) continue;
                Choices other_choices = choices;
                set(other_choices, choice.choice, i);
                if (std::find(open.begin(), open.end(), other_choices) == open.end()) open.push_back(other_choices);
            }
        }
    }
    return expected;
}

std::vector<Code> ValueJudge::firsts() const { return judges_ == nullptr ? std::vector<Code>{} : boundaries(*judges_); }

} // namespace mxcert::verdict
