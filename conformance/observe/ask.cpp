// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <numeric>
#include <thread>
#include <utility>

#include "conformance/inputs/run_length.hpp"
#include "conformance/observe/ask_places.hpp"
#include "conformance/observe/asker.hpp"
#include "conformance/observe/bisect.hpp"
#include "conformance/observe/poison_check.hpp"
#include "conformance/observe/workers.hpp"
#include "reference/base/random.hpp"
#include "reference/exact/number.hpp"

namespace mxcert::observe {
namespace {

using namespace std::chrono_literals;

constexpr auto progress_every = 100ms;
constexpr std::size_t blocks_asked_of_another = 16;

/// A failure of the harness is a failure of the blocks, not the end of the report.
void run_asker(Asking& asking, std::unique_ptr<WorkerClient> worker) {
    try {
        Asker(asking).run(std::move(worker));
    } catch (const std::exception& error) {
        asking.schedule.fail_all({Status::error, std::string("the harness failed: ") + error.what(), {}});
    }
}

} // namespace

void compare_outcomes(const Exchange& exchange, const std::vector<inputs::Block>& blocks, Schedule::Outcome& outcome,
                      const Schedule::Outcome& other_outcome, const std::string& what) {
    for (const inputs::Block& block : blocks) {
        for (const inputs::CodeRange& range : exchange.covered(block)) {
            const std::vector<inputs::RunDifference> differing =
                inputs::differing_runs(inputs::part_of(outcome.steps, range.first, range.last),
                                       inputs::part_of(other_outcome.steps, range.first, range.last));
            if (differing.empty()) continue;
            const inputs::RunDifference& run = differing.front();
            outcome.failure = {Status::fail,
                               what + ": " + exchange.name_of_input(run.first) + " gave " +
                                   code_text(exchange.to(), run.a) + " then " + code_text(exchange.to(), run.b) +
                                   ", at " + exchange.place(block, run.first, false),
                               {}};
            return;
        }
    }
}

Schedule::Outcome Workers::ask(const Exchange& exchange, std::uint32_t index, std::vector<inputs::Block> blocks,
                               bool limit_steps) {
    const std::uint64_t total =
        std::accumulate(blocks.begin(), blocks.end(), std::uint64_t{0},
                        [](std::uint64_t sum, const inputs::Block& block) { return sum + block.count; });
    Schedule schedule(std::move(blocks), limit_steps, simplify, gaps);
    Asking asking{exchange, index, options, schedule, [this] { return start(); }};

    // A worker for fewer than a few blocks costs more than it saves.
    const std::size_t threads =
        std::clamp<std::size_t>(schedule.size() / (4 * process::layout::slots), 1, jobs_of(options.jobs, info));
    std::vector<std::jthread> running;
    for (std::size_t i = 0; i < threads; ++i) {
        running.emplace_back([&schedule, &asking, worker = i == 0 ? std::move(first) : nullptr]() mutable {
            run_asker(asking, std::move(worker));
            schedule.leave();
        });
    }
    auto next_report = std::chrono::steady_clock::now() + progress_every;
    while (schedule.left() < threads) {
        const std::uint64_t done = schedule.wait_for_leave(threads, progress_every);
        if (options.progress && std::chrono::steady_clock::now() >= next_report) {
            options.progress(done, total);
            next_report = std::chrono::steady_clock::now() + progress_every;
        }
    }
    running.clear();
    return schedule.finish();
}

Schedule::Outcome Workers::ask_fresh(const Exchange& exchange, std::uint32_t index, std::vector<inputs::Block> blocks,
                                     std::chrono::milliseconds timeout) const {
    ObserveOptions once = options;
    once.timeout = timeout;
    Schedule schedule(std::move(blocks), false);
    Asking asking{exchange, index, once, schedule, [this] { return start(); }};
    run_asker(asking, nullptr);
    return schedule.finish();
}

void Workers::ask_another_worker(const Exchange& exchange, std::uint32_t index,
                                 const std::vector<inputs::Block>& blocks, Schedule::Outcome& outcome,
                                 std::size_t planned) const {
    // Spread over all, one in each stretch; all of a 16-bit source.
    std::vector<inputs::Block> asked_blocks;
    const std::size_t all = std::max(planned, blocks.size());
    const std::size_t wanted = std::min(blocks.size(), (blocks_asked_of_another * blocks.size() + all - 1) / all);
    for (std::size_t i = 0; i < wanted; ++i) {
        const std::size_t begin = i * blocks.size() / wanted;
        const std::size_t end = (i + 1) * blocks.size() / wanted;
        asked_blocks.push_back(blocks[begin + SplitMix64::at(options.seed, i) % (end - begin)]);
        asked_blocks.back().repeat = false;
    }
    Schedule::Outcome other_outcome = ask_fresh(exchange, index, asked_blocks, options.timeout);
    if (other_outcome.stopped) {
        outcome.stopped = true;
        return;
    }
    if (other_outcome.failure) {
        outcome.failure = other_outcome.failure;
        outcome.failure->reason = "another worker, asked a part again: " + outcome.failure->reason;
        return;
    }
    if (other_outcome.unwritten != 0) {
        outcome.failure = {Status::mistrusted,
                           "another worker, asked a part again: " + std::to_string(other_outcome.unwritten) +
                               " values of the output were not written: " + other_outcome.unwritten_at,
                           {}};
        return;
    }
    if (outcome.simplified) simplify(other_outcome.steps);
    compare_outcomes(exchange, asked_blocks, outcome, other_outcome, "another worker gives other answers");
}

Schedule::Outcome Workers::ask_well(const Exchange& exchange, std::uint32_t index,
                                    const std::vector<inputs::Block>& blocks, bool limit_steps,
                                    Observation& observation,
                                    const std::function<void(Schedule::Outcome&)>& look_closer) {
    Schedule::Outcome outcome = ask(exchange, index, blocks, limit_steps);
    if (outcome.whole && !outcome.failure) {
        look_closer(outcome);
    } else if (!outcome.stopped) {
        observation.culprits = bisect_failures(
            outcome, {[&](std::vector<inputs::Block> blocks, std::chrono::milliseconds timeout) {
                          return ask_fresh(exchange, index, std::move(blocks), timeout);
                      },
                      [&](std::vector<inputs::Block> blocks) {
                          // What is asked a second time would count backwards.
                          const auto progress = std::exchange(options.progress, nullptr);
                          Schedule::Outcome again = ask(exchange, index, std::move(blocks), limit_steps);
                          options.progress = progress;
                          return again;
                      },
                      [&](std::uint64_t at) { return exchange.input_at(at); }, &exchange.from(), options.timeout,
                      options.narrowing});
    }
    check_poison(observation, outcome);
    observation.inputs = outcome.answered;
    observation.repeated = outcome.repeated;
    observation.irregular = outcome.irregular;
    return outcome;
}

namespace {
/// Values of a call whose inputs are written into shared memory.
constexpr std::uint64_t most_shared = std::uint64_t{1} << 25U;
} // namespace

void Workers::ask_places(const Conversion& conversion, std::uint32_t index, const PlaceRings& places,
                         Observation& observation, Schedule::Outcome& outcome) const {
    if (places.rings.empty()) return;
    const std::vector<PlaceRequest> requests = place_requests(places.rings, info.max_batch);
    const auto ask_for = [&](const std::vector<PlaceRequest>& requests) {
        const PlaceExchange exchange(conversion, requests);
        const Schedule::Outcome again = ask_fresh(exchange, index, exchange.blocks(), options.timeout);
        outcome.stopped = outcome.stopped || again.stopped;
        if (again.failure) {
            outcome.failure = again.failure;
            outcome.failure->reason = "asked in other places: " + outcome.failure->reason;
        }
        return again.whole && !again.failure && !again.stopped;
    };
    if (!ask_for(requests)) return;
    for (const PlaceRequest& request : requests) observation.places.placed += request.count;
    if (info.max_batch != 1) { // else nothing comes after anything
        // Twice, so that each pair is asked in even and in odd places.
        const std::uint64_t count = 2 * places.pairs.inputs.size();
        if (!ask_for({{&places.pairs, batch_within(info.max_batch), count}})) return;
        observation.places.placed += count;
    }
    const std::uint64_t random = conversion.random_bits != 0 ? sizeof(std::uint32_t) : 0;
    const std::uint64_t bytes = frames::bytes_of(*conversion.from) + random + frames::bytes_of(*conversion.to);
    std::vector<inputs::Ring> made; // rings that a worker makes: no room is taken by the inputs of the largest calls
    for (const inputs::Ring& ring : places.large) std::ranges::move(short_rings(ring), std::back_inserter(made));
    for (const std::uint64_t size : call_sizes(options.level, info.max_batch)) {
        const bool makes = takes_interleaved && random == 0 && size > most_shared;
        // It must have room in what a worker may take, and in what it shares.
        const std::uint64_t taken = PlaceExchange::run_bytes(conversion, size, makes);
        if (options.limits.memory != 0 && size > options.limits.memory / 8 * 7 / bytes) break;
        if (taken > options.limits.run_bytes) break;
        for (const inputs::Ring& ring : makes ? made : places.large) {
            if (!ask_for({{&ring, size, size}})) return;
            observation.places.placed += size;
        }
        observation.places.largest_call = size;
    }
}

} // namespace mxcert::observe
