// SPDX-License-Identifier: Apache-2.0
#include "conformance/fuzz/fuzz.hpp"

#include <algorithm>
#include <charconv>
#include <memory>
#include <optional>
#include <stdexcept>

#include <fmt/format.h>

#include "conformance/certify/certify.hpp"
#include "conformance/certify/leave_out.hpp"
#include "conformance/cli/backend_options.hpp"
#include "conformance/cli/commands.hpp"
#include "conformance/cli/results/json_output.hpp"
#include "conformance/cli/unmatched.hpp"
#include "conformance/files/output_file.hpp"
#include "conformance/fuzz/fuzz_report.hpp"
#include "conformance/observe/subject.hpp"
#include "conformance/print/progress.hpp"
#include "conformance/print/terminal.hpp"
#include "conformance/print/text.hpp"
#include "conformance/subjects/open_subject.hpp"

namespace mxcert::cli::fuzz_command {
namespace {

struct Options {
    std::string backend;
    BackendOptions run;
    verdict::CertifyOptions certify;
    std::string time = "60s";
    std::uint64_t cases = 0;
    std::size_t max_failures = 5;
    std::string one_case;
    std::string json;
};

// "90", "90s", "5m", "2h".
std::chrono::milliseconds parse_time(const std::string& text) {
    constexpr std::uint64_t most_seconds = 7 * 86'400;
    std::uint64_t number = 0;
    const char* const end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, number);
    const std::string_view unit(rest, static_cast<std::size_t>(end - rest));
    const std::uint64_t factor = unit.empty() || unit == "s" ? 1 : unit == "m" ? 60 : unit == "h" ? 3600 : 0;
    if (error != std::errc{} || factor == 0 || number == 0 || number > most_seconds / factor)
        throw std::invalid_argument("--time '" + text + "' is no time up to a week, as in 90s, 5m or 2h");
    return std::chrono::seconds(number * factor);
}

// How far a run is, on standard error: a line that is rewritten, or one every ten seconds.
class FuzzProgress {
  public:
    FuzzProgress(const Options& options, std::chrono::milliseconds time)
        : mode_(options.run.quiet            ? print::Progress::Mode::none
                : print::is_terminal(stderr) ? print::Progress::Mode::line
                                             : print::Progress::Mode::log),
          time_(time) {}
    ~FuzzProgress() { clear(); }
    FuzzProgress(const FuzzProgress&) = delete;
    FuzzProgress& operator=(const FuzzProgress&) = delete;

    void operator()(std::uint64_t cases, std::uint64_t values, std::size_t failures) {
        using namespace std::chrono_literals;
        if (mode_ == print::Progress::Mode::none) return;
        const auto now = Clock::now();
        if (now - shown_ < (mode_ == print::Progress::Mode::line ? Clock::duration(200ms) : Clock::duration(10s)))
            return;
        shown_ = now;
        const auto percent = std::min<std::int64_t>(100, 100 * (now - began_) / time_);
        const std::string text = fmt::format("{:3}%  {}, {}, {}", percent, print::counted(cases, "case"),
                                             print::counted(values, "value"), print::counted(failures, "failure"));
        if (mode_ == print::Progress::Mode::line)
            fmt::print(stderr, "\r\x1b[K{}", text);
        else
            fmt::print(stderr, "mxcert: {}\n", text);
        std::fflush(stderr);
        on_screen_ = mode_ == print::Progress::Mode::line;
    }
    void clear() {
        if (on_screen_) std::fputs("\r\x1b[K", stderr);
        on_screen_ = false;
    }

