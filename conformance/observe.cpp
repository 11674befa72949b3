// SPDX-License-Identifier: Apache-2.0
#include "conformance/observe.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <numeric>
#include <stdexcept>
#include <thread>
#include <utility>

#include "conformance/observe_convert.hpp"
#include "conformance/observe_hello.hpp"
#include "conformance/observe_narrow.hpp"
#include "conformance/observe_range.hpp"
#include "conformance/observe_run.hpp"
#include "conformance/observe_schedule.hpp"
#include "conformance/observe_trust.hpp"
#include "conformance/observe_worker.hpp"
#include "conformance/run_length.hpp"
#include "conformance/sweep.hpp"
#include "conformance/worker_client.hpp"
#include "reference/number.hpp"
#include "reference/random.hpp"
#include "vectors/sha256.hpp"

namespace mxcert {
namespace {

using namespace std::chrono_literals;

constexpr auto progress_every = 100ms;
constexpr std::size_t blocks_asked_of_another = 16;

/// By which a file is known to be the same: device, number, size, and time of change in seconds and nanoseconds. Zeros
/// if there is none.
using FileState = std::array<std::int64_t, 5>;

FileState state_of(const std::filesystem::path& path) {
    struct ::stat state {};
    if (::stat(path.c_str(), &state) != 0) return {};
    return {static_cast<std::int64_t>(state.st_dev), static_cast<std::int64_t>(state.st_ino), state.st_size,
            state.st_mtim.tv_sec, state.st_mtim.tv_nsec};
}

std::uint64_t largest_of(const std::vector<Block>& blocks) {
    std::uint64_t largest = 0;
    for (const Block& block : blocks) largest = std::max(largest, block.count);
    return largest;
}

/// Two outcomes must say the same of these blocks; else the first one gets a failure that begins with `what`.
void compare(const Exchange& exchange, const std::vector<Block>& blocks, Schedule::Outcome& outcome,
             const Schedule::Outcome& other, const std::string& what) {
    for (const Block& block : blocks) {
        const Code last = block.first + block.count - 1;
        const std::vector<RunDifference> differing =
            differing_runs(part_of(outcome.steps, block.first, last), part_of(other.steps, block.first, last));
        if (differing.empty()) continue;
        const RunDifference& run = differing.front();
        outcome.failure = {Status::fail,
                           what + ": input " + code_text(exchange.from(), exchange.input_at(run.first)) + " gave " +
                               code_text(exchange.to(), run.a) + " then " + code_text(exchange.to(), run.b) + ", at " +
                               exchange.place(block, run.first, false),
                           {}};
        return;
    }
}

/// A failure of the harness is a failure of the blocks, not the end of the report.
void run_asker(Asking& asking, std::unique_ptr<WorkerClient> worker) {
    try {
        Asker(asking).run(std::move(worker));
    } catch (const std::exception& error) {
        asking.schedule.fail_all({Status::error, std::string("the harness failed: ") + error.what(), {}});
    }
}

/// What a run that was stopped had answered by then may be all. Answers that changed are no table.
bool is_kept_whole(Status status) { return status == Status::pass || status == Status::incomplete; }

constexpr const char* constant_reason = "one constant over a whole conversion whose table is not constant: ";

} // namespace

struct Backend::Impl {
    BackendSpec spec;
    ObserveOptions options;
    FileState file; ///< before the first worker was started
    BackendInfo info;
    std::vector<std::uint32_t> indices; ///< in HELLO, of info.conversions
    std::string hello;
    std::vector<std::uint32_t> operations; ///< in HELLO, of info.operations
    std::unique_ptr<WorkerClient> first;   ///< read its HELLO, has done nothing yet
    std::unique_ptr<WorkerClient> runner;  ///< runs operations; none after a failure
    bool takes_ranges = false;             ///< as its HELLO says

    [[nodiscard]] std::unique_ptr<WorkerClient> start() const {
        // A build that ends during the run would put two versions under one build id.
        if (state_of(spec.path) != file) throw std::runtime_error(spec.name + ": its file changed during the run");
        auto worker = std::make_unique<WorkerClient>(spec, options.backend_options, options.limits, options.stop);
        if (!hello.empty() && worker->hello() != hello)
            throw std::runtime_error(spec.name + ": the HELLO of another worker differs from the first one");
        return worker;
    }

