// SPDX-License-Identifier: Apache-2.0
#include "conformance/faults/small_suite.hpp"

#include <algorithm>
#include <unordered_set>

#include <fmt/format.h>

#include "conformance/faults/planted.hpp"
#include "conformance/faults/shown_bugs.hpp"
#include "reference/base/random.hpp"
#include "vectors/tables/single_bits.hpp"

namespace mxcert::faults {
namespace {

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
    const std::vector<ShownBug> bugs = shown_bugs(conversion, judges);
    const Format& from = *conversion.from;
    const std::uint64_t most = budget == 0 ? from.last_code() + 1 : budget;
    const ShowingInputs showing = showing_inputs(bugs, most);
    Chosen chosen(from, most);
    chosen.add(showing.chosen);
    const SingleBits bits(from, verdict::boundaries(judges));
    chosen.add(bits.some(budget == 0 ? smoke_neighbours : chosen.left(), seed));
    if (budget == 0) {
        chosen.add_binades(seed);
    } else {
        chosen.add(showing.candidates);
        if (bits.size() <= chosen.left() / 2) {
            chosen.add(bits.all());
            chosen.add(bits.pairs(seed));
        }
        chosen.fill(seed);
    }
    SmallSuite suite;
    suite.planted = bugs.size();
    suite.inputs = chosen.sorted();
    for (const ShownBug& bug : bugs)
        if (std::none_of(showing.chosen.begin(), showing.chosen.end(), [&](Code input) { return shows(input, bug); }))
            suite.escaped.push_back(fmt::format("{}: {}", bug.bug_class->id, bug.how));
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
