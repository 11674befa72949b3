// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "conformance/observe/asker.hpp"
#include "conformance/observe/range_exchange.hpp"
#include "conformance/observe/workers.hpp"
#include "reference/base/random.hpp"

namespace mxcert::observe {
namespace {

std::uint64_t largest_of(const std::vector<inputs::Block>& blocks) {
    std::uint64_t largest = 0;
    for (const inputs::Block& block : blocks) largest = std::max(largest, block.count);
    return largest;
}

/// The numbers of streams that are tried, until each group has poison: fewer streams have fewer answers.
constexpr unsigned lane_counts[] = {inputs::Interleaving::most_lanes, 31, 15, 7, 3};

} // namespace

std::unique_ptr<ConvertExchange> RangeQuestion::exchange(std::uint64_t seed, bool is_cut) const {
    const std::uint64_t largest = largest_of(blocks);
    if (order) return std::make_unique<ConvertExchange>(conversion, *order, makes, seed, largest, is_cut);
    return std::make_unique<ConvertExchange>(conversion, nullptr, seed, largest, is_cut);
}

void Workers::plan(RangeQuestion& question) const {
    question.makes = takes_interleaved;
    const std::uint64_t most = takes_interleaved ? process::layout::max_count : process::layout::max_points;
    const std::uint64_t seed = options.seed + question.low;
    for (const unsigned lanes : lane_counts) {
        question.order.emplace(question.expected, question.low, question.high, lanes);
        auto blocks = inputs::plan_interleaved(*question.order, question.conversion, question.permitted, seed, most);
        if (!blocks) continue;
        question.blocks = std::move(*blocks);
        return;
    }
    question.order.reset();
    question.blocks = inputs::plan_range(question.conversion, question.permitted, seed, question.low, question.high);
}

std::optional<Schedule::Outcome> Workers::ask_own_ranges(const RangeQuestion& question, Observation& observation,
                                                         std::optional<BlockFailure>& flaw) {
    std::vector<inputs::Block> compared;
    for (const inputs::Block& block : question.blocks)
        if (block.repeat || asks_every_pair(options.level)) compared.push_back(block);
    if (compared.empty())
        compared.push_back(question.blocks[SplitMix64::at(options.seed, question.low) % question.blocks.size()]);
    for (inputs::Block& block : compared) block.repeat = false;
    const std::unique_ptr<ConvertExchange> batches = question.exchange(options.seed, true);
    bool are_batches_whole = true;
    std::uint64_t in_batches = 0;
    std::uint64_t neighbours = 0;
    std::uint64_t differing = 0;
    const auto look_closer = [&](Schedule::Outcome& outcome) {
        // These inputs were counted already.
        const auto progress = std::exchange(options.progress, nullptr);
        Schedule::Outcome other_outcome = ask(*batches, question.index, compared, true);
        options.progress = progress;
        outcome.stopped = outcome.stopped || other_outcome.stopped;
        if (other_outcome.stopped) return;
        are_batches_whole = other_outcome.whole && !other_outcome.failure && other_outcome.unwritten == 0;
        if (other_outcome.failure)
            flaw = other_outcome.failure;
        else if (other_outcome.unwritten != 0)
            flaw = {Status::mistrusted,
                    std::to_string(other_outcome.unwritten) +
                        " values of batches were not written: " + other_outcome.unwritten_at,
                    {}};
        if (!are_batches_whole) return;
        outcome.repeated = in_batches = other_outcome.asked;
        neighbours = other_outcome.neighbours;
        differing = other_outcome.differing;
        if (outcome.simplified && !other_outcome.simplified) simplify(other_outcome.steps);
        if (other_outcome.simplified && !outcome.simplified) simplify(outcome.steps);
        compare_outcomes(*batches, compared, outcome, other_outcome, "a batch gives other answers than a range");
        if (!outcome.failure) ask_another_worker(*batches, question.index, compared, outcome);
    };
    const RangeExchange ranges(question.conversion);
    Schedule::Outcome outcome =
        ask_well(ranges, question.index, ranges.plan(question.low, question.high), true, observation, look_closer);
    if (observation.status != Status::unsupported && are_batches_whole && !outcome.irregular) {
        observation.places.in_batches = in_batches;
        outcome.neighbours = neighbours;
        outcome.differing = differing;
        return outcome;
    }
    observation = {};
    observation.conversion = question.conversion;
    return std::nullopt;
}

Schedule::Outcome Workers::ask_range(const RangeQuestion& question, Observation& observation,
                                     std::optional<BlockFailure>& flaw) {
    gaps = question.order ? (question.high - question.low) / question.order->rows() + 1 : 0;
    const bool is_share = question.blocks.size() != question.planned;
    if (takes_ranges && !is_share) {
        if (auto outcome = ask_own_ranges(question, observation, flaw)) return std::move(*outcome);
    }
    const std::unique_ptr<ConvertExchange> exchange = question.exchange(options.seed);
    Schedule::Outcome outcome =
        ask_well(*exchange, question.index, question.blocks, true, observation, [&](Schedule::Outcome& seen) {
            ask_another_worker(*exchange, question.index, question.blocks, seen, question.planned);
        });
    observation.places.in_batches = observation.inputs;
    return outcome;
}

} // namespace mxcert::observe
