// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <filesystem>
#include <initializer_list>
#include <memory>
#include <stdexcept>

#include <fmt/format.h>

#include "conformance/cli/commands.hpp"
#include "conformance/cli/results/judged_run.hpp"
#include "conformance/cli/results/run_report.hpp"
#include "conformance/cli/shards/merge_record.hpp"
#include "conformance/cli/shards/merge_selftest.hpp"
#include "conformance/cli/shards/merged_parts.hpp"
#include "conformance/evidence/part_surroundings.hpp"
#include "conformance/print/terminal.hpp"

namespace mxcert::cli::merge_command {
namespace {

struct Options {
    std::vector<std::string> folders;
    bool rows = false;
    MergeOptions merge;
    ResultOptions results;
};

std::vector<std::filesystem::path> paths_of(const Options& options) {
    return {options.folders.begin(), options.folders.end()};
}

int merge_run(shards::Parts& parts, const Options& options) {
    const shards::Run& run = parts.run();
    const BackendOptions asked = options_of(run, options.merge);
    Running running(shards::open_stored(parts.store()), asked);
    observe::Subject& subject = *running.subject();
    ResultFiles outputs(options.results, report_file_names());
    const bool quiet = options.merge.quiet;
    const RunLines lines{outputs.people(),
                         {print::use_color(print::parse_color_mode(options.merge.color), outputs.people()),
                          options.rows, quiet, print::width_of(outputs.people())},
                         quiet};
    verdict::CertifyOptions certify = run.options();
    certify.shrink = true;
    report::Report report = begun_report(parts.argument(), asked, certify);
    verdict::CertifyOptions certifying = run_options(certify, subject, running, report);
    certifying.map = options.results.has_page();
    verdict::GoldenSource golden;
    const certify::Plan plan = planned_run(subject, certifying, golden, report);
    parts.read(plan, certifying);
    if (const std::optional<int> code = refuse_parts(parts, options.merge, lines.people)) return *code;

    const SecondLook again(parts, options.merge, asked);
    judge_run(subject, plan, certifying, running, lines, report);
    report.started = parts.started();
    report.seconds = parts.seconds();
    report.jobs = static_cast<unsigned>(run.parts);
    report.host = parts.hosts().front();
    report.info.sandbox_state = parts.sandbox();
    if (parts.hosts().size() > 1) report.machines = parts.hosts();
    fmt::print(lines.people, "\n{}", again.text());
    conclude_run(report, options.results, outputs, lines,
                 [&] { return evidence::surroundings_of_parts(paths_of(options)); });
    return report::exit_code(report);
}

// Files are parts of a selftest, folders those of certify.
bool is_selftest(const Options& options) {
    return std::any_of(options.folders.begin(), options.folders.end(), [](const std::string& path) {
        std::error_code error;
        return std::filesystem::is_regular_file(path, error);
    });
}

/// Throws std::invalid_argument for an option that is not among `taken`.
void check_options(const CLI::App& command, const char* of, std::initializer_list<const char*> taken) {
    for (const CLI::Option* option : command.get_options())
        if (option->count() != 0 &&
            std::none_of(taken.begin(), taken.end(), [&](const char* name) { return option->check_name(name); }))
            throw std::invalid_argument(fmt::format("{}: parts of {} do not take it", option->get_name(), of));
}

int merge(const CLI::App& command, const Options& options) {
    if (is_selftest(options)) {
        check_options(command, "a selftest", {"PART", "--json", "--html", "--quiet", "--color"});
        return merge_selftest(paths_of(options), options.results.json, options.results.html);
    }
    shards::Parts parts(paths_of(options));
    if (!parts.run().recorded) return merge_run(parts, options);
    check_options(command, "a record",
                  {"PART", "--report", "--json", "--backend", "--no-backend", "--mixed", "--sandbox", "--sandbox-read",
                   "--quiet", "--color"});
    return merge_record(parts, options.merge, options.results.report, options.results.json);
}

constexpr const char* footer =
    R"(Each PART is the folder that mxcert certify --shard I/N --keep DIR wrote. All parts of one run are needed: the same
program, vectors, backend, options, seed and level. The answers are judged as if from one machine.

Folders of mxcert record --shard I/N --keep DIR are joined to the record of one run, in the folder of -o; of the other
options these take --json, --backend, --no-backend, --sandbox, --mixed and --quiet.

Files of mxcert selftest --shard I/N --json FILE are joined to the result of one run, after one bug of each was planted
again; of the options these take --json, --html and --quiet.

Exit codes: those of mxcert certify, record or selftest; 3 also if a part is missing, 2 if a file was changed or does not belong to the run.

Examples:
  mxcert merge parts/* -o out/
  mxcert merge parts/* -o out/ --backend ./my_kernel.so
  mxcert merge laptop/ server/ --mixed --json -
  mxcert merge part-*.json --json selftest.json
  mxcert merge parts/* -o record/)";

void add_merge_command(CLI::App& app, Exit& exit) {
    auto options = std::make_shared<Options>();
    CLI::App* command = app.add_subcommand(
        "merge", "Judge the parts of a run on several machines as one run, or join those of a record");
    command
        ->add_option("PART", options->folders,
                     "A part: the folder of certify or record --shard I/N --keep DIR, or the file of selftest --shard")
        ->required()
        ->type_name("");
    CLI::Option* backend =
        command
            ->add_option("--backend", options->merge.backend,
                         "Test a slice of each part again. Default: the backend of the parts, if available")
            ->type_name("BACKEND");
    command->add_flag("--no-backend", options->merge.no_backend, "Test nothing again")->excludes(backend);
    add_sandbox_options(*command, options->merge.sandbox);
    command->add_flag("--mixed", options->merge.mixed, "Accept parts from several kinds of machines, and list these");
    add_result_options(
        *command, options->results,
        "report.json, report.html, junit.xml, summary.txt, and certificate.json if it is one; of parts of a "
        "record, the record");
    command->add_flag("--rows", options->rows, "Print a line for each row and complete lists");
    command->add_option("--color", options->merge.color, "auto, always or never")
        ->check(CLI::IsMember({"auto", "always", "never"}))
        ->capture_default_str();
    command->add_flag("--quiet,-q", options->merge.quiet, "No progress, and no lines for rows that passed");
    command->footer(footer);
    command->callback([command, options, &exit] { exit.code = merge(*command, *options); });
}

const Command registered{Group::test, "merge", add_merge_command};

} // namespace
} // namespace mxcert::cli::merge_command
