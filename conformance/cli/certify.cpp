// SPDX-License-Identifier: Apache-2.0
#include "conformance/certify/certify.hpp"

#include <algorithm>
#include <chrono>
#include <ctime>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>

#include <fmt/format.h>

#include "conformance/certify/leave_out.hpp"
#include "conformance/certify/reduce.hpp"
#include "conformance/cli/backend_options.hpp"
#include "conformance/cli/commands.hpp"
#include "conformance/cli/html_option.hpp"
#include "conformance/cli/replay_verdict.hpp"
#include "conformance/cli/running.hpp"
#include "conformance/faults/small_suite.hpp"
#include "conformance/files/output_file.hpp"
#include "conformance/html/certify_page.hpp"
#include "conformance/offline/offered_part.hpp"
#include "conformance/print/terminal.hpp"
#include "conformance/print/text.hpp"
#include "conformance/record/resume.hpp"
#include "conformance/report/report.hpp"
#include "conformance/report/report_families.hpp"
#include "reference/operation/operation_name.hpp"

namespace mxcert::cli::certify_command {
namespace {

struct Options {
    std::string backend;
    BackendOptions run;
    verdict::CertifyOptions certify;
    std::string reproduce;
    std::string replay;
    std::string keep;
    std::string json;
    std::string junit;
    std::string report;
    std::string html;
    bool rows = false;
};

// The files a run leaves. They are opened first, so that an error with them shows before the run and not after it.
class Outputs {
  public:
    explicit Outputs(const Options& options)
        : json_to_stdout_(options.json == "-"), junit_to_stdout_(options.junit == "-"), html_(html_file(options.html)) {
        if (json_to_stdout_ && junit_to_stdout_)
            throw std::invalid_argument("--json - and --junit -: standard output takes one of them");
        if (!options.json.empty() && !json_to_stdout_) json_.emplace(options.json);
        if (!options.junit.empty() && !junit_to_stdout_) junit_.emplace(options.junit);
        if (options.report.empty()) return;
        const std::filesystem::path folder = options.report;
        files::make_folder(folder);
        folder_json_.emplace(folder / "report.json");
        folder_junit_.emplace(folder / "junit.xml");
        folder_html_.emplace(folder / "report.html");
        summary_.emplace(folder / "summary.txt");
        certificate_.emplace(folder / "certificate.json");
        // The certificate of an earlier run must not stand beside the report of this one.
        std::error_code error;
        std::filesystem::remove(folder / "certificate.json", error);
        if (error)
            throw std::runtime_error(
                fmt::format("cannot remove '{}': {}", (folder / "certificate.json").string(), error.message()));
    }

    /// Where the text for people goes: standard output, unless that is taken.
    [[nodiscard]] std::FILE* people() const { return json_to_stdout_ || junit_to_stdout_ ? stderr : stdout; }

    void write(const report::Report& report) {
        const std::string json = report::report_json(report);
        const std::string junit = report::report_junit(report);
        if (json_to_stdout_) fmt::print("{}", json);
        if (junit_to_stdout_) fmt::print("{}", junit);
        if (json_) json_->write(json);
        if (junit_) junit_->write(junit);
        if (html_ || folder_html_) {
            const std::string page = html::certify_page(report);
            if (html_) html_->write(page);
            if (folder_html_) folder_html_->write(page);
        }
        if (folder_json_) folder_json_->write(json);
        if (folder_junit_) folder_junit_->write(junit);
        if (summary_) summary_->write(report::summary_text(report));
        if (certificate_ && report::is_certificate(report)) certificate_->write(json);
    }

