// SPDX-License-Identifier: Apache-2.0
#include "conformance/faults/small_suite.hpp"

#include <algorithm>
#include <set>
#include <unordered_set>

#include <fmt/format.h>

#include "conformance/faults/planted.hpp"
#include "reference/base/random.hpp"
#include "vectors/tables/single_bits.hpp"

namespace mxcert::faults {
namespace {

/// A planted bug and the inputs that show it.
struct Shown {
    std::string name;
    std::vector<Difference> wrong; ///< ascending
};

std::vector<Shown> shown_bugs(const Conversion& conversion, const std::vector<verdict::Judge>& judges) {
    std::vector<Shown> bugs;
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
            if (!wrong.empty())
                bugs.push_back({fmt::format("{}: {}", planted.bug_class->id, planted.how), std::move(wrong)});
        }
    return bugs;
}

bool shows(Code input, const Shown& bug) {
    const auto at = std::lower_bound(bug.wrong.begin(), bug.wrong.end(), input,
                                     [](const Difference& difference, Code code) { return difference.last < code; });
    return at != bug.wrong.end() && at->first <= input;
}

/// An input, and the bugs that it shows by their places.
struct Candidate {
    Code input = 0;
    std::vector<std::size_t> bugs;
};

// The ends of every wrong range: between two of them nothing changes.
std::vector<Candidate> candidates_of(const std::vector<Shown>& bugs) {
    std::set<Code> inputs;
    for (const Shown& bug : bugs)
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

/// Single-bit neighbours and pairs of a suite without a budget, if their sticky bits are no more.
constexpr std::size_t smoke_neighbours = 5120;

/// The inputs of a suite, up to a number of them.
class Chosen {
  public:
    Chosen(const Format& from, std::uint64_t most) : from_(from), most_(std::min(most, from.last_code() + 1)) {}

    [[nodiscard]] bool is_full() const { return inputs_.size() >= most_; }
    [[nodiscard]] std::uint64_t left() const { return most_ - inputs_.size(); }
    void add(Code input) {
        if (!is_full() && taken_.insert(input).second) inputs_.push_back(input);
    }
    void add(const std::vector<Code>& inputs) {
        for (const Code input : inputs) add(input);
    }
    /// Seeded ones of each binade in turn, until it is full.
    void fill(std::uint64_t seed) {
        const Code last = from_.last_code();
        // Drawing the last ones of a small source at random takes long: each code once, in a seeded order.
        if (most_ > last / 4) {
            for (Code i = 0; !is_full(); ++i) add((i * 0x9E3779B1 + seed) & last);
            return;
        }
        SplitMix64 random(seed);
        const Code binade = from_.fraction_mask() + 1;
        while (!is_full())
            for (Code first = 0; first <= last; first += binade) add(first + random.below(binade));
    }
    /// The first, the last and a seeded one of each binade. A binade without a boundary has nothing else, and one bit
    /// of an exponent that is overlooked may be wrong there alone.
    void add_binades(std::uint64_t seed) {
        const Code binade = from_.fraction_mask() + 1;
        SplitMix64 random(seed);
        for (Code first = 0; first <= from_.last_code(); first += binade)
            for (const Code input : {first, first + random.below(binade), first + binade - 1}) add(input);
    }
    [[nodiscard]] std::vector<Code> sorted() const {
        std::vector<Code> inputs = inputs_;
        std::sort(inputs.begin(), inputs.end());
        return inputs;
    }

  private:
    const Format& from_;
    std::uint64_t most_;
    std::vector<Code> inputs_;
    std::unordered_set<Code> taken_;
};

} // namespace

bool has_small_suite(const Conversion& conversion) {
    return !observe::needs_points(conversion) && conversion.from->scale == nullptr;
}

SmallSuite small_suite(const Conversion& conversion, const std::vector<verdict::Judge>& judges, std::uint64_t budget,
                       std::uint64_t seed) {
    const std::vector<Shown> bugs = shown_bugs(conversion, judges);
    const std::vector<Candidate> candidates = candidates_of(bugs);
    const Format& from = *conversion.from;
    Chosen chosen(from, budget == 0 ? from.last_code() + 1 : budget);
    std::vector<bool> seen(bugs.size(), false);
    // Greedily: the input that shows most of what nothing has shown yet.
    while (!chosen.is_full()) {
        const Candidate* best = nullptr;
        std::size_t most = 0;
        for (const Candidate& candidate : candidates) {
            if (candidate.bugs.size() <= most) break; // those that follow show no more
            if (const std::size_t fresh = count_new(candidate, seen); fresh > most) {
                most = fresh;
                best = &candidate;
            }
        }
        if (best == nullptr) break;
        chosen.add(best->input);
        for (const std::size_t bug : best->bugs) seen[bug] = true;
    }
    const SingleBits bits(from, verdict::boundaries(judges));
    chosen.add(bits.some(budget == 0 ? smoke_neighbours : chosen.left(), seed));
    if (budget == 0) {
        chosen.add_binades(seed);
    } else {
        for (const Candidate& candidate : candidates) chosen.add(candidate.input);
        if (bits.size() <= chosen.left() / 2) {
            chosen.add(bits.all());
            chosen.add(bits.pairs(seed));
        }
        chosen.fill(seed);
    }
    SmallSuite suite;
    suite.planted = bugs.size();
    suite.inputs = chosen.sorted();
    for (std::size_t i = 0; i < bugs.size(); ++i)
        if (!seen[i]) suite.escaped.push_back(bugs[i].name);
    return suite;
}

std::vector<std::string> escaping(const SmallSuite& suite, const Conversion& conversion, const verdict::Judge& judge_of,
                                  std::size_t& planted) {
    std::vector<std::string> escaped;
    for (const Planted& this_planted : planted_in(conversion, *judge_of.profile)) {
        const StepTable table = planted_table(this_planted);
        if (diagnose::differences_of(table.steps, judge_of.permitted).empty()) continue; // no input shows it
        ++planted;
        observe::Observation seen;
        seen.conversion = conversion;
        seen.status = Status::pass;
        for (const Code input : suite.inputs)
            seen.points.push_back({input, 0, table.steps[find_step(table, input)].code});
        seen.inputs = seen.points.size();
        if (verdict::judge(seen, judge_of.permitted, 1).status == Status::pass)
            escaped.push_back(fmt::format("{}: {}", this_planted.bug_class->id, this_planted.how));
    }
    return escaped;
}

} // namespace mxcert::faults
