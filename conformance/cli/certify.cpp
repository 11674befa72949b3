// SPDX-License-Identifier: Apache-2.0
#include "conformance/certify/certify.hpp"

#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "conformance/certify/plan_list.hpp"
#include "conformance/cli/backend_options.hpp"
#include "conformance/cli/commands.hpp"
#include "conformance/cli/results/json_output.hpp"
#include "conformance/cli/results/judged_run.hpp"
#include "conformance/cli/results/result_files.hpp"
#include "conformance/cli/results/run_report.hpp"
#include "conformance/cli/running.hpp"
#include "conformance/cli/shards/certify_part.hpp"
#include "conformance/cli/unmatched.hpp"
#include "conformance/evidence/surroundings.hpp"
#include "conformance/print/terminal.hpp"
#include "conformance/print/text.hpp"
#include "conformance/record/resume.hpp"
#include "conformance/report/last_failed.hpp"
#include "conformance/report/report.hpp"
#include "conformance/verdict/exit_code.hpp"

namespace mxcert::cli::certify_command {
namespace {

struct Options {
    std::string backend;
    BackendOptions run;
    verdict::CertifyOptions certify;
    std::string reproduce;
    std::string keep;
    std::string shard;
    ResultOptions results;
    bool rows = false;
    bool list = false;
    std::string list_json; ///< --json with --list
    bool fail_fast = false;
    bool last_failed = false;
};

// A backend that does not start is a row of the report: who reads the files must see why there is nothing else. One
// that was not given the time is not to blame.
verdict::Row row_of_failed_start(const std::string& reason, bool stopped) {
    verdict::Row row;
    row.id = "start";
    row.status = stopped ? Status::incomplete : Status::error;
    row.reason = reason;
    return row;
}

nlohmann::ordered_json json_of(const certify::PlanList& listed, const certify::Plan& plan,
                               const report::Report& report) {
    nlohmann::ordered_json json{{"backend", report.invocation.backend},
                                {"level", to_string(report.level)},
                                {"profiles", report.invocation.profiles},
                                {"conversions", plan.conversions.size() + plan.given_bits.size()},
                                {"operations", plan.operations.size()},
                                {"inputs", listed.inputs},
                                {"seconds", listed.seconds}};
    json["rows"] = nlohmann::ordered_json::array();
    for (const certify::PlannedRow& row : listed.rows)
        json["rows"].push_back(
            {{"id", row.row}, {"profile", row.profile}, {"asked", row.asked}, {"seconds", row.seconds}});
    return json;
}

// Fills in the report, and what the backend loaded. Gives the exit code where nothing is run that a report could tell.
std::optional<int> run(const Options& options, const observe::BackendSpec& spec, report::Report& report,
                       const RunLines& lines, std::shared_ptr<const process::LoadedFiles>& loaded) {
    Running running(spec, options.run);
    loaded = running.loaded();
    observe::Subject* subject = running.subject();
    if (subject == nullptr && !options.list_json.empty()) {
        (void)running.report_start();
        return exit_unfinished;
    }
    if (subject == nullptr) {
        report.interrupted = running.stop().load();
        report.rows = {row_of_failed_start(running.reason(), report.interrupted)};
        return {};
    }
    std::unique_ptr<observe::Subject> keeper;
    if (!options.keep.empty()) {
        keeper = record::resume_answers(*subject, options.keep, options.run.backend_option, options.run.seed,
                                        options.run.asked_level().level);
        subject = keeper.get();
    }
    verdict::CertifyOptions certifying = run_options(options.certify, *subject, running, report);
    certifying.map = options.results.has_page();
    verdict::GoldenSource golden;
    const certify::Plan plan = planned_run(*subject, certifying, golden, report);
    if (options.list) {
        const certify::PlanList listed =
            certify::list_of(plan, certifying, report.level, print::width_of(lines.people));
        print_result(
            options.list_json, [&] { return listed.text; }, [&] { return json_of(listed, plan, report); });
        return listed.rows.empty() ? exit_nothing : exit_ok;
    }

    judge_run(*subject, plan, certifying, running, lines, report);
    return {};
}

// The rows that did not pass in the run whose report is in the folder of --report are those to run.
void take_last_failed(Options& options) {
    const std::filesystem::path path = std::filesystem::path(options.results.report) / "report.json";
    if (!std::filesystem::exists(path))
        throw std::runtime_error(fmt::format("--last-failed: there is no '{}'; a run with --report {} writes it",
                                             path.string(), print::shell_word(options.results.report)));
    const report::LastFailed failed = report::read_last_failed(path);
    if (failed.rows.empty())
        fmt::print(stderr, "mxcert: --last-failed: every row passed, so all are run\n");
    else if (!failed.whole.empty())
        fmt::print(stderr, "mxcert: --last-failed: '{}' did not pass, so all rows are run\n",
                   print::printable(failed.whole));
    else
        options.certify.filters = failed.rows;
}

int certify_command(Options options) {
    const observe::BackendSpec spec = observe::resolve_backend(options.backend);
    if (!options.reproduce.empty()) options.certify.reproduce = cases::parse_reproduction(options.reproduce);
    options.certify.shrink = true;
    for (const std::string& name : options.certify.profiles) (void)find_profile(name);
    if (is_small(options.run.asked_level().level))
        for (const auto& [name, is_set] : {std::pair("--reproduce", !options.reproduce.empty()),
                                           std::pair("--require", !options.certify.required.empty())})
            if (is_set)
                throw std::invalid_argument(
                    fmt::format("{} and {}: a few inputs do not answer for it; take --level quick or a later one",
                                option_of(options.run.asked_level()), name));
    if (!options.shard.empty())
        return certify_part(options.backend, options.run, options.certify,
                            {parse_part(options.shard), options.keep, options.list});
    if (options.last_failed) take_last_failed(options);
    // The JSON is then that of the list.
    if (options.list) options.list_json = std::exchange(options.results.json, "");
    ResultFiles outputs(options.results, report_file_names());
    const RunLines lines{outputs.people(),
                         {print::use_color(print::parse_color_mode(options.run.color), outputs.people()), options.rows,
                          options.run.quiet, print::width_of(outputs.people())},
                         options.run.quiet,
                         options.fail_fast};

    report::Report report = begun_report(options.backend, options.run, options.certify);
    report.info.name = spec.name;
    report.reproduce = options.reproduce;
    if (!options.reproduce.empty()) report.selection = "--reproduce " + options.reproduce;
    const auto began = std::chrono::steady_clock::now();
    std::shared_ptr<const process::LoadedFiles> loaded;
    if (const std::optional<int> code = run(options, spec, report, lines, loaded)) return *code;
    report.jobs = observe::jobs_of(options.run.jobs, report.info);
    report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();

    conclude_run(report, options.results, outputs, lines,
                 [&] { return evidence::surroundings_of(loaded.get(), report.info); });
    return report::exit_code(report);
}

constexpr const char* footer =
    R"(BACKEND is a name (mxcert backends lists them), a plugin (*.so), a program that speaks the frames, a folder that
mxcert record wrote or that mxcert offline wrote and a device answered, or 'pipe:CONVERSION:COMMAND', which is what
--pipe and --conversion spell.

Exit codes: 0 every row passed: PASS, which is a certificate, or AGREES; 1 a FAIL, MISTRUSTED or UNTESTED row, or
something required is not offered; 2 usage or file error; 3 an ERROR or INCOMPLETE row; 4 nothing passed and nothing
failed; 5 PARTIAL: every row passed, and only a part of a profile is offered.

Examples:
  mxcert certify cuda_fp8
  mxcert certify ./my_kernel.so --profile ocp-sat --report out/
  mxcert certify ./my_kernel.so --level quick
  mxcert certify ./my_kernel.so --filter 'fp32-*-rne-sat' --list
  mxcert certify ./my_kernel.so --report out/ --last-failed --fail-fast
  mxcert certify ./my_kernel.so --filter 'fp32-*' --jobs 8 --json -
  mxcert certify --pipe './emulator --args' --conversion fp32-e4m3-nearest_even-sat
  mxcert certify ./slow.so --keep answers/ --report out/
  mxcert certify ./slow.so --shard 3/64 --keep parts/3
  mxcert certify ./my_kernel.so --require fp32-e4m3-nearest_even-sat --junit junit.xml
  mxcert certify ./my_kernel.so --reproduce fp32-e4m3-nearest_even-sat:0x3F880001)";

void add_certify_command(CLI::App& app, Exit& exit) {
    auto options = std::make_shared<Options>();
    CLI::App* command = app.add_subcommand("certify", "Compare every output of a backend with what a profile permits");
    add_backend_argument(*command, options->backend, options->run, "What to test");
    repeatable(command->add_option("--profile", options->certify.profiles,
                                   "Profile to judge by, repeatable; mxcert profiles lists them"),
               "NAME");
    globs(command->add_option("--filter", options->certify.filters,
                              "Only matching rows, repeatable: 'fp32-*-sat'; gives no certificate"));
    globs(command->add_option("--leave-out", options->certify.leave_out,
                              "Conversions and operations not to ask, repeatable: 'fp64-*'; a certificate may be "
                              "without those of which only a sample can be asked, and names them"));
    globs(command->add_option("--require", options->certify.required,
                              "Conversions or operations that must be offered, repeatable"));
    with_roundings(
        command->add_option(
            "--reproduce", options->reproduce,
            "Run only this, as printed by a failure: CONVERSION:INPUT, CONVERSION:INPUT/RANDOM, ROW:INPUT, ROW:CASE, "
            "ROW@SIZES=CODES or ROW"))
        ->type_name("CONVERSION:INPUT|OPERATION/ROW:CASE")
        ->excludes("--filter")
        ->excludes("--leave-out")
        ->excludes("--require");
    add_samples_option(*command, options->certify.samples_per_step);
    command->add_option("--max-failures", options->certify.max_failures, "Ranges of wrong answers to list for each row")
        ->transform(number_between(std::size_t{1}, std::size_t{1'000'000}))
        ->capture_default_str();
    add_result_options(
        *command, options->results,
        "report.json, report.html, junit.xml, summary.txt, statement.json, and certificate.json if it is one");
    command->add_flag("--rows", options->rows, "Print a line for each row and complete lists, also for large runs");
    CLI::Option* list =
        command->add_flag("--list", options->list, "Print the rows that would be judged, without running them");
    for (const char* name : {"--junit", "--html", "--report", "--summary", "--sarif", "--code-quality", "--ocptv"})
        list->excludes(name);
    command->add_flag("--fail-fast", options->fail_fast,
                      "Stop after the first conversion or operation with a row that does not pass");
    command
        ->add_flag("--last-failed", options->last_failed,
                   "Only the rows that did not pass in the report in --report; all rows if all passed")
        ->needs("--report")
        ->excludes("--filter")
        ->excludes("--leave-out")
        ->excludes("--reproduce");
    add_level_options(*command, options->run, true);
    add_backend_options(*command, options->run);
    command->add_option("--keep", options->keep, "Store answers in DIR; the same command continues a stopped run")
        ->type_name("DIR")
        ->excludes("--reproduce");
    CLI::Option* shard = command
                             ->add_option("--shard", options->shard,
                                          "Run only part I of N and store its answers in --keep, for mxcert merge")
                             ->type_name("I/N")
                             ->needs("--keep");
    for (const char* name : {"--reproduce", "--budget", "--fail-fast", "--last-failed", "--json", "--junit", "--html",
                             "--report", "--summary", "--sarif", "--code-quality", "--ocptv"})
        shard->excludes(name);
    command->footer(footer);
    command->callback([options, &exit] {
        take_backend(options->backend, options->run);
        exit.code = certify_command(*options);
    });
}

const Command registered{Group::test, "certify", add_certify_command};

} // namespace
} // namespace mxcert::cli::certify_command
