// SPDX-License-Identifier: Apache-2.0
#include "conformance/shards/parts.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <memory>
#include <optional>
#include <stdexcept>

#include <fmt/format.h>

#include "conformance/cli/backend_options.hpp"
#include "conformance/cli/commands.hpp"
#include "conformance/cli/results/judged_run.hpp"
#include "conformance/cli/results/run_report.hpp"
#include "conformance/cli/shards/merge_selftest.hpp"
#include "conformance/evidence/part_surroundings.hpp"
#include "conformance/print/terminal.hpp"
#include "conformance/print/text.hpp"

namespace mxcert::cli::merge_command {
namespace {

struct Options {
    std::vector<std::string> folders;
    std::string backend;
    bool no_backend = false;
    bool mixed = false;
    bool rows = false;
    std::string color = "auto";
    bool quiet = false;
    SandboxOptions sandbox;
    ResultOptions results;
};

// The options of the run whose parts these are.
BackendOptions run_of(const shards::Run& run, const Options& options) {
    BackendOptions all;
    all.seed = run.seed;
    all.set_level(run.level);
    all.backend_option = run.backend_options;
    all.color = options.color;
    all.quiet = options.quiet;
    all.sandbox = options.sandbox;
    return all;
}

std::string text_of(const report::Host& host) {
    return print::printable(fmt::format("{} {}{}", host.system, host.machine, host.cpu.empty() ? "" : ", " + host.cpu));
}

int tell_missing(const std::vector<shards::Parts::Missing>& missing, std::uint64_t parts) {
    for (const shards::Parts::Missing& part : missing)
        fmt::print("part {} of {} is without {}, {} for one:\n    {}\n", part.part + 1, parts,
                   print::counted(part.units.size(), "unit"), part.units.front(), part.command);
    fmt::print("NOT FINISHED: {} of {} not whole; each command asks what is missing\n",
               print::counted(missing.size(), "part"), parts);
    return exit_unfinished;
}

void check_machines(const std::vector<report::Host>& hosts, bool mixed) {
    if (hosts.size() < 2 || mixed) return;
    std::string list;
    for (const report::Host& host : hosts) list += "\n  " + text_of(host);
    throw std::runtime_error(
        fmt::format("the parts were asked on {}:{}\n--mixed merges them, and the report names them",
                    print::counted(hosts.size(), "kind") + " of machines", list));
}

/// The backend that asks a slice of each part again, or why there is none.
struct Live {
    std::unique_ptr<Running> running;
    std::string reason;
};

Live open_live(const shards::Parts& parts, const Options& options, const BackendOptions& run) {
    Live live;
    if (options.no_backend) {
        live.reason = "--no-backend";
        return live;
    }
    try {
        const std::string& argument = options.backend.empty() ? parts.argument() : options.backend;
        BackendOptions silent = run;
        silent.quiet = true;
        live.running = std::make_unique<Running>(observe::resolve_backend(argument), silent);
        if (live.running->subject() == nullptr)
            live.reason = live.running->reason();
        else if (live.running->subject()->info().build_id != parts.run().info.build_id)
            live.reason = fmt::format("'{}' is another build than that of the parts", argument);
    } catch (const std::exception& error) {
        live.reason = error.what();
    }
    if (live.reason.empty()) return live;
    if (!options.backend.empty()) throw std::runtime_error("--backend: " + live.reason);
    live.running.reset();
    return live;
}

std::string asked_again(const shards::Parts& parts, const shards::AskAgain* again, const std::string& reason) {
    if (again == nullptr) return fmt::format("Nothing was asked again: {}.\n", print::printable(reason));
    std::string text = fmt::format("Asked again: {} in slices of {} of {}, drawn with the seed 0x{:016X}",
                                   print::counted(again->values(), "value"), again->units(),
                                   print::counted(parts.run().parts, "part"), parts.seed());
    if (again->units() < parts.run().parts)
        text += fmt::format("; of the other {} nothing was asked again", parts.run().parts - again->units());
    return text + ".\n";
}

int merge(const Options& options) {
    shards::Parts parts({options.folders.begin(), options.folders.end()});
    const shards::Run& run = parts.run();
    const BackendOptions asked = run_of(run, options);
    Running running(shards::open_stored(parts.store()), asked);
    observe::Subject& subject = *running.subject();
    ResultFiles outputs(options.results, report_file_names());
    const RunLines lines{outputs.people(),
                         {print::use_color(print::parse_color_mode(options.color), outputs.people()), options.rows,
                          options.quiet, print::width_of(outputs.people())},
                         options.quiet};
    verdict::CertifyOptions certify = run.options();
    certify.shrink = true;
    report::Report report = begun_report(parts.argument(), asked, certify);
    verdict::CertifyOptions certifying = run_options(certify, subject, running, report);
    certifying.map = options.results.has_page();
    verdict::GoldenSource golden;
    const certify::Plan plan = planned_run(subject, certifying, golden, report);
    parts.read(plan, certifying);
    check_machines(parts.hosts(), options.mixed);
    if (!parts.missing().empty()) return tell_missing(parts.missing(), run.parts);

    const Live live = open_live(parts, options, asked);
    std::optional<shards::AskAgain> again;
    if (live.running) parts.store().compare_with(&again.emplace(*live.running->subject(), parts.drawn()));
    judge_run(subject, plan, certifying, running, lines, report);
    report.started = parts.started();
    report.seconds = parts.seconds();
    report.jobs = static_cast<unsigned>(run.parts);
    report.host = parts.hosts().front();
    report.info.sandbox_state = parts.sandbox();
    if (parts.hosts().size() > 1) report.machines = parts.hosts();
    fmt::print(lines.people, "\nMerged: {} of {}, asked in {:.0f} seconds in all.\n{}",
               print::counted(parts.units(), "unit"), print::counted(run.parts, "part"), parts.seconds(),
               asked_again(parts, again ? &*again : nullptr, live.reason));
    conclude_run(report, options.results, outputs, lines, [&] {
        return evidence::surroundings_of_parts({options.folders.begin(), options.folders.end()});
    });
    return report::exit_code(report);
}

// Files are parts of a selftest, folders those of certify.
bool is_selftest(const Options& options) {
    return std::any_of(options.folders.begin(), options.folders.end(), [](const std::string& path) {
        std::error_code error;
        return std::filesystem::is_regular_file(path, error);
    });
}

int merge_any(const CLI::App& command, const Options& options) {
    if (!is_selftest(options)) return merge(options);
    constexpr std::array taken{"PART", "--json", "--html", "--quiet", "--color"};
    for (const CLI::Option* option : command.get_options())
        if (option->count() != 0 &&
            std::none_of(taken.begin(), taken.end(), [&](const char* name) { return option->check_name(name); }))
            throw std::invalid_argument(
                fmt::format("{}: parts of a selftest are merged with --json and --html alone", option->get_name()));
    return merge_selftest({options.folders.begin(), options.folders.end()}, options.results.json, options.results.html);
}

constexpr const char* footer =
    R"(Each PART is the folder that mxcert certify --shard I/N --keep DIR wrote. All parts of one run are needed: the same
program, vectors, backend, options, seed and level. The answers are judged as if from one machine.

Files of mxcert selftest --shard I/N --json FILE are joined to the result of one run, after one bug of each was planted
again; of the options these take --json, --html and --quiet.

Exit codes: those of mxcert certify, or selftest; 3 also if a part is missing, 2 if a file was changed or does not belong to the run.

Examples:
  mxcert merge parts/* -o out/
  mxcert merge parts/* -o out/ --backend ./my_kernel.so
  mxcert merge laptop/ server/ --mixed --json -
  mxcert merge part-*.json --json selftest.json)";

void add_merge_command(CLI::App& app, Exit& exit) {
    auto options = std::make_shared<Options>();
    CLI::App* command = app.add_subcommand("merge", "Judge the parts of a run on several machines as one run");
    command
        ->add_option("PART", options->folders,
                     "A part: the folder of certify --shard I/N --keep DIR, or the file of selftest --shard")
        ->required()
        ->type_name("");
    CLI::Option* backend =
        command
            ->add_option("--backend", options->backend,
                         "Test a slice of each part again. Default: the backend of the parts, if available")
            ->type_name("BACKEND");
    command->add_flag("--no-backend", options->no_backend, "Test nothing again")->excludes(backend);
    add_sandbox_options(*command, options->sandbox);
    command->add_flag("--mixed", options->mixed, "Accept parts from several kinds of machines, and list these");
    add_result_options(*command, options->results,
                       "report.json, report.html, junit.xml, summary.txt, and certificate.json if it is one");
    command->add_flag("--rows", options->rows, "Print a line for each row and complete lists");
    command->add_option("--color", options->color, "auto, always or never")
        ->check(CLI::IsMember({"auto", "always", "never"}))
        ->capture_default_str();
    command->add_flag("--quiet,-q", options->quiet, "No progress, and no lines for rows that passed");
    command->footer(footer);
    command->callback([command, options, &exit] { exit.code = merge_any(*command, *options); });
}

const Command registered{Group::test, "merge", add_merge_command};

} // namespace
} // namespace mxcert::cli::merge_command
