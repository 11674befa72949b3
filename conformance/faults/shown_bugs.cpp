// SPDX-License-Identifier: Apache-2.0
#include "conformance/faults/shown_bugs.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "conformance/diagnose/diagnose.hpp"
#include "conformance/faults/planted.hpp"

namespace mxcert::faults {
namespace {

/// An input, and the bugs that it shows by their places.
struct Candidate {
    Code input = 0;
    std::vector<std::size_t> bugs;
};

// The ends of every wrong range: between two of them nothing changes.
std::vector<Candidate> candidates_of(const std::vector<ShownBug>& bugs) {
    std::set<Code> inputs;
    for (const ShownBug& bug : bugs)
        for (const Difference& difference : bug.wrong) inputs.insert({difference.first, difference.last});
    std::vector<Candidate> all;
    for (const Code input : inputs) {
        Candidate candidate{input, {}};
        for (std::size_t i = 0; i < bugs.size(); ++i)
            if (shows(input, bugs[i])) candidate.bugs.push_back(i);
        all.push_back(std::move(candidate));
    }
    // The one that shows most first, of equal ones the smallest: the choice is the same on every machine.
    std::stable_sort(all.begin(), all.end(),
                     [](const Candidate& a, const Candidate& b) { return a.bugs.size() > b.bugs.size(); });
    return all;
}

std::size_t count_new(const Candidate& candidate, const std::vector<bool>& seen) {
    return static_cast<std::size_t>(
        std::count_if(candidate.bugs.begin(), candidate.bugs.end(), [&](std::size_t bug) { return !seen[bug]; }));
}

} // namespace

std::vector<ShownBug> shown_bugs(const Conversion& conversion, const std::vector<verdict::Judge>& judges) {
    std::vector<ShownBug> bugs;
    // Judges plant much the same, and a table is what takes time.
    std::vector<std::pair<Planted, StepTable>> tables;
    const auto table_of = [&](const Planted& planted) -> const StepTable& {
        const auto at = std::find_if(tables.begin(), tables.end(), [&](const auto& item) {
            return item.first.choices == planted.choices && item.first.fault == planted.fault;
        });
        return at != tables.end() ? at->second : tables.emplace_back(planted, planted_table(planted)).second;
    };
    for (const verdict::Judge& judge : judges)
        for (const Planted& planted : planted_in(conversion, *judge.profile)) {
            std::vector<Difference> wrong = diagnose::differences_of(table_of(planted).steps, judge.permitted);
            if (!wrong.empty()) bugs.push_back({planted.bug_class, planted.how, std::move(wrong)});
        }
    return bugs;
}

bool shows(Code input, const ShownBug& bug) {
    const auto at = std::lower_bound(bug.wrong.begin(), bug.wrong.end(), input,
                                     [](const Difference& difference, Code code) { return difference.last < code; });
    return at != bug.wrong.end() && at->first <= input;
}

ShowingInputs showing_inputs(const std::vector<ShownBug>& bugs, std::size_t most) {
    const std::vector<Candidate> candidates = candidates_of(bugs);
    ShowingInputs showing;
    for (const Candidate& candidate : candidates) showing.candidates.push_back(candidate.input);
    std::vector<bool> seen(bugs.size(), false);
    while (showing.chosen.size() < most) {
        const Candidate* best = nullptr;
        std::size_t new_bugs = 0;
        for (const Candidate& candidate : candidates) {
            if (candidate.bugs.size() <= new_bugs) break; // those that follow show no more
            if (const std::size_t fresh = count_new(candidate, seen); fresh > new_bugs) {
                new_bugs = fresh;
                best = &candidate;
            }
        }
        if (best == nullptr) break;
        showing.chosen.push_back(best->input);
        for (const std::size_t bug : best->bugs) seen[bug] = true;
    }
    return showing;
}

} // namespace mxcert::faults