  private:
    using Clock = std::chrono::steady_clock;
    print::Progress::Mode mode_;
    std::chrono::milliseconds time_;
    Clock::time_point began_ = Clock::now();
    Clock::time_point shown_ = Clock::now();
    bool on_screen_ = false;
};

// A folder holds answers that were given before.
void refuse_folders(const observe::BackendSpec& spec, const std::string& shown) {
    const char* what = spec.kind == observe::BackendSpec::Kind::record    ? "a record"
                       : spec.kind == observe::BackendSpec::Kind::offline ? "a folder for a device that is not attached"
                                                                          : nullptr;
    if (what != nullptr)
        throw std::invalid_argument(
            fmt::format("'{}' is {}: nothing runs there that could be fuzzed", print::printable(shown), what));
}

// What the backend offers and the profiles judge. The plan must outlive the report.
certify::Plan plan_run(const Options& options, const observe::Subject& subject, verdict::GoldenSource& golden,
                       fuzz::FuzzReport& report) {
    verdict::CertifyOptions planning = options.certify;
    // The plan names operations by their rows.
    for (const std::string& filter : options.certify.filters)
        if (certify::names_operation(filter)) planning.filters.push_back(filter + "/*");
    planning.samples_per_step = 0;
    // Of all others no golden file need be read.
    if (!options.one_case.empty() && planning.filters.empty())
        planning.filters = {to_string(fuzz::parse_fuzz_case(options.one_case).conversion)};
    tell_unmatched("--filter", options.certify.filters, subject.info());
    certify::Plan plan = certify::make_plan(subject, planning, golden);
    report.info = subject.info();
    report.outside = plan.outside;
    report.invocation.profiles.clear();
    for (const Profile* profile : plan.profiles) report.invocation.profiles.emplace_back(profile->name);
    for (const suites::PlannedConversion& planned : plan.conversions)
        report.targets.emplace_back(planned.conversion, verdict::ValueJudge(planned.conversion, planned.judges));
    for (const suites::GivenBits& bits : plan.given_bits)
        report.targets.emplace_back(bits.conversion, verdict::ValueJudge(bits.conversion, bits.profiles));
    report.operations.targets = fuzz::operation_targets(plan);
    for (const certify::PlannedOperation& planned : plan.operations)
        if (!fuzz::can_fuzz(planned.operation)) report.unfuzzed.push_back(to_string(planned.operation));
    return plan;
}

// Leaves the conversion of the case as the only one of the report.
void run_case(const Options& options, fuzz::FuzzReport& report, const fuzz::AskFuzzCase& ask,
              const fuzz::FuzzOptions& fuzzing) {
    const fuzz::FuzzCase fuzz_case = fuzz::parse_fuzz_case(options.one_case);
    const auto target = std::find_if(report.targets.begin(), report.targets.end(),
                                     [&](const fuzz::FuzzTarget& t) { return t.conversion == fuzz_case.conversion; });
    if (target == report.targets.end())
        throw std::invalid_argument(
            fmt::format("{} is not offered, or no profile judges it", to_string(fuzz_case.conversion)));
    std::rotate(report.targets.begin(), target, target + 1);
    report.targets.erase(report.targets.begin() + 1, report.targets.end());
    report.result = fuzz::fuzz_one(report.targets.front(), fuzz_case, ask, fuzzing);
}

int fuzz_command(const Options& options) {
    const observe::BackendSpec spec = observe::resolve_backend(options.backend);
    refuse_folders(spec, options.backend);
    const std::chrono::milliseconds time = parse_time(options.time);
    if (certify::names_operation(options.one_case))
        throw std::invalid_argument(
            "--case takes a case of a conversion; mxcert certify --reproduce OPERATION/ROW@CASE "
            "runs one of an operation");
    if (!options.one_case.empty()) (void)fuzz::parse_fuzz_case(options.one_case);
    for (const std::string& name : options.certify.profiles) (void)find_profile(name);
    std::optional<files::OutputFile> json;
    const bool json_to_stdout = options.json == "-";
    if (!options.json.empty() && !json_to_stdout) json.emplace(options.json);
    std::FILE* const people = json_to_stdout ? stderr : stdout;
    const bool color = print::use_color(print::parse_color_mode(options.run.color), people);

    const std::atomic<bool>& stop = stop_on_signals();
    const observe::ObserveOptions observing = observe_options(options.run, stop);
    fuzz::FuzzReport report;
    report.invocation = {options.backend, {}, options.run.backend_option};
    report.seed = options.run.seed;
    report.max_failures = options.max_failures;
    verdict::GoldenSource golden;
    std::unique_ptr<observe::Subject> subject;
    certify::Plan plan;
    try {
        subject = subjects::open_subject(spec, observing);
        plan = plan_run(options, *subject, golden, report);
    } catch (const std::invalid_argument&) {
        throw;
    } catch (const std::runtime_error& error) {
        fmt::print(stderr, "mxcert: {}\n", error.what());
        return exit_unfinished;
    }
    report.operations.subject = subject.get();
    report.operations.golden = &golden;
    if (report.operations.targets.empty()) subject.reset();

    fuzz::FuzzWorker worker(spec, observing);
    const fuzz::AskFuzzCase ask = [&worker](const fuzz::FuzzCase& c, std::uint8_t poison) {
        return worker.ask(c, poison);
    };
    fuzz::FuzzOptions fuzzing;
    fuzzing.seed = options.run.seed;
    fuzzing.time = time;
    fuzzing.cases = options.cases;
    fuzzing.stop = &stop;
    if (!options.one_case.empty()) {
        run_case(options, report, ask, fuzzing);
    } else {
        FuzzProgress progress(options, time);
        fuzzing.progress = std::ref(progress);
        report.result = fuzz::fuzz(report.targets, ask, report.operations, fuzzing);
    }
    report.result.misbehaved = worker.finish();
    if (subject && report.result.misbehaved.empty() && !stop.load()) report.result.misbehaved = subject->end_runs();
    // A signal that comes now cuts off the look at how the worker ends.
    if (stop.load()) report.result.stopped = true;
    fmt::print(people, "{}", fuzz::fuzz_text(report, color));
    if (json_to_stdout) fmt::print("{}", fuzz::fuzz_json(report));
    if (json) json->write(fuzz::fuzz_json(report));
    return fuzz::exit_code(report.result);
}

constexpr const char* footer =
    R"(BACKEND is a name (mxcert backends lists them), a plugin (*.so), or a program that speaks the frames.

mxcert certify tests every input, in order. mxcert fuzz adds small batches, random neighbours, other batch sizes and
alignments, FP64 between the samples, stochastic roundings, and random matrices for operations. Conversions and operations
take turns. The seed determines the cases and their order, the time only their number. Finding nothing proves nothing.

Exit codes: 0 nothing was found; 1 an answer is wrong, missing or changing; 2 usage or file error; 3 the backend
crashed, hung or misbehaved otherwise, or a signal stopped the run; 4 nothing was checked.

Examples:
  mxcert fuzz ./my_kernel.so --time 10m
  mxcert fuzz ./my_kernel.so --filter 'fp64-*' --seed 7 --json found.json
  mxcert fuzz ./my_kernel.so --filter 'quantize-*' --filter 'dequantize-*' --time 5m
  mxcert fuzz ./my_kernel.so --case fp32-e4m3-nearest_even-sat:3F880001,3F880000@batch=1)";

