// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <stdexcept>

#include "conformance/suites/stochastic/stochastic.hpp"

namespace mxcert::suites::stochastic {
namespace {

constexpr std::size_t word_bits = 64;

/// Answers are the same code, or both NaN: which NaN is no matter of rounding.
bool is(const Format& to, Code answer, Code wanted) {
    return answer == wanted || (to.is_nan(answer) && to.is_nan(wanted));
}

std::uint64_t count(std::uint64_t word) { return static_cast<std::uint64_t>(std::popcount(word)); }

/// The pairs (i, i + distance) for which bit log2(distance) of i is clear. Words that do not make whole groups of pairs
/// are left out.
void add_pairs(Pairs& sum, std::span<const std::uint64_t> words, std::uint64_t distance) {
    if (distance < word_bits) {
        // The lower halves of all groups of 2 * distance bits.
        const std::uint64_t lower = ~std::uint64_t{0} / ((std::uint64_t{1} << distance) + 1);
        for (const std::uint64_t word : words) {
            sum.both += count(word & (word >> distance) & lower);
            sum.ones += count(word);
        }
        sum.pairs += words.size() * (word_bits / 2);
        return;
    }
    const std::size_t step = distance / word_bits;
    for (std::size_t group = 0; group + 2 * step <= words.size(); group += 2 * step) {
        for (std::size_t i = group; i < group + step; ++i) {
            sum.both += count(words[i] & words[i + step]);
            sum.ones += count(words[i]) + count(words[i + step]);
        }
        sum.pairs += distance;
    }
}

} // namespace

Tally::Tally(const Plan& plan) : plan_(&plan), counts_(plan.inputs.size()), previous_(plan.inputs.size()) {}

void Tally::add(std::span<const Code> outputs) {
    if (requests_ == plan_->requests()) throw std::logic_error("stochastic: more answers than requests");
    if (outputs.size() != plan_->parameters.lanes)
        throw std::invalid_argument("stochastic: " + std::to_string(outputs.size()) + " answers to " +
                                    std::to_string(plan_->parameters.lanes) + " values");
    const std::size_t place = requests_ % (plan_->inputs.size() + 1);
    if (place == 0)
        add_fixed(outputs);
    else
        add_input(place - 1, outputs);
    ++requests_;
}

void Tally::add_fixed(std::span<const Code> outputs) {
    for (std::size_t lane = 0; lane < outputs.size(); ++lane) {
        const std::size_t index = plan_->fixed_at(requests_, lane);
        if (is(*plan_->conversion.to, outputs[lane], plan_->fixed[index].expected)) continue;
        ++fixed_changed_;
        if (!first_changed_) first_changed_ = Changed{index, outputs[lane]};
    }
    fixed_ += outputs.size();
}

void Tally::add_input(std::size_t index, std::span<const Code> outputs) {
    const Input& input = plan_->inputs[index];
    Counts& counts = counts_[index];
    const std::uint64_t lanes = outputs.size();
    std::vector<std::uint64_t> words((lanes + word_bits - 1) / word_bits);
    std::uint64_t upper = 0;
    std::uint64_t other = 0;
    for (std::size_t lane = 0; lane < lanes; ++lane) {
        const Code answer = outputs[lane];
        const bool away = is(*plan_->conversion.to, answer, input.upper);
        words[lane / word_bits] |= std::uint64_t{away} << lane % word_bits;
        upper += away ? 1 : 0;
        upper_at_[place_of(lane, lanes)] += away ? 1 : 0;
        if (away || is(*plan_->conversion.to, answer, input.lower)) continue;
        if (counts.other + other == 0) counts.first_other = answer;
        ++other;
    }
    counts.draws += lanes;
    counts.upper += upper;
    counts.other += other;
    ++counts.calls;
    if (upper == 0 || upper == lanes) ++counts.uniform;

    const std::span<const std::uint64_t> whole(words.data(), lanes / word_bits);
    for (std::size_t i = 0; i < distances.size(); ++i) add_pairs(counts.pairs[i], whole, distances[i]);
    std::vector<std::uint64_t>& previous = previous_[index];
    if (counts.calls % 2 != 0) {
        previous = std::move(words);
        return;
    }
    Pairs& calls = counts.pairs.back();
    for (std::size_t i = 0; i < words.size(); ++i) {
        calls.both += count(words[i] & previous[i]);
        calls.ones += count(words[i]) + count(previous[i]);
    }
    calls.pairs += lanes;
    if (words == previous) ++counts.same;
}

} // namespace mxcert::suites::stochastic
