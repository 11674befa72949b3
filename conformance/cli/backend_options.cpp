// SPDX-License-Identifier: Apache-2.0
#include "conformance/cli/backend_options.hpp"

#include <csignal>
#include <ctime>

#include "conformance/cli/commands.hpp"
#include "conformance/faults/small_suite.hpp"
#include "conformance/launch/pipe_spec.hpp"
#include "conformance/level.hpp"
#include "conformance/samples.hpp"

namespace mxcert::cli {
namespace {

std::atomic<bool> stop_asked{false};
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler may only use lock-free atomics");

// When it was asked first, in seconds of the monotonic clock; 0: not yet.
std::atomic<std::int64_t> asked_at{0};

extern "C" void ask_to_stop(int signal) {
    struct ::timespec now {};
    ::clock_gettime(CLOCK_MONOTONIC, &now);
    std::int64_t first = 0;
    stop_asked.store(true);
    if (asked_at.compare_exchange_strong(first, now.tv_sec + 1)) return;
    // One request may come as two signals, to the process and to its group. Who asks again later does not want to wait
    // for the report.
    if (now.tv_sec <= first) return;
    std::signal(signal, SIG_DFL);
    std::raise(signal);
}

} // namespace

void add_sandbox_options(CLI::App& command, SandboxOptions& options) {
    command
        .add_option(
            "--sandbox", options.mode,
            "What a backend may do: default (no network, writes only to a temporary folder), strict (also reads "
            "only what it needs to run) or off")
        ->envname("MXCERT_SANDBOX")
        ->check(CLI::IsMember({"default", "strict", "off"}))
        ->capture_default_str();
    repeatable(command.add_option("--sandbox-read", options.readable,
                                  "With --sandbox=strict: a file or folder that it may read, repeatable"),
               "PATH");
}

void add_worker_options(CLI::App& command, BackendOptions& options) {
    constexpr double least_timeout = 0.001;
    constexpr double most_timeout = 86'400;
    constexpr std::uint64_t most_memory = std::uint64_t{1} << 40; // MiB
    command
        .add_option("--jobs,-j", options.jobs,
                    "Worker processes; 0: one a core, or one where they would share a device")
        ->transform(number_between(0U, most_jobs))
        ->capture_default_str();
    command.add_option("--timeout", options.timeout, "Time limit in seconds for 256 Ki values")
        ->transform(number_between(least_timeout, most_timeout))
        ->capture_default_str();
    command.add_option("--start-timeout", options.start_timeout, "Time limit in seconds for the start of a worker")
        ->transform(number_between(least_timeout, most_timeout))
        ->capture_default_str();
    command
        .add_option("--memory-limit", options.memory_limit,
                    "Resident memory of a worker in MiB, more is an ERROR; 0: no limit. Default: half of the machine's")
        ->transform(number_between(std::uint64_t{0}, most_memory));
    add_sandbox_options(command, options.sandbox);
    command.add_option("--color", options.color, "auto, always or never; auto honours NO_COLOR and TERM=dumb")
        ->check(CLI::IsMember({"auto", "always", "never"}))
        ->capture_default_str();
    command.add_flag("--quiet,-q", options.quiet, "No progress, and no lines for rows that passed");
}

void add_backend_options(CLI::App& command, BackendOptions& options) {
    add_worker_options(command, options);
    command.add_option("--seed", options.seed, "Selects the repeated requests and the samples of FP64")
        ->transform(whole_number())
        ->capture_default_str();
    command.add_option("--backend-option", options.backend_option, "Text passed to the backend when it is opened");
}

void add_backend_argument(CLI::App& command, std::string& backend, BackendOptions& options, const std::string& what) {
    CLI::Option* argument = command.add_option("BACKEND", backend, what);
    CLI::Option* pipe = command
                            .add_option("--pipe", options.pipe,
                                        "A shell command instead of BACKEND: it reads one hexadecimal input a line and "
                                        "writes one answer a line")
                            ->type_name("COMMAND")
                            ->excludes(argument);
    with_roundings(
        repeatable(
            command.add_option(
                "--conversion", options.conversions,
                "With --pipe: the conversion that it answers, repeatable; $MXCERT_CONVERSION is the one to answer"),
            "NAME"))
        ->needs(pipe);
    pipe->needs(command.get_option("--conversion"));
}

void take_backend(std::string& backend, const BackendOptions& options) {
    if (!options.pipe.empty()) backend = launch::pipe_argument(options.pipe, options.conversions);
    if (backend.empty()) throw CLI::RequiredError("BACKEND");
}

LevelOf BackendOptions::asked_level() const {
    if (budget != 0) return {Level::budget, budget};
    return level.empty() ? LevelOf{} : parse_level(level);
}

void BackendOptions::set_level(const LevelOf& wanted) {
    budget = wanted.budget;
    level = wanted.level == Level::budget ? "" : to_string(wanted);
}

void add_level_options(CLI::App& command, BackendOptions& options, bool few) {
    std::vector<std::string> names = level_names();
    if (!few) std::erase_if(names, [](const std::string& name) { return is_small(parse_level(name).level); });
    CLI::Option* level =
        command
            .add_option("--level", options.level,
                        few ? "How much is tested, from a few inputs that expose the planted bugs to every input. "
                              "Default: standard, or that of a record or baseline"
                            : "How much is tested, as for certify. Default: standard, or that of a record")
            ->check(CLI::IsMember(names));
    if (few)
        command.add_option("--budget", options.budget, "As --level smoke, with N inputs a conversion")
            ->transform(number_between(std::uint64_t{1}, largest_budget))
            ->type_name("N")
            ->excludes(level);
}

CLI::Option* add_samples_option(CLI::App& command, unsigned& samples) {
    samples = default_samples_per_step;
    return command
        .add_option("--samples-per-step", samples, "Seeded inputs inside each step of a sampled source: FP64")
        ->transform(number_between(0U, most_samples_per_step))
        ->capture_default_str();
}

void SandboxOptions::give(observe::ObserveOptions& observe) const {
    observe.sandbox_mode = sandbox::parse_mode(mode);
    observe.readable.assign(readable.begin(), readable.end());
}

std::vector<std::string> SandboxOptions::words() const {
    if (mode == "default") return {};
    std::vector<std::string> words{"--sandbox=" + mode};
    for (const std::string& path : readable) words.push_back("--sandbox-read=" + path);
    return words;
}

observe::ObserveOptions observe_options(const BackendOptions& options, const std::atomic<bool>& stop) {
    observe::ObserveOptions observe;
    observe.jobs = options.jobs;
    constexpr double milliseconds = 1000;
    observe.timeout = std::chrono::milliseconds(static_cast<std::int64_t>(options.timeout * milliseconds));
    observe.limits.start = std::chrono::milliseconds(static_cast<std::int64_t>(options.start_timeout * milliseconds));
    if (options.memory_limit) observe.limits.memory = *options.memory_limit << 20;
    options.sandbox.give(observe);
    observe.seed = options.seed;
    observe.backend_options = options.backend_option;
    observe.level = options.asked_level().level;
    observe.stop = &stop;
    return observe;
}

const std::atomic<bool>& stop_on_signals() {
    struct ::sigaction action {};
    action.sa_handler = ask_to_stop;
    ::sigemptyset(&action.sa_mask);
    ::sigaction(SIGINT, &action, nullptr);
    ::sigaction(SIGTERM, &action, nullptr);
    // nohup ignores it, and means that.
    struct ::sigaction hangup {};
    ::sigaction(SIGHUP, nullptr, &hangup);
    if (hangup.sa_handler != SIG_IGN) ::sigaction(SIGHUP, &action, nullptr);
    return stop_asked;
}

} // namespace mxcert::cli