void add_fuzz_command(CLI::App& app, Exit& exit) {
    constexpr std::size_t most_failures = fuzz::max_fuzz_failures;
    auto options = std::make_shared<Options>();
    CLI::App* command =
        app.add_subcommand("fuzz", "Find wrong answers with random batches and matrices, and reduce them");
    add_backend_argument(*command, options->backend, options->run, "What to test");
    repeatable(command->add_option("--profile", options->certify.profiles,
                                   "Profile to judge by, repeatable; mxcert profiles lists them"),
               "NAME");
    globs(command->add_option("--filter", options->certify.filters,
                              "Only conversions and operations that match, repeatable: 'fp64-*'"));
    command->add_option("--time", options->time, "How long: 90s, 5m, 2h")->capture_default_str()->type_name("TIME");
    command->add_option("--cases", options->cases, "At most this many cases; 0: as many as the time allows")
        ->capture_default_str();
    command->add_option("--case", options->one_case, "Run only this case of a conversion, as printed by a failure")
        ->type_name("CONVERSION:INPUT,...")
        ->excludes("--filter");
    command->add_option("--max-failures", options->max_failures, "Failures to show")
        ->transform(number_between(std::size_t{1}, most_failures))
        ->capture_default_str();
    add_json_option(*command, options->json);
    add_backend_options(*command, options->run);
    // One worker: the order of the cases is part of what is tested.
    command->remove_option(command->get_option("--jobs"));
    command->get_option("--timeout")->description("Time limit in seconds for one case");
    command->get_option("--seed")->description("Which cases are tried");
    command->get_option("--quiet")->description("No progress");
    command->footer(footer);
    command->callback([options, &exit] {
        take_backend(options->backend, options->run);
        exit.code = fuzz_command(*options);
    });
}

const Command registered{Group::test, "fuzz", add_fuzz_command};

} // namespace
} // namespace mxcert::cli::fuzz_command
