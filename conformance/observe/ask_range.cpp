// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "conformance/frames/words.hpp"
#include "conformance/observe/asker.hpp"
#include "conformance/observe/exchange.hpp"
#include "conformance/observe/observation.hpp"
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

/// RANGE: inputs that the backend makes itself, and answers that it gives as steps. Neither goes through memory, so the
/// requests are large.
class RangeExchange final : public Exchange {
  public:
    /// What is given must outlive the object.
    explicit RangeExchange(const Conversion& conversion) : conversion_(conversion) {}

    /// Cuts the inputs from low to high: into requests whose steps there is room for, of a right answer.
    [[nodiscard]] std::vector<inputs::Block> plan(Code low, Code high) const;

    [[nodiscard]] const Format& from() const override { return *conversion_.from; }
    [[nodiscard]] const Format& to() const override { return *conversion_.to; }
    [[nodiscard]] bool is_poisoned() const override { return false; }
    /// Less than in proportion: a device that needs so long hangs.
    [[nodiscard]] std::uint64_t times(std::uint64_t count) const override { return 1 + (count >> 22U); }
    void prepare(WorkerClient& worker) const override;
    void send(WorkerClient& worker, std::uint32_t index, const inputs::Block& block, Turn turn,
              Scratch& scratch) const override;
    [[nodiscard]] std::string damage(const WorkerClient& /*worker*/, const inputs::Block& /*block*/, Turn /*turn*/,
                                     Scratch& /*scratch*/) const override {
        return {}; // nothing was given to write to; far_writes() looks at all of the memory
    }
    [[nodiscard]] Reading read(const WorkerClient& worker, const inputs::Block& block, Turn turn,
                               Scratch& scratch) const override;
    [[nodiscard]] std::string far_writes(const WorkerClient& worker) const override;

  private:
    const Conversion& conversion_;
};

constexpr std::uint64_t most_inputs = std::uint64_t{1} << 26;
/// A right conversion has two steps for each code of 8 bits at most, once for each given scale.
constexpr std::uint64_t most_scales = 64;

std::vector<inputs::Block> RangeExchange::plan(Code low, Code high) const {
    const Format& from = *conversion_.from;
    const std::uint64_t of_scales =
        from.scale == nullptr || from.value_width() > 20 ? most_inputs : most_scales << from.value_width();
    const std::uint64_t size = std::min(most_inputs, of_scales);
    std::vector<inputs::Block> blocks;
    const std::uint64_t end = high + 1; // sources of 64 bits are not asked in ranges
    for (std::uint64_t at = low; at < end; at += size) blocks.push_back({at, std::min(size, end - at), {}, false, 0});
    return blocks;
}

void RangeExchange::prepare(WorkerClient& worker) const { process::set_backdrop(worker.memory()); }

void RangeExchange::send(WorkerClient& worker, std::uint32_t index, const inputs::Block& block, Turn /*turn*/,
                         Scratch& /*scratch*/) const {
    worker.send(frames::RangeRequest{index, frames::most_range_steps, block.first, block.count});
}

Exchange::Reading RangeExchange::read(const WorkerClient& worker, const inputs::Block& block, Turn /*turn*/,
                                      Scratch& /*scratch*/) const {
    Reading reading;
    const unsigned out = frames::bytes_of(*conversion_.to);
    const Code end = block.first + block.count;
    Code next = block.first;
    for (const frames::RangeStep& step : worker.steps()) {
        if (step.last < next || step.last >= end) {
            reading.reason = "gave a range in steps that do not ascend within it";
            return reading;
        }
        if (out < sizeof(Code) && step.code >> (8 * out) != 0) {
            reading.reason = "gave the code " + std::to_string(step.code) + ", which is not a value of " +
                             std::to_string(out) + " bytes";
            return reading;
        }
        reading.steps.push_back({next, step.last, step.code});
        next = step.last + 1;
    }
    if (next != end) reading.reason = "gave a range in steps that do not cover it";
    return reading;
}

std::string RangeExchange::far_writes(const WorkerClient& worker) const {
    return process::backdrop_intact(worker.memory(), {}) ? "" : "wrote to memory that was not its own";
}

} // namespace

std::unique_ptr<ConvertExchange> RangeQuestion::exchange(std::uint64_t seed, bool is_cut) const {
    const std::uint64_t largest = largest_of(blocks);
    if (order) return std::make_unique<ConvertExchange>(conversion, *order, makes, seed, largest, is_cut);
    return std::make_unique<ConvertExchange>(conversion, nullptr, seed, largest, is_cut);
}

void Workers::plan(RangeQuestion& question) const {
    question.makes = takes_interleaved;
    const std::uint64_t most = takes_interleaved ? process::layout::most_made(frames::bytes_of(*question.conversion.to))
                                                 : process::layout::max_points;
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