    /// `index` is that of the conversion or operation in HELLO. `limit_steps` as Schedule has it.
    [[nodiscard]] Schedule::Outcome ask(const Exchange& exchange, std::uint32_t index, std::vector<Block> blocks,
                                        bool limit_steps);
    /// Asks a worker that has done nothing before, and no other after it.
    [[nodiscard]] Schedule::Outcome ask_fresh(const Exchange& exchange, std::uint32_t index, std::vector<Block> blocks,
                                              std::chrono::milliseconds timeout) const;
    /// Asks one more worker for some blocks: answers that depend on the process are no function of the input.
    void ask_another_worker(const Exchange& exchange, std::uint32_t index, const std::vector<Block>& blocks,
                            Schedule::Outcome& outcome) const;
    /// Asks, then looks closer at what was answered, or looks for what ended the worker.
    [[nodiscard]] Schedule::Outcome ask_well(const Exchange& exchange, std::uint32_t index,
                                             const std::vector<Block>& blocks, bool limit_steps,
                                             Observation& observation,
                                             const std::function<void(Schedule::Outcome&)>& look_closer);
    /// Asks for the inputs from low to high as ranges that the backend makes itself, and for some of `blocks`, which
    /// are those inputs, in batches as well. Nullopt: it makes no such ranges, or is to be asked for all of the blocks
    /// to see what is wrong with them; what is known to be wrong is the flaw, which counts also if it is not seen
    /// again.
    [[nodiscard]] std::optional<Schedule::Outcome> ask_ranges(const Conversion& conversion, std::uint32_t index,
                                                              const std::vector<Block>& blocks, Code low, Code high,
                                                              Observation& observation,
                                                              std::optional<BlockFailure>& flaw);
    /// The given inputs, or those from low to high. The table is that of what was asked.
    [[nodiscard]] Observation run(const Conversion& conversion, const std::vector<Point>* inputs,
                                  const PermitTable* permitted, Code low, Code high);
    /// Every input, part by part: of 2^40 inputs not even the requests can be held at once.
    [[nodiscard]] Observation run_parts(const Conversion& conversion, const PermitTable* permitted);
};

Schedule::Outcome Backend::Impl::ask(const Exchange& exchange, std::uint32_t index, std::vector<Block> blocks,
                                     bool limit_steps) {
    const std::uint64_t total =
        std::accumulate(blocks.begin(), blocks.end(), std::uint64_t{0},
                        [](std::uint64_t sum, const Block& block) { return sum + block.count; });
    Schedule schedule(std::move(blocks), limit_steps);
    Asking asking{exchange, index, options, schedule, [this] { return start(); }};

    // A worker for fewer than a few blocks costs more than it saves.
    const std::size_t wanted = options.jobs != 0 ? options.jobs : std::max(1U, std::thread::hardware_concurrency());
    const std::size_t threads = std::clamp<std::size_t>(schedule.size() / (4 * layout::slots), 1, wanted);
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

Schedule::Outcome Backend::Impl::ask_fresh(const Exchange& exchange, std::uint32_t index, std::vector<Block> blocks,
                                           std::chrono::milliseconds timeout) const {
    ObserveOptions once = options;
    once.timeout = timeout;
    Schedule schedule(std::move(blocks), false);
    Asking asking{exchange, index, once, schedule, [this] { return start(); }};
    run_asker(asking, nullptr);
    return schedule.finish();
}

void Backend::Impl::ask_another_worker(const Exchange& exchange, std::uint32_t index, const std::vector<Block>& blocks,
                                       Schedule::Outcome& outcome) const {
    // Spread over all, one in each stretch; all of a 16-bit source.
    std::vector<Block> asked;
    const std::size_t wanted = std::min(blocks.size(), blocks_asked_of_another);
    for (std::size_t i = 0; i < wanted; ++i) {
        const std::size_t begin = i * blocks.size() / wanted;
        const std::size_t end = (i + 1) * blocks.size() / wanted;
        asked.push_back(blocks[begin + SplitMix64::at(options.seed, i) % (end - begin)]);
        asked.back().repeat = false;
    }
    const Schedule::Outcome other = ask_fresh(exchange, index, asked, options.timeout);
    if (other.stopped) {
        outcome.stopped = true;
        return;
    }
    if (other.failure) {
        outcome.failure = other.failure;
        outcome.failure->reason = "another worker, asked a part again: " + outcome.failure->reason;
        return;
    }
    if (other.unwritten != 0) {
        outcome.failure = {Status::mistrusted,
                           "another worker, asked a part again: " + std::to_string(other.unwritten) +
                               " values of the output were not written: " + other.unwritten_at,
                           {}};
        return;
    }
    compare(exchange, asked, outcome, other, "another worker gives other answers");
}

Schedule::Outcome Backend::Impl::ask_well(const Exchange& exchange, std::uint32_t index,
                                          const std::vector<Block>& blocks, bool limit_steps, Observation& observation,
                                          const std::function<void(Schedule::Outcome&)>& look_closer) {
    Schedule::Outcome outcome = ask(exchange, index, blocks, limit_steps);
    if (outcome.whole && !outcome.failure) {
        look_closer(outcome);
    } else if (!outcome.stopped) {
        observation.culprits =
            narrow_failures(outcome, {[&](std::vector<Block> some, std::chrono::milliseconds timeout) {
                                          return ask_fresh(exchange, index, std::move(some), timeout);
                                      },
                                      [&](std::vector<Block> some) {
                                          // What is asked a second time would count backwards.
                                          const auto progress = std::exchange(options.progress, nullptr);
                                          Schedule::Outcome again = ask(exchange, index, std::move(some), limit_steps);
                                          options.progress = progress;
                                          return again;
                                      },
                                      [&](std::uint64_t at) { return exchange.input_at(at); }, &exchange.from(),
                                      options.timeout, options.narrowing});
    }
    judge_trust(observation, outcome);
    observation.inputs = outcome.answered;
    observation.repeated = outcome.repeated;
    observation.irregular = outcome.irregular;
    return outcome;
}

std::optional<Schedule::Outcome> Backend::Impl::ask_ranges(const Conversion& conversion, std::uint32_t index,
                                                           const std::vector<Block>& blocks, Code low, Code high,
                                                           Observation& observation,
                                                           std::optional<BlockFailure>& flaw) {
    std::vector<Block> compared;
    for (const Block& block : blocks)
        if (block.repeat) compared.push_back(block);
    if (compared.empty()) compared.push_back(blocks[SplitMix64::at(options.seed, low) % blocks.size()]);
    for (Block& block : compared) block.repeat = false;
    const ConvertExchange batches(conversion, nullptr, options.seed, largest_of(blocks), true);
    bool are_batches_whole = true;
    const auto look_closer = [&](Schedule::Outcome& outcome) {
        // These inputs were counted already.
        const auto progress = std::exchange(options.progress, nullptr);
        const Schedule::Outcome other = ask(batches, index, compared, true);
        options.progress = progress;
        outcome.stopped = outcome.stopped || other.stopped;
        if (other.stopped) return;
        are_batches_whole = other.whole && !other.failure && other.unwritten == 0;
        if (other.failure)
            flaw = other.failure;
        else if (other.unwritten != 0)
            flaw = {Status::mistrusted, std::to_string(other.unwritten) + " values of batches were not written: " + other.unwritten_at,
                    {}};
        if (!are_batches_whole) return;
        outcome.repeated = other.asked;
        compare(batches, compared, outcome, other, "a batch gives other answers than a range");
        if (!outcome.failure) ask_another_worker(batches, index, compared, outcome);
    };
    const RangeExchange ranges(conversion);
    Schedule::Outcome outcome = ask_well(ranges, index, ranges.plan(low, high), true, observation, look_closer);
    if (observation.status != Status::unsupported && are_batches_whole && !outcome.irregular) return outcome;
    observation = {};
    observation.conversion = conversion;
    return std::nullopt;
}

Observation Backend::Impl::run(const Conversion& conversion, const std::vector<Point>* inputs,
                               const PermitTable* permitted, Code low, Code high) {
    const auto begin = std::chrono::steady_clock::now();
    Observation observation;
    observation.conversion = conversion;
    const auto offered = std::find(info.conversions.begin(), info.conversions.end(), conversion);
    if (offered == info.conversions.end()) {
        observation.status = Status::unsupported;
        observation.reason = info.name + " does not offer " + to_string(conversion);
        return observation;
    }
    std::vector<Point> points;
    std::vector<Block> blocks;
    if (inputs != nullptr) {
        points = *inputs;
        std::sort(points.begin(), points.end(), [](const Point& a, const Point& b) {
            return a.input != b.input ? a.input < b.input : a.random < b.random;
        });
        std::vector<Code> codes;
        codes.reserve(points.size());
        for (const Point& point : points) codes.push_back(point.input);
        blocks = plan_points(codes, permitted, options.seed);
    } else {
        blocks = plan_range(conversion, permitted, options.seed + low, low, high);
    }
    if (blocks.empty()) {
        observation.reason = "no inputs were given";
        return observation;
    }
    const std::uint32_t index = indices[static_cast<std::size_t>(offered - info.conversions.begin())];
    const ConvertExchange exchange(conversion, inputs != nullptr ? &points : nullptr, options.seed, largest_of(blocks));
    std::optional<Schedule::Outcome> as_ranges;
    std::optional<BlockFailure> flaw;
    if (inputs == nullptr && takes_ranges)
        as_ranges = ask_ranges(conversion, index, blocks, low, high, observation, flaw);
    Schedule::Outcome outcome =
        as_ranges ? std::move(*as_ranges)
                  : ask_well(exchange, index, blocks, inputs == nullptr, observation,
                             [&](Schedule::Outcome& seen) { ask_another_worker(exchange, index, blocks, seen); });
    if (flaw && observation.status == Status::pass) {
        observation.status = flaw->status;
        observation.reason = "not when asked again: " + flaw->reason;
        observation.detail = flaw->detail;
        observation.unstable = flaw->status != Status::error;
    }
    if (inputs != nullptr) {
        for (const Step& step : outcome.steps) {
            for (Code at = step.first; at <= step.last; ++at) {
                observation.points.push_back(points[at]);
                observation.points.back().got = step.code;
            }
        }
        if (observation.status == Status::pass && permitted != nullptr &&
            points_look_constant(observation.points, *permitted)) {
            observation.status = Status::mistrusted;
            observation.reason = constant_reason + hex(observation.points.front().got, *conversion.to);
        }
    } else if (outcome.whole && is_kept_whole(observation.status)) {
        observation.table = {conversion.from, conversion.to, std::move(outcome.steps)};
    } else {
        observation.partial = std::move(outcome.steps);
    }
    observation.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    return observation;
}

Observation Backend::Impl::run_parts(const Conversion& conversion, const PermitTable* permitted) {
    const Code end = conversion.from->last_code() + 1; // sources of 64 bits are not asked every input
    if (end <= options.part) return run(conversion, nullptr, permitted, 0, end - 1);
    const auto progress = options.progress;
    Observation all;
    std::vector<Step> steps;
    for (Code low = 0; low < end; low += options.part) {
        if (progress)
            options.progress = [&](std::uint64_t done, std::uint64_t /*of_part*/) { progress(low + done, end); };
        Observation part = run(conversion, nullptr, permitted, low, std::min(end, low + options.part) - 1);
        const bool whole = !part.table.steps.empty();
        for (const Step& step : whole ? part.table.steps : part.partial) append_step(steps, step);
        part.inputs += all.inputs;
        part.repeated += all.repeated;
        part.seconds += all.seconds;
        all = std::move(part);
        if (all.status == Status::pass && steps.size() > Schedule::max_steps) {
            all.status = Status::incomplete;
            all.irregular = true;
            all.reason = "irregular: more than " + std::to_string(Schedule::max_steps) + " steps up to input " +
                         hex(steps.back().last, *conversion.from);
        }
        if (all.status != Status::pass) break;
    }
    options.progress = progress;
    all.table.steps.clear();
    all.partial.clear();
    if (all.inputs == end && !all.irregular && is_kept_whole(all.status))
        all.table = {conversion.from, conversion.to, std::move(steps)};
    else
        all.partial = std::move(steps);
    return all;
}

Backend::Backend(const BackendSpec& spec, ObserveOptions options)
    : impl_(new Impl{spec, std::move(options), state_of(spec.path), {}, {}, {}, {}, {}, {}, {}}) {
    try {
        impl_->first = impl_->start();
        impl_->hello = impl_->first->hello();
        impl_->takes_ranges = impl_->first->takes_ranges();
        Hello hello = parse_hello(impl_->hello, spec.name);
        impl_->info = std::move(hello.info);
        impl_->indices = std::move(hello.indices);
        impl_->operations = std::move(hello.operations);
        impl_->info.build_id = sha256_file(spec.path);
        // The file of a program may be a few lines that call a package: the program knows what else there is.
        if (!hello.build.empty()) impl_->info.build_id = sha256(impl_->info.build_id + ' ' + hello.build);
    } catch (...) {
        delete impl_;
        throw;
    }
}

Backend::~Backend() { delete impl_; }

const BackendInfo& Backend::info() const { return impl_->info; }

Observation Backend::observe(const Conversion& conversion, const PermitTable* permitted) {
    const Format& from = *conversion.from;
    if ((from.width() > 32 && from.scale == nullptr) || conversion.random_bits != 0) {
        Observation observation;
        observation.conversion = conversion;
        observation.reason = "not a conversion whose every input can be sent: it needs points";
        return observation;
    }
    Observation seen = impl_->run_parts(conversion, permitted);
    const std::vector<Step>& steps = seen.table.steps;
    if (seen.status == Status::pass && permitted != nullptr && steps.size() == 1 &&
        !constant_is_permitted(*permitted)) {
        seen.status = Status::mistrusted;
        seen.reason = constant_reason + hex(steps.front().code, *conversion.to);
    }
    return seen;
}

Observation Backend::observe_points(const Conversion& conversion, const std::vector<Point>& inputs,
                                    const PermitTable* permitted) {
    return impl_->run(conversion, &inputs, permitted, 0, 0);
}

Observation Backend::sweep(const SweepPart& part, const PermitTable* permitted) {
    const auto begin = std::chrono::steady_clock::now();
    ObserveOptions& options = impl_->options;
    Observation observation;
    observation.conversion = part.conversion;
    observation.chosen = true;
    const auto& offered = impl_->info.operations;
    const auto found = std::find(offered.begin(), offered.end(), part.operation);
    if (found == offered.end()) {
        observation.status = Status::unsupported;
        observation.reason = impl_->info.name + " does not offer " + to_string(part.operation);
        return observation;
    }
    std::vector<Block> blocks;
    for (const CodeRange& range : part.ranges)
        plan_part(permitted, options.seed + part.ranges.front().first, range.first, range.last, part.at_once, blocks);
    if (blocks.empty()) {
        observation.reason = "no inputs were given";
        return observation;
    }
    const auto progress = std::exchange(options.progress, nullptr);
    if (options.swept)
        options.progress = [&](std::uint64_t done, std::uint64_t /*of_part*/) {
            options.swept(part.before + done, part.total);
        };
    const std::uint32_t index = impl_->operations[static_cast<std::size_t>(found - offered.begin())];
    Schedule::Outcome outcome =
        impl_->ask_well(part.exchange, index, blocks, true, observation, [&](Schedule::Outcome& seen) {
            impl_->ask_another_worker(part.exchange, index, blocks, seen);
        });
    options.progress = progress;
    observation.partial = std::move(outcome.steps);
    observation.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    return observation;
}

std::string Backend::end_runs() {
    const std::unique_ptr<WorkerClient> runner = std::move(impl_->runner);
    return runner ? runner->finish(impl_->options.timeout) : "";
}

RunAnswer Backend::run(const Operation& operation, const RunCase& asked) {
    const auto& offered = impl_->info.operations;
    const auto found = std::find(offered.begin(), offered.end(), operation);
    if (found == offered.end())
        return {Status::unsupported, impl_->info.name + " does not offer " + to_string(operation), {}, {}};
    const auto stopped = [&] { return impl_->options.stop != nullptr && impl_->options.stop->load(); };
    const RunAnswer of_stop{Status::incomplete, "stopped", {}, {}};
    if (stopped()) return of_stop;
    try {
        if (!impl_->runner) impl_->runner = impl_->first ? std::move(impl_->first) : impl_->start();
        const std::uint32_t index = impl_->operations[static_cast<std::size_t>(found - offered.begin())];
        RunAnswer answer = run_twice(*impl_->runner, index, asked, impl_->options);
        // A signal to the whole group ends the worker, too.
        if (answer.status == Status::error && stopped()) answer = of_stop;
        // One that ended, hung or was stopped takes nothing more, and one that cannot be relied on is asked anew.
        if (answer.status != Status::pass && answer.status != Status::unsupported) impl_->runner.reset();
        return answer;
    } catch (const std::exception& error) {
        impl_->runner.reset();
        return stopped() ? of_stop : RunAnswer{Status::error, error.what(), {}, {}};
    }
}

} // namespace mxcert
