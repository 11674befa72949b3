// SPDX-License-Identifier: Apache-2.0
#include "conformance/observe/worker_pool.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <stdexcept>
#include <thread>
#include <utility>

#include "conformance/frames/run_as_offered.hpp"
#include "conformance/inputs/point_order.hpp"
#include "conformance/inputs/run_length.hpp"
#include "conformance/observe/ask_places.hpp"
#include "conformance/observe/hello.hpp"
#include "conformance/observe/moved_answers.hpp"
#include "conformance/observe/piece.hpp"
#include "conformance/observe/poison_check.hpp"
#include "conformance/observe/run_twice.hpp"
#include "conformance/observe/sweep.hpp"
#include "conformance/observe/workers.hpp"
#include "reference/code_text.hpp"
#include "vectors/base/sha256.hpp"
#include "vectors/tables/tabulate.hpp"

namespace mxcert::observe {
namespace {

/// What is expected of a conversion where nobody says what is permitted: what its own name says.
PermitTable expected_of(const Conversion& conversion) {
    const StepTable table = tabulate(*conversion.from, *conversion.to, choices_of(conversion));
    PermitTable expected{conversion.from, conversion.to, {}};
    expected.steps.reserve(table.steps.size());
    for (const Step& step : table.steps)
        expected.steps.push_back({step.first, step.last, permit_code(step.code), std::string_view()});
    return expected;
}

/// What came out, by input; ascending steps.
std::optional<Code> answer_in(const std::vector<Step>& steps, Code input) {
    const auto at = std::lower_bound(steps.begin(), steps.end(), input,
                                     [](const Step& step, Code code) { return step.last < code; });
    if (at == steps.end() || at->first > input) return std::nullopt;
    return at->code;
}

std::uint64_t largest_of_all(const std::vector<inputs::Block>& blocks) {
    std::uint64_t largest = 0;
    for (const inputs::Block& block : blocks) largest = std::max(largest, block.count);
    return largest;
}

bool comes_before(const inputs::Point& a, const inputs::Point& b) {
    return a.input != b.input ? a.input < b.input : a.random < b.random;
}

/// The same of points without random words.
std::optional<Code> answer_at(const std::vector<inputs::Point>& points, Code input) {
    const auto at = std::lower_bound(points.begin(), points.end(), inputs::Point{input, 0, 0}, comes_before);
    if (at == points.end() || at->input != input) return std::nullopt;
    return at->got;
}

/// Whether so many answers are wrong that they may be those of other inputs. Of a few points nothing is said.
bool many_wrong(const std::vector<inputs::Point>& points, const PermitTable& permitted) {
    constexpr std::size_t few = 64;
    if (points.size() < few) return false;
    const auto wrong = static_cast<std::size_t>(std::count_if(points.begin(), points.end(), [&](const auto& point) {
        return !permits(permitted.steps[find_step(permitted, point.input)].permit, point.got, *permitted.to);
    }));
    return wrong > points.size() / few;
}

/// Whether many inputs have answers that change more than once as their random words ascend: the words may be those of
/// other inputs. `points`: ascending by input, then by random word.
bool turns_more_than_once(const std::vector<inputs::Point>& points) {
    constexpr std::size_t few = 64;
    std::size_t inputs = 0;
    std::size_t turning = 0;
    for (std::size_t first = 0, end = 0; first < points.size(); first = end) {
        std::size_t turns = 0;
        for (end = first + 1; end < points.size() && points[end].input == points[first].input; ++end)
            turns += points[end].got != points[end - 1].got ? 1 : 0;
        ++inputs;
        turning += turns > 1 ? 1 : 0;
    }
    return turning > inputs / few;
}

/// The digest of the file that answers; of a pipe that of the whole command too, which names more than one program.
std::string build_id_of(const BackendSpec& spec) {
    std::string id = spec.path.empty() ? std::string() : sha256_file(spec.path);
    if (spec.kind != BackendSpec::Kind::pipe) return id;
    for (const std::string& argument : spec.pipe) id += '\n' + argument;
    return sha256(id);
}

/// The sandbox of the workers: the files that they need, and limits that no backend reaches by what it is asked.
sandbox::Request sandbox_for(const BackendSpec& spec, const ObserveOptions& options) {
    // Some runtimes have several pools of threads, each with one for every core.
    constexpr std::uint64_t pools = 4;
    constexpr std::uint64_t other_threads = 256;
    sandbox::Request request{options.sandbox_mode, options.readable};
    if (request.mode == sandbox::Mode::strict) {
        const std::vector<std::filesystem::path> own = files_needed_by(spec);
        request.readable.insert(request.readable.end(), own.begin(), own.end());
    }
    const std::uint64_t cores = std::max(1U, std::thread::hardware_concurrency());
    // No limit of the kernel for memory: what is reserved and never used counts there, in sanitizers 16 TiB.
    request.memory_is_watched = options.limits.memory != 0;
    request.processes = std::max<std::uint64_t>(cores, options.jobs) * (pools * cores + other_threads);
    return request;
}

} // namespace

WorkerStarter starter_of(const BackendSpec& spec, const ObserveOptions& options) {
    return {spec, options.backend_options, options.limits, options.stop, sandbox_for(spec, options)};
}

FileState state_of(const std::filesystem::path& path) {
    struct ::stat state {};
    if (::stat(path.c_str(), &state) != 0) return {};
    return {static_cast<std::int64_t>(state.st_dev), static_cast<std::int64_t>(state.st_ino), state.st_size,
            state.st_mtim.tv_sec, state.st_mtim.tv_nsec};
}

std::unique_ptr<WorkerClient> Workers::start() const {
    // A build that ends during the run would put two versions under one build id.
    if (state_of(spec.path) != file) throw std::runtime_error(spec.name + ": its file changed during the run");
    std::unique_ptr<WorkerClient> worker = starter->start();
    if (!hello.empty() && worker->hello() != hello)
        throw std::runtime_error(spec.name + ": the HELLO of another worker differs from the first one");
    worker->note_loaded(options.loaded);
    return worker;
}

std::optional<std::uint32_t> Workers::find(const Conversion& conversion, Observation& observation) const {
    observation.conversion = conversion;
    const auto offered = std::find(info.conversions.begin(), info.conversions.end(), conversion);
    if (offered != info.conversions.end()) return indices[static_cast<std::size_t>(offered - info.conversions.begin())];
    observation.status = Status::unsupported;
    observation.reason = info.name + " does not offer " + to_string(conversion);
    return std::nullopt;
}

Observation Workers::run(const Conversion& conversion, const Permitted& permitted, const Piece& piece) {
    const auto begin = std::chrono::steady_clock::now();
    Observation observation;
    const auto index = find(conversion, observation);
    if (!index) return observation;
    const PermitTable own = permitted.by_any != nullptr ? PermitTable{} : expected_of(conversion);
    RangeQuestion question{conversion,       *index,    permitted.by_any != nullptr ? *permitted.by_any : own,
                           permitted.by_any, piece.low, piece.high};
    plan(question);
    question.planned = question.blocks.size();
    question.blocks = share_of(question.blocks, piece);
    simplify = nullptr;
    if (const PermitTable* by_all = permitted.by_all; by_all != nullptr)
        simplify = [by_all](std::vector<Step>& steps) { simplify_steps(steps, *by_all); };
    std::optional<BlockFailure> flaw;
    Schedule::Outcome outcome = ask_range(question, observation, flaw);
    simplify = nullptr;
    gaps = 0;
    if (flaw && observation.status == Status::pass) {
        observation.status = flaw->status;
        observation.reason = "not when asked again: " + flaw->reason;
        observation.detail = flaw->detail;
        observation.unstable = flaw->status != Status::error;
    }
    if ((observation.unstable && observation.status == Status::fail) || observation.irregular)
        observation.known_as = conversion.to->flags_of != nullptr ? name_left_flags(outcome.steps, question.expected)
                                                                  : name_places(conversion, *index, question.expected);
    observation.places.neighbours = outcome.neighbours;
    observation.places.differing = outcome.differing;
    observation.places.simplified = outcome.simplified;
    observation.chosen = piece.count != 1;
    if (outcome.whole && is_kept_whole(observation.status) && !observation.chosen)
        observation.table = {conversion.from, conversion.to, std::move(outcome.steps)};
    else
        observation.partial = std::move(outcome.steps);
    observation.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    return observation;
}

Observation Workers::ask_rings(const Conversion& conversion, const PermitTable& expected, std::vector<Step>& answers) {
    std::vector<inputs::Point> points;
    for (const Code input : inputs::place_inputs(expected, options.seed)) points.push_back({input, 0, 0});
    Observation seen = run_points(conversion, points, nullptr);
    answers.clear();
    for (const inputs::Point& point : seen.points) inputs::append_step(answers, {point.input, point.input, point.got});
    return seen;
}

void Workers::look_at_places(const Conversion& conversion, const Permitted& permitted, const std::vector<Step>& answers,
                             Observation& observation) {
    if (observation.status != Status::pass || observation.irregular) return;
    if (is_small(options.level)) return;
    const auto index = find(conversion, observation);
    if (!index) return;
    const PermitTable own = permitted.by_any != nullptr ? PermitTable{} : expected_of(conversion);
    const PermitTable& expected = permitted.by_any != nullptr ? *permitted.by_any : own;
    Schedule::Outcome outcome;
    // Where many answers are permitted those that are kept need not be those that came.
    std::vector<Step> asked_again;
    if (observation.places.simplified) {
        const Observation seen = ask_rings(conversion, expected, asked_again);
        if (seen.status != Status::pass) {
            observation.status = seen.status;
            observation.reason = "asked in other places: " + seen.reason;
            return;
        }
    }
    const std::vector<Step>& known = observation.places.simplified ? asked_again : answers;
    const PlaceRings places = place_rings(expected, options.seed, [&](Code input) { return answer_in(known, input); });
    ask_places(conversion, *index, places, observation, outcome);
    check_poison(observation, outcome);
    if (observation.unstable && observation.status == Status::fail)
        observation.known_as = name_places(conversion, *index, expected);
    if (observation.status == Status::pass) turns->keep(conversion, *index, places.large);
}

Observation Workers::run_places(const Conversion& conversion, const Permitted& permitted) {
    const PermitTable own = permitted.by_any != nullptr ? PermitTable{} : expected_of(conversion);
    const PermitTable& expected = permitted.by_any != nullptr ? *permitted.by_any : own;
    std::vector<Step> answers;
    Observation observation = ask_rings(conversion, expected, answers);
    observation.places = {};
    look_at_places(conversion, permitted, answers, observation);
    return observation;
}

Observation Workers::run_points(const Conversion& conversion, const std::vector<inputs::Point>& inputs,
                                const PermitTable* permitted) {
    const auto begin = std::chrono::steady_clock::now();
    Observation observation;
    const auto index = find(conversion, observation);
    if (!index) return observation;
    if (inputs.empty()) {
        observation.reason = "no inputs were given";
        return observation;
    }
    const inputs::PointOrder order = inputs::order_points(inputs, *conversion.from, permitted, options.seed);
    const ConvertExchange exchange(conversion, &order.points, options.seed, largest_of_all(order.blocks));
    Schedule::Outcome outcome =
        ask_well(exchange, *index, order.blocks, false, observation,
                 [&](Schedule::Outcome& seen) { ask_another_worker(exchange, *index, order.blocks, seen); });
    observation.places.in_batches = observation.inputs;
    for (const Step& step : outcome.steps) {
        for (Code at = step.first; at <= step.last; ++at) {
            observation.points.push_back(order.points[at]);
            observation.points.back().got = step.code;
        }
    }
    std::sort(observation.points.begin(), observation.points.end(), comes_before);
    for (std::size_t at = 1; at < outcome.steps.size(); ++at) {
        const bool touch = outcome.steps[at - 1].last + 1 == outcome.steps[at].first;
        observation.places.differing += touch ? 1 : 0;
    }
    observation.places.neighbours = observation.points.size() - (observation.points.empty() ? 0 : 1);
    if (observation.status == Status::pass && permitted != nullptr && observation.points.size() > 1 &&
        !is_small(options.level)) {
        const PlaceRings places = conversion.random_bits != 0
                                      ? random_place_rings(*permitted, options.seed, observation.points)
                                      : place_rings(*permitted, options.seed,
                                                    [&](Code input) { return answer_at(observation.points, input); });
        ask_places(conversion, *index, places, observation, outcome);
        check_poison(observation, outcome);
        if (observation.status == Status::pass) turns->keep(conversion, *index, places.large);
    }
    const bool judged = permitted != nullptr && conversion.random_bits == 0;
    const bool changed = observation.unstable && observation.status == Status::fail;
    if (judged && changed)
        observation.known_as = name_places(conversion, *index, *permitted);
    else if (judged && observation.status == Status::pass && many_wrong(observation.points, *permitted))
        observation.known_as = name_places(conversion, *index, *permitted, false);
    if (permitted != nullptr && !judged && (changed || turns_more_than_once(observation.points))) {
        observation.known_as = name_places(conversion, *index, *permitted, false);
        if (!observation.known_as) observation.known_as = name_words(conversion, *index, *permitted);
    }
    if (observation.status == Status::pass && permitted != nullptr &&
        points_look_constant(observation.points, *permitted)) {
        observation.status = Status::mistrusted;
        observation.reason = constant_reason + code_text(*conversion.to, observation.points.front().got);
    }
    observation.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    return observation;
}

Observation Workers::run_parts(const Conversion& conversion, const Permitted& permitted) {
    const Code end = conversion.from->last_code() + 1; // sources of 64 bits are not asked every input
    const auto progress = options.progress;
    PieceJoiner joiner(conversion, permitted);
    for (Code low = 0; low < end && joiner.passes(); low += options.part) {
        const Piece piece{low, std::min(end - low, options.part) - 1 + low};
        if (progress)
            options.progress = [&](std::uint64_t done, std::uint64_t /*of_part*/) { progress(low + done, end); };
        joiner.add(piece, run(conversion, permitted, piece));
    }
    options.progress = progress;
    return joiner.finish([&](const std::vector<Step>& answers, Observation& observation) {
        look_at_places(conversion, permitted, answers, observation);
    });
}

WorkerPool::WorkerPool(const BackendSpec& spec, ObserveOptions options)
    : workers_(std::make_unique<Workers>(Workers{spec, std::move(options)})) {
    workers_->file = state_of(spec.path);
    workers_->turns = std::make_shared<Turns>();
    // The outputs of the largest call, and the arrays of the largest matrix, where the level asks for them.
    std::uint64_t& shared = workers_->options.limits.run_bytes;
    const std::span<const std::uint64_t> large = large_counts(workers_->options.level);
    const std::uint64_t values = large.empty() ? 0 : large.back();
    shared = std::max({shared, large_call_bytes(values), largest_matrix_bytes(workers_->options.level)});
    workers_->starter = std::make_unique<WorkerStarter>(starter_of(spec, workers_->options));
    workers_->first = workers_->start();
    workers_->hello = workers_->first->hello();
    workers_->takes_ranges = workers_->first->takes_ranges();
    workers_->takes_interleaved = workers_->first->takes_interleaved();
    Hello hello = parse_hello(workers_->hello, spec.name);
    workers_->info = std::move(hello.info);
    workers_->info.sandbox_state = workers_->starter->sandbox_state();
    workers_->info.makes_ranges = workers_->takes_ranges;
    workers_->indices = std::move(hello.indices);
    workers_->operations = std::move(hello.operations);
    workers_->info.build_id = build_id_of(spec);
    if (workers_->options.loaded && !spec.path.empty()) workers_->options.loaded->add(spec.path);
    // The file of a program may be a few lines that call a package: the program knows what else there is.
    if (!hello.build.empty()) workers_->info.build_id = sha256(workers_->info.build_id + ' ' + hello.build);
}

WorkerPool::~WorkerPool() = default;

const BackendInfo& WorkerPool::info() const { return workers_->info; }

Observation WorkerPool::observe(const Conversion& conversion, const Permitted& permitted) {
    if (!has_pieces(conversion)) return without_pieces(conversion);
    return workers_->run_parts(conversion, permitted);
}

Observation WorkerPool::observe_piece(const Conversion& conversion, const Permitted& permitted, const Piece& piece) {
    if (!has_pieces(conversion)) return without_pieces(conversion);
    return workers_->run(conversion, permitted, piece);
}

Observation WorkerPool::observe_places(const Conversion& conversion, const Permitted& permitted) {
    if (!has_pieces(conversion)) return without_pieces(conversion);
    return workers_->run_places(conversion, permitted);
}

Observation WorkerPool::observe_points(const Conversion& conversion, const std::vector<inputs::Point>& inputs,
                                       const PermitTable* permitted) {
    return workers_->run_points(conversion, inputs, permitted);
}

Observation WorkerPool::sweep(const SweepPart& part, const PermitTable* permitted) {
    const auto begin = std::chrono::steady_clock::now();
    ObserveOptions& options = workers_->options;
    Observation observation;
    observation.conversion = part.conversion;
    observation.chosen = true;
    const auto& offered = workers_->info.operations;
    const auto found = std::find(offered.begin(), offered.end(), part.operation);
    if (found == offered.end()) {
        observation.status = Status::unsupported;
        observation.reason = workers_->info.name + " does not offer " + to_string(part.operation);
        return observation;
    }
    const std::vector<inputs::Block> blocks =
        inputs::plan_sweep(part.order, part.positions, part.at_once, permitted, options.seed + part.positions.first,
                           [&](std::uint64_t position) { return part.exchange.companions(position); });
    if (blocks.empty()) {
        observation.reason = "no inputs were given";
        return observation;
    }
    const auto progress = std::exchange(options.progress, nullptr);
    if (options.swept)
        options.progress = [&](std::uint64_t done, std::uint64_t /*of_part*/) {
            options.swept(part.before + done, part.total);
        };
    const std::uint32_t index = workers_->operations[static_cast<std::size_t>(found - offered.begin())];
    workers_->gaps = part.ranges.size() + frames::most_streams;
    Schedule::Outcome outcome =
        workers_->ask_well(part.exchange, index, blocks, true, observation, [&](Schedule::Outcome& seen) {
            workers_->ask_another_worker(part.exchange, index, blocks, seen);
        });
    workers_->gaps = 0;
    options.progress = progress;
    observation.places.neighbours = outcome.neighbours;
    observation.places.differing = outcome.differing;
    observation.partial = std::move(outcome.steps);
    observation.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    return observation;
}

std::string WorkerPool::end_runs() {
    const std::unique_ptr<WorkerClient> runner = std::move(workers_->runner);
    return runner ? runner->finish(workers_->options.timeout) : "";
}

TurnsSeen WorkerPool::ask_turns() const { return workers_->ask_turns(); }
std::shared_ptr<Turns> WorkerPool::turns() const { return workers_->turns; }
void WorkerPool::share(std::shared_ptr<Turns> turns) { workers_->turns = std::move(turns); }

template <class Answer, class Case> Answer Workers::run_case(const Operation& operation, const Case& run) {
    const auto found = std::find(info.operations.begin(), info.operations.end(), operation);
    Answer answer;
    const auto with = [&](Status status, const std::string& reason) {
        answer.status = status;
        answer.reason = reason;
        return answer;
    };
    if (found == info.operations.end())
        return with(Status::unsupported, info.name + " does not offer " + to_string(operation));
    const auto stopped = [&] { return options.stop != nullptr && options.stop->load(); };
    if (stopped()) return with(Status::incomplete, "stopped");
    try {
        if (!runner) runner = first ? std::move(first) : start();
        answer =
            run_twice(*runner, operations[static_cast<std::size_t>(found - info.operations.begin())], run, options);
        // One that ended, hung or was stopped takes nothing more, and one that cannot be relied on is asked anew. A run
        // that was too large to be sent says nothing of it.
        if (answer.status != Status::pass && answer.status != Status::unsupported && answer.status != Status::untested)
            runner.reset();
        if constexpr (std::is_same_v<Case, frames::RunCase>)
            if (answer.status == Status::pass)
                turns->keep(operation, operations[static_cast<std::size_t>(found - info.operations.begin())], run,
                            answer.outputs);
        // A signal to the whole group ends the worker, too.
        if (answer.status == Status::error && stopped()) return with(Status::incomplete, "stopped");
        return answer;
    } catch (const std::exception& error) {
        runner.reset();
        return stopped() ? with(Status::incomplete, "stopped") : with(Status::error, error.what());
    }
}

frames::RunAnswer WorkerPool::run(const Operation& operation, const frames::RunCase& run_case) {
    return frames::answer_as_offered(operation, run_case, [&](const frames::RunCase& sent) {
        return workers_->run_case<frames::RunAnswer>(operation, sent);
    });
}

frames::RepeatedAnswer WorkerPool::run_repeated(const Operation& operation, const frames::RepeatedRun& run) {
    return frames::answer_as_offered(operation, run, [&](const frames::RepeatedRun& sent) {
        return workers_->run_case<frames::RepeatedAnswer>(operation, sent);
    });
}

} // namespace mxcert::observe
