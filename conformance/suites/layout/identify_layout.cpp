// SPDX-License-Identifier: Apache-2.0
#include "conformance/suites/layout/identify_layout.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "conformance/suites/blocks/judge.hpp"
#include "conformance/suites/layout/cases.hpp"
#include "conformance/suites/layout/layout_verdict.hpp"

namespace mxcert::suites {
namespace {

constexpr std::size_t most_unexplained = 8; // that are put into words

const LayoutExplanation* find(const std::vector<LayoutExplanation>& explanations, const std::string& name) {
    const auto at = std::find_if(explanations.begin(), explanations.end(),
                                 [&](const LayoutExplanation& explanation) { return explanation.name == name; });
    return at == explanations.end() ? nullptr : &*at;
}

/// The name of the layout, or that of the wrong one.
std::string name_of(const LayoutExplanation& explanation) {
    return explanation.layout.empty() ? explanation.name : std::string(explanation.layout);
}

/// In the order in which one of several is taken: the right one, another of the table, a wrong one.
int rank(const LayoutExplanation& explanation) {
    return explanation.name == "right" ? 0 : explanation.layout.empty() ? 2 : 1;
}

/// Explanations of cases, by name.
class Tally {
  public:
    void add(const LayoutVerdict& verdict) {
        for (const LayoutExplanation& explanation : verdict.explanations) {
            const auto at = known_.try_emplace(explanation.name, Known{explanation, 0}).first;
            ++at->second.cases;
        }
    }
    [[nodiscard]] std::uint64_t cases(const std::string& name) const {
        const auto at = known_.find(name);
        return at == known_.end() ? 0 : at->second.cases;
    }
    /// The most cases that another one explains.
    [[nodiscard]] std::uint64_t next_to(const std::string& name) const {
        std::uint64_t most = 0;
        for (const auto& [other_name, known] : known_)
            if (other_name != name) most = std::max(most, known.cases);
        return most;
    }
    /// What explains most; nullptr if nothing explains any.
    [[nodiscard]] const LayoutExplanation* best() const {
        const Known* best = nullptr;
        for (const auto& [name, known] : known_)
            if (best == nullptr || known.cases > best->cases ||
                (known.cases == best->cases && rank(known.explanation) < rank(best->explanation)))
                best = &known;
        return best == nullptr ? nullptr : &best->explanation;
    }

  private:
    struct Known {
        LayoutExplanation explanation;
        std::uint64_t cases;
    };
    std::map<std::string, Known> known_;
};

/// What holds for all cases: the explanation with the padding and the scales that any of them has.
std::vector<diagnose::FoundParameter> parameters_of(const LayoutExplanation& best,
                                                    const std::vector<LayoutExplanation>& common,
                                                    const std::vector<LayoutVerdict>& verdicts, const Tally& tally,
                                                    LayoutDirection asked_direction) {
    const std::uint64_t all = verdicts.size();
    const bool inverse = best.name == "inverse";
    diagnose::FoundParameter layout{"layout", name_of(best), all - tally.next_to(best.name), {}};
    for (const LayoutExplanation& other_explanation : common)
        if (other_explanation.name != best.name) layout.alike.push_back(name_of(other_explanation));
    const bool arranges = (asked_direction == LayoutDirection::arrange) != inverse;
    diagnose::FoundParameter direction{
        "direction", arranges ? "arrange" : "restore", all - tally.cases(inverse ? "right" : "inverse"), {}};
    if (*direction.decided_by == 0) direction.alike.emplace_back(arranges ? "restore" : "arrange");
    std::vector<diagnose::FoundParameter> parameters{std::move(layout), std::move(direction)};
    const auto add = [&](std::string_view name, std::optional<std::uint8_t> LayoutExplanation::*byte) {
        if (!(best.*byte)) return;
        diagnose::FoundParameter& parameter = parameters.emplace_back();
        parameter.name = name;
        parameter.value = fmt::format("0x{:02X}", *(best.*byte));
        parameter.decided_by = static_cast<std::uint64_t>(
            std::count_if(verdicts.begin(), verdicts.end(), [&](const LayoutVerdict& verdict) {
                const LayoutExplanation* of_case = find(verdict.explanations, best.name);
                return of_case != nullptr && of_case->*byte;
            }));
    };
    add("padding", &LayoutExplanation::padding);
    if (best.zero.value_or(0x00) != 0x00) add("scale 0x00", &LayoutExplanation::zero);
    if (best.nan.value_or(0xFF) != 0xFF) add("scale 0xFF", &LayoutExplanation::nan);
    return parameters;
}

} // namespace

FoundCases identify_layout(observe::Subject& subject, const Operation& operation) {
    const Layout declared = as_layout(operation);
    FoundCases found;
    found.operation = to_string(operation) + "/places";
    found.noun = "case";
    const std::vector<LayoutCase> cases = layout_cases(declared);
    std::vector<LayoutVerdict> verdicts;
    Tally tally;
    for (const LayoutCase& layout_case : cases) {
        const LayoutAnswer answer = ask(subject, operation, layout_case);
        if (answer.last.status != Status::pass) {
            found.status = answer.last.status;
            found.reason = fmt::format("{}: {}", layout_case.name(), answer.last.reason);
            return found;
        }
        verdicts.push_back(judge(layout_case, bytes_of(answer.planes)));
        tally.add(verdicts.back());
    }
    found.asked = verdicts.size();
    const std::vector<LayoutExplanation> common = common_explanations(verdicts);
    const auto best =
        std::min_element(common.begin(), common.end(), [](const auto& a, const auto& b) { return rank(a) < rank(b); });
    if (best != common.end()) {
        found.name = name_of(*best);
        // To restore where one is to arrange is the layout too.
        found.in_table = !best->layout.empty() || best->name == "inverse";
        if (best->name == "inverse") found.name = declared.layout->name;
        found.explained = found.asked;
        found.parameters = parameters_of(*best, common, verdicts, tally, declared.direction);
    } else {
        found.in_table = false;
        const LayoutExplanation* nearest = tally.best();
        if (nearest != nullptr) {
            found.name = name_of(*nearest);
            found.explained = tally.cases(nearest->name);
        }
        for (std::size_t i = 0; i < verdicts.size() && found.unexplained.size() < most_unexplained; ++i)
            if (nearest == nullptr || find(verdicts[i].explanations, nearest->name) == nullptr)
                found.unexplained.push_back(fmt::format("{}: {}", cases[i].name(), verdicts[i].first));
    }
    const auto wrong = static_cast<std::uint64_t>(
        std::count_if(verdicts.begin(), verdicts.end(), [](const LayoutVerdict& verdict) { return !verdict.right; }));
    for (const Profile* profile : judging(operation)) found.profiles.push_back({profile->name, wrong, {}});
    return found;
}

} // namespace mxcert::suites
