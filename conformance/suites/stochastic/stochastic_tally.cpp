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

/// The pairs of words a and b, bit by bit, of which `drawn` says which are.
void add_words(Pairs& sum, std::uint64_t a, std::uint64_t b, std::uint64_t drawn) {
    sum.both += count(a & b & drawn);
    sum.ones += count(a & drawn) + count(b & drawn);
    sum.pairs += count(drawn);
}

/// The pairs (i, i + distance) for which bit log2(distance) of i is clear, and of which both are draws. Words that do
/// not make whole groups of pairs are left out.
void add_pairs(Pairs& sum, std::span<const std::uint64_t> words, std::span<const std::uint64_t> drawn,
               std::uint64_t distance) {
    if (distance < word_bits) {
        // The lower halves of all groups of 2 * distance bits.
        const std::uint64_t lower = ~std::uint64_t{0} / ((std::uint64_t{1} << distance) + 1);
        for (std::size_t i = 0; i < words.size(); ++i)
            add_words(sum, words[i], words[i] >> distance, drawn[i] & drawn[i] >> distance & lower);
        return;
    }
    const std::size_t step = distance / word_bits;
    for (std::size_t group = 0; group + 2 * step <= words.size(); group += 2 * step)
        for (std::size_t i = group; i < group + step; ++i)
            add_words(sum, words[i], words[i + step], drawn[i] & drawn[i + step]);
}

bool is_drawn(std::span<const std::uint64_t> drawn, std::uint64_t lane) {
    return drawn.empty() || (drawn[lane / word_bits] >> lane % word_bits & 1U) != 0;
}

} // namespace

Tally::Tally(const Plan& plan) : plan_(&plan), counts_(plan.inputs.size()), previous_(plan.inputs.size()) {}

void Tally::add(std::span<const Code> outputs, std::span<const std::uint64_t> drawn) {
    if (requests_ == plan_->requests()) throw std::logic_error("stochastic: more answers than requests");
    if (outputs.size() != plan_->parameters.lanes)
        throw std::invalid_argument("stochastic: " + std::to_string(outputs.size()) + " answers to " +
                                    std::to_string(plan_->parameters.lanes) + " values");
    if (!drawn.empty() && drawn.size() != (outputs.size() + word_bits - 1) / word_bits)
        throw std::invalid_argument("stochastic: which lanes are draws is not said of each");
    const std::size_t place = requests_ % (plan_->inputs.size() + 1);
    if (place == 0)
        add_fixed(outputs, drawn);
    else
        add_input(place - 1, outputs, drawn);
    ++requests_;
}

void Tally::add_fixed(std::span<const Code> outputs, std::span<const std::uint64_t> drawn) {
    for (std::size_t lane = 0; lane < outputs.size(); ++lane) {
        if (!is_drawn(drawn, lane)) continue;
        ++fixed_;
        const std::size_t index = plan_->fixed_at(requests_, lane);
        if (is(*plan_->conversion.to, outputs[lane], plan_->fixed[index].expected)) continue;
        ++fixed_changed_;
        if (!first_changed_) first_changed_ = Changed{index, outputs[lane]};
    }
}

void Tally::add_input(std::size_t index, std::span<const Code> outputs, std::span<const std::uint64_t> drawn) {
    const Input& input = plan_->inputs[index];
    Counts& counts = counts_[index];
    const std::uint64_t lanes = outputs.size();
    Call call;
    call.upper.resize((lanes + word_bits - 1) / word_bits);
    call.drawn.resize(call.upper.size());
    std::uint64_t upper = 0;
    std::uint64_t other = 0;
    std::uint64_t draws = 0;
    const bool below_half = input.eta < exact::Rational(1, 2);
    for (std::size_t lane = 0; lane < lanes; ++lane) {
        if (!is_drawn(drawn, lane)) continue;
        const Code answer = outputs[lane];
        const bool away = is(*plan_->conversion.to, answer, input.upper);
        const std::size_t place = place_of(lane, lanes);
        call.upper[lane / word_bits] |= std::uint64_t{away} << lane % word_bits;
        call.drawn[lane / word_bits] |= std::uint64_t{1} << lane % word_bits;
        ++draws;
        ++counts.drawn_at[place];
        upper += away ? 1 : 0;
        upper_at_[place] += away ? 1 : 0;
        further_at_[place] += away && below_half ? 1 : 0;
        if (away || is(*plan_->conversion.to, answer, input.lower)) continue;
        if (counts.other + other == 0) counts.first_other = answer;
        ++other;
    }
    counts.draws += draws;
    counts.upper += upper;
    counts.other += other;
    ++counts.calls;
    if (upper == 0 || upper == draws) ++counts.uniform;

    const std::size_t whole = lanes / word_bits;
    for (std::size_t i = 0; i < distances.size(); ++i)
        add_pairs(counts.pairs[i], {call.upper.data(), whole}, {call.drawn.data(), whole}, distances[i]);
    Call& previous = previous_[index];
    if (counts.calls % 2 != 0) {
        previous = std::move(call);
        return;
    }
    bool same = true;
    for (std::size_t i = 0; i < call.upper.size(); ++i) {
        const std::uint64_t both = call.drawn[i] & previous.drawn[i];
        add_words(counts.pairs.back(), call.upper[i], previous.upper[i], both);
        same = same && ((call.upper[i] ^ previous.upper[i]) & both) == 0;
    }
    if (same) ++counts.same;
}

} // namespace mxcert::suites::stochastic