  private:
    bool json_to_stdout_;
    bool junit_to_stdout_;
    std::optional<files::OutputFile> html_;
    std::optional<files::OutputFile> json_;
    std::optional<files::OutputFile> junit_;
    std::optional<files::OutputFile> folder_json_;
    std::optional<files::OutputFile> folder_junit_;
    std::optional<files::OutputFile> folder_html_;
    std::optional<files::OutputFile> summary_;
    std::optional<files::OutputFile> certificate_;
};

std::string utc_now() {
    const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
    std::tm parts{};
    ::gmtime_r(&now, &parts);
    return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z", parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday,
                       parts.tm_hour, parts.tm_min, parts.tm_sec);
}

std::string selection(const Options& options) {
    if (!options.reproduce.empty()) return "--reproduce " + options.reproduce;
    std::string text;
    for (const std::string& filter : options.certify.filters)
        text += (text.empty() ? "--filter " : " --filter ") + filter;
    return text;
}

// A backend that does not start is a row of the report: who reads the files must see why there is nothing else. One
// that was not given the time is not to blame.
verdict::Row row_of_failed_start(const std::string& reason, bool stopped) {
    verdict::Row row;
    row.id = "start";
    row.status = stopped ? Status::incomplete : Status::error;
    row.reason = reason;
    return row;
}

// Whether a conversion or operation of this name is judged by any of the profiles.
bool is_judged(const std::string& name, const std::vector<const Profile*>& profiles) {
    return std::any_of(profiles.begin(), profiles.end(), [&](const Profile* profile) {
        return certify::names_operation(name) ? covers(*profile, parse_operation(name))
                                              : covers(*profile, parse_conversion(name));
    });
}

// Seconds that an operation takes, on a machine like another, until the first has shown it.
double usual_seconds(Level level) {
    switch (level) {
    case Level::standard: return 20;
    case Level::complete: return 200;
    default: return 1;
    }
}

void run(const Options& options, const observe::BackendSpec& spec, report::Report& report, std::FILE* people,
         report::View view) {
    Running running(spec, options.run);
    observe::Subject* subject = running.subject();
    if (subject == nullptr) {
        report.interrupted = running.stop().load();
        report.rows = {row_of_failed_start(running.reason(), report.interrupted)};
        return;
    }
    std::unique_ptr<observe::Subject> keeper;
    if (!options.keep.empty()) {
        keeper = record::resume_answers(*subject, options.keep, options.run.backend_option, options.run.seed);
        subject = keeper.get();
    }
    report.info = subject->info();
    report.from_record = subject->is_record();
    if (const std::string selection = subject->selection(); !selection.empty())
        report.selection = selection + (report.selection.empty() ? "" : " " + report.selection);
    verdict::CertifyOptions certifying = options.certify;
    // A folder that asks a part is judged as that part: a provision it does not ask about is not missing.
    if (certifying.filters.empty()) certifying.filters = subject->filters();
    certifying.seed = options.run.seed;
    report.level = report.invocation.level = running.level();
    certifying.level = report.level.level;
    certifying.map = !options.html.empty() || !options.report.empty();
    certifying.stop = &running.stop();
    verdict::GoldenSource golden;
    certify::Plan plan = certify::make_plan(*subject, certifying, golden);
    if (is_small(certifying.level)) {
        // The answers that are stored are to every case, and take no time.
        report.suite =
            certify::strength_text(certify::reduce(plan, report.level.budget, !subject->is_record(), certifying.seed));
    }
    if ((is_small(certifying.level) || certifying.reproduce) && certifying.profiles.empty())
        certify::drop_empty_profiles(plan);
    report.invocation.profiles.clear();
    for (const Profile* profile : plan.profiles) report.invocation.profiles.emplace_back(profile->name);
    report.outside = plan.outside;
    report.left_out = plan.left_out;
    report.record_sha256 = subject->digest();
    // A record that is without something is no less, where the run leaves that out and says so.
    for (const std::string& name : subject->left_out())
        if (is_judged(name, plan.profiles)) report.without.push_back(name);
    for (const std::string& name : report.without)
        if (certify::is_left_out(certifying.leave_out, name)) report.left_out.push_back(name);
    std::erase_if(report.without,
                  [&](const std::string& name) { return certify::is_left_out(certifying.leave_out, name); });
    for (const std::string& glob : certifying.leave_out)
        if (std::none_of(report.left_out.begin(), report.left_out.end(),
                         [&](const std::string& name) { return print::glob_matches(glob, name); }))
            throw std::invalid_argument(fmt::format("--leave-out '{}' names nothing that is offered", glob));
    report.rows_named = !certifying.filters.empty();
    std::vector<Conversion> offered = report.info.conversions;
    for (const std::string& name : subject->left_out())
        if (!certify::names_operation(name)) offered.push_back(parse_conversion(name));
    for (const Profile* profile : plan.profiles)
        if (!options.certify.reproduce)
            for (const std::string& missing : offline::missing_of(*profile, offered))
                report.missing.push_back(fmt::format("{}: {}", profile->name, missing));

    report::RowColumns columns{plan.profiles.size() > 1};
    for (const suites::PlannedConversion& planned : plan.conversions) columns.fit(planned.conversion);
    for (const suites::GivenBits& bits : plan.given_bits) columns.fit(bits.conversion);
    running.expect(plan.inputs());
    // The family of what has a line, and of that the part whose inputs are not known before.
    std::vector<std::string> families;
    std::map<std::string, std::string> family_by_name;
    for (const suites::PlannedConversion& planned : plan.conversions)
        families.push_back(report::family_of(planned.conversion));
    const std::size_t known = families.size();
    const auto add_work = [&](const std::string& name, const std::string& family) {
        families.push_back(family);
        family_by_name[name] = family;
    };
    for (const suites::GivenBits& bits : plan.given_bits)
        add_work(to_string(bits.conversion), report::family_of(bits.conversion));
    for (const certify::PlannedOperation& planned : plan.operations)
        add_work(to_string(planned.operation), report::family_of(planned.operation));
    running.progress().expect_work({families.begin() + static_cast<std::ptrdiff_t>(known), families.end()},
                                   usual_seconds(certifying.level));
    report::RowLines lines(columns, families, view);
    if (certifying.level > Level::quick) {
        cases::Invocation invocation = report.invocation;
        invocation.profiles = options.certify.profiles;
        running.progress().advise(cases::quick_line(invocation, options.certify.filters));
    }
    certify::CertifyEvents events;
    events.started = [&](const std::string& name, std::uint64_t inputs) {
        if (family_by_name.contains(name))
            running.progress().start_work(name);
        else
            running.progress().start(name, inputs);
    };
    events.ended = [&](const std::string& name) { running.progress().finish_work(name, family_by_name.at(name)); };
    events.judged = [&](const std::vector<verdict::Row>& rows, double seconds) {
        running.progress().finish();
        running.progress().clear();
        fmt::print(people, "{}", lines.add(rows, seconds));
        std::fflush(people);
    };
    if (!options.run.quiet) fmt::print(people, "{}", lines.heading());
    report.rows = certify::certify(*subject, plan, certifying, events);
    fmt::print(people, "{}", lines.finish());
    // What was compared before the signal may be a FAIL, and then the row says that.
    report.interrupted = running.stop().load() && report::count(report, Status::pass) != report.rows.size();
}

// The run of a report, with a backend that may lie elsewhere by now.
void take_over(const report::ReplayedReport& replayed, Options& options) {
    if (options.backend.empty()) options.backend = replayed.invocation.backend;
    options.certify.profiles = replayed.invocation.profiles;
    options.certify.filters = replayed.filters;
    options.certify.required = replayed.required;
    options.certify.leave_out = replayed.leave_out;
    options.certify.samples_per_step = replayed.samples_per_step;
    options.certify.max_failures = replayed.max_failures;
    options.reproduce = replayed.reproduce;
    options.run.seed = replayed.seed;
    options.run.set_level(replayed.level);
    options.run.backend_option = replayed.invocation.backend_options;
}

int certify_command(Options options) {
    std::optional<report::ReplayedReport> replayed;
    if (!options.replay.empty()) {
        replayed = report::read_replayed(options.replay);
        take_over(*replayed, options);
    }
    const observe::BackendSpec spec = observe::resolve_backend(options.backend);
    if (!options.reproduce.empty()) options.certify.reproduce = cases::parse_reproduction(options.reproduce);
    options.certify.shrink = true;
    for (const std::string& name : options.certify.profiles) (void)find_profile(name);
    if (is_small(options.run.asked_level().level))
        for (const auto& [name, is_set] : {std::pair("--reproduce", !options.reproduce.empty()),
                                           std::pair("--require", !options.certify.required.empty())})
            if (is_set && !replayed)
                throw std::invalid_argument(
                    fmt::format("{} and {}: a few inputs do not answer for it; take --level quick or a later one",
                                option_of(options.run.asked_level()), name));
    Outputs outputs(options);
    const report::View view{print::use_color(print::parse_color_mode(options.run.color), outputs.people()),
                            options.rows, options.run.quiet, print::width_of(outputs.people())};

    report::Report report;
    report.invocation = {options.backend,  options.certify.profiles,         options.run.backend_option,
                         options.run.seed, options.certify.samples_per_step, options.run.asked_level()};
    report.info.name = spec.name;
    report.seed = options.run.seed;
    report.samples_per_step = options.certify.samples_per_step;
    report.level = options.run.asked_level();
    report.filters = options.certify.filters;
    report.required = options.certify.required;
    report.leave_out = options.certify.leave_out;
    report.reproduce = options.reproduce;
    report.max_failures = options.certify.max_failures;
    report.selection = selection(options);
    report.host = report::this_host();
    report.vectors = this_vector_set();
    report.started = utc_now();
    const auto began = std::chrono::steady_clock::now();
    run(options, spec, report, outputs.people(), view);
    report.jobs = observe::jobs_of(options.run.jobs, report.info);
    report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();

    for (const verdict::Row& row : report.rows)
        if (const std::string text = report::failure_text(row, report.invocation, view.color); !text.empty())
            fmt::print(outputs.people(), "\n{}", text);
    fmt::print(outputs.people(), "{}{}", options.run.quiet ? "" : "\n", report::verdict_text(report, view));
    if (!options.report.empty())
        fmt::print(outputs.people(), "Report: {}\n",
                   print::printable((std::filesystem::path(options.report) / "").string()));
    std::fflush(outputs.people());
    outputs.write(report);
    if (replayed && !report.interrupted) return replay_verdict(*replayed, report, outputs.people());
    return report::exit_code(report);
}

constexpr const char* footer =
    R"(BACKEND is a name (mxcert backends lists them), a plugin (*.so), a program that speaks the frames, a folder that
mxcert record wrote or that mxcert offline wrote and a device answered, or 'pipe:CONVERSION:COMMAND', which is what
--pipe and --conversion spell.

With --replay: 0 everything is as it was; 1 something that was tested or came out is not; 2 no report that can be repeated.

Exit codes: 0 every row passed: PASS, which is a certificate, or AGREES; 1 a FAIL, MISTRUSTED or UNTESTED row, or
something required is not offered; 2 usage or file error; 3 an ERROR or INCOMPLETE row; 4 nothing passed and nothing
failed; 5 PARTIAL: every row passed, and only a part of a profile is offered.

Examples:
  mxcert certify cuda_fp8
  mxcert certify ./my_kernel.so --profile ocp-sat --report out/
  mxcert certify ./my_kernel.so --level quick
  mxcert certify ./my_kernel.so --filter 'fp32-*' --jobs 8 --json -
  mxcert certify --pipe './emulator --args' --conversion fp32-e4m3-nearest_even-sat
  mxcert certify ./slow.so --keep answers/ --report out/
  mxcert certify ./my_kernel.so --require fp32-e4m3-nearest_even-sat --junit junit.xml
  mxcert certify ./my_kernel.so --reproduce fp32-e4m3-nearest_even-sat:0x3F880001
  mxcert certify --replay out/certificate.json)";

void add_certify_command(CLI::App& app, Exit& exit) {
    auto options = std::make_shared<Options>();
    CLI::App* command = app.add_subcommand("certify", "Compare everything a backend does with what a profile permits");
    add_backend_argument(*command, options->backend, options->run, "What to test");
    repeatable(command->add_option("--profile", options->certify.profiles,
                                   "Profile to hold it to, repeatable; mxcert profiles lists them"),
               "NAME");
    globs(command->add_option("--filter", options->certify.filters,
                              "Only rows that match, repeatable: 'fp32-*-sat'; no certificate then"));
    globs(command->add_option("--leave-out", options->certify.leave_out,
                              "Conversions and operations not to ask, repeatable: 'fp64-*'; a certificate may be "
                              "without those of which only a sample can be asked, and names them"));
    globs(command->add_option("--require", options->certify.required,
                              "Conversions or operations that must be offered, repeatable"));
    command
        ->add_option(
            "--reproduce", options->reproduce,
            "Run this alone, as a failure prints it: CONVERSION:INPUT, CONVERSION:INPUT/RANDOM, ROW:INPUT, ROW:CASE, "
            "ROW@SIZES=CODES or ROW")
        ->type_name("CONVERSION:INPUT|OPERATION/ROW:CASE")
        ->excludes("--filter")
        ->excludes("--leave-out")
        ->excludes("--require");
    command
        ->add_option("--samples-per-step", options->certify.samples_per_step, "Seeded inputs inside each step of FP64")
        ->check(number_between(0U, 65'536U))
        ->capture_default_str();
    command
        ->add_option("--max-failures", options->certify.max_failures, "Ranges of wrong answers that are listed a row")
        ->check(number_between(std::size_t{1}, std::size_t{1'000'000}))
        ->capture_default_str();
    command->add_option("--json", options->json, "Write the JSON report; - is standard output")->type_name("FILE");
    command->add_option("--junit", options->junit, "Write the report as JUnit XML; - is standard output")
        ->type_name("FILE");
    add_html_option(*command, options->html);
    command
        ->add_option("--report", options->report,
                     "Write report.json, report.html, junit.xml, summary.txt, and certificate.json if it is one")
        ->type_name("DIR");
    command->add_flag("--rows", options->rows,
                      "A line for each row and whole lists, also where they are many; else a line for each family");
    add_level_options(*command, options->run, true);
    add_backend_options(*command, options->run);
    CLI::Option* replay =
        command
            ->add_option("--replay", options->replay,
                         "Repeat the run of a certificate and compare; BACKEND only if it lies elsewhere by now")
            ->type_name("FILE");
    command
        ->add_option("--keep", options->keep,
                     "Keep answers here as they come; started again with it, the run goes on where it was")
        ->type_name("DIR")
        ->excludes("--reproduce")
        ->excludes(replay);
    for (const char* name : {"--profile", "--filter", "--leave-out", "--require", "--reproduce", "--samples-per-step",
                             "--max-failures", "--seed", "--backend-option", "--level", "--budget"})
        replay->excludes(name);
    command->footer(footer);
    command->callback([options, replay, &exit] {
        if (replay->count() == 0 || !options->run.pipe.empty()) take_backend(options->backend, options->run);
        exit.code = certify_command(*options);
    });
}

const Command registered{Group::test, "certify", add_certify_command};

} // namespace
} // namespace mxcert::cli::certify_command
