// SPDX-License-Identifier: Apache-2.0
#include "conformance/gate/gate.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>

#include <fmt/format.h>

#include "conformance/certify/certify.hpp"
#include "conformance/cli/backend_options.hpp"
#include "conformance/cli/commands.hpp"
#include "conformance/cli/results/result_files.hpp"
#include "conformance/cli/results/run_report.hpp"
#include "conformance/cli/running.hpp"
#include "conformance/cli/unmatched.hpp"
#include "conformance/files/output_file.hpp"
#include "conformance/html/gate_page.hpp"
#include "conformance/print/terminal.hpp"
#include "conformance/print/text.hpp"
#include "conformance/print/version.hpp"
#include "conformance/record/resume.hpp"

namespace mxcert::cli::gate_command {
namespace {

struct Options {
    std::string backend;
    std::string baseline;
    verdict::CertifyOptions certify;
    BackendOptions run;
    std::string today;
    bool acknowledge = false;
    std::string reason;
    std::string owner;
    std::string expires;
    std::size_t max_failures = 5;
    ResultOptions results;
    std::string keep;
    // Those that were given: what is not given is as the baseline says.
    bool seed_given = false;
    bool samples_given = false;
    bool option_given = false;
};

files::Date today_of(const Options& options) {
    if (options.today.empty()) return files::date_of_today();
    try {
        return files::parse_date(options.today);
    } catch (const std::invalid_argument& error) {
        throw std::invalid_argument(fmt::format("--today: {}", error.what()));
    }
}

// The word that was given, as far as it was.
gate::Acknowledgement word_of(const Options& options, const files::Date& today) {
    gate::Acknowledgement word{options.reason, options.owner, today};
    if (options.expires.empty()) return word;
    try {
        word.expires = files::parse_date(options.expires);
    } catch (const std::invalid_argument& error) {
        throw std::invalid_argument(fmt::format("--expires: {}", error.what()));
    }
    if (word.expires < today)
        throw std::invalid_argument(
            fmt::format("--expires {} has passed: today is {}", options.expires, files::date_text(today)));
    return word;
}

bool is_word(const Options& options) {
    const auto is_blank = [](const std::string& text) {
        return text.find_first_not_of(" \t\r\n") == std::string::npos;
    };
    return !is_blank(options.reason) && !is_blank(options.owner) && !options.expires.empty();
}

// The run is the one the baseline is of. An option that says otherwise is an error: it would compare other answers.
void take_over(const gate::Baseline& baseline, Options& options) {
    const std::string& file = options.baseline;
    if (options.option_given)
        gate::check_same(file, "'backend': 'options'", baseline.backend_options, options.run.backend_option);
    if (options.seed_given)
        gate::check_same(file, "'seed'", std::to_string(baseline.seed), std::to_string(options.run.seed));
    if (options.samples_given)
        gate::check_same(file, "'samples_per_step'", std::to_string(baseline.samples_per_step),
                         std::to_string(options.certify.samples_per_step));
    if (options.run.level_given())
        gate::check_same(file, "'level'", to_string(baseline.level), to_string(options.run.asked_level()));
    if (!options.certify.profiles.empty()) {
        const auto sorted = [](std::vector<std::string> names) {
            std::sort(names.begin(), names.end());
            names.erase(std::unique(names.begin(), names.end()), names.end());
            return fmt::format("{}", fmt::join(names, " "));
        };
        gate::check_same(file, "'profiles'", sorted(baseline.profiles), sorted(options.certify.profiles));
    }
    if (!options.acknowledge)
        gate::check_same(file, "the vector set 'vectors'", gate::text_of(baseline.vectors),
                         gate::text_of(this_vector_set()),
                         "review the changes with --acknowledge, which writes the baseline for these vectors");
    options.run.backend_option = baseline.backend_options;
    options.run.seed = baseline.seed;
    options.certify.samples_per_step = baseline.samples_per_step;
    options.run.set_level(baseline.level);
    options.certify.profiles = baseline.profiles;
    if (options.certify.filters.empty()) return;
    // A profile of which --filter leaves nothing is not asked.
    std::erase_if(options.certify.profiles, [&](const std::string& profile) {
        return std::none_of(baseline.rows.begin(), baseline.rows.end(), [&](const auto& row) {
            return row.first.first == profile && print::selected(options.certify.filters, row.first.second);
        });
    });
    if (options.certify.profiles.empty()) options.certify.profiles = baseline.profiles;
}

report::Report observe(const Options& options, Running& running) {
    observe::Subject* subject = running.subject();
    std::unique_ptr<observe::Subject> keeper;
    if (!options.keep.empty()) {
        keeper = record::resume_answers(*subject, options.keep, options.run.backend_option, options.run.seed,
                                        options.run.asked_level().level);
        subject = keeper.get();
    }
    verdict::CertifyOptions asked = options.certify;
    asked.max_failures = gate::most_ranges;
    report::Report report = begun_report(options.backend, options.run, asked);
    verdict::CertifyOptions certifying = run_options(asked, *subject, running, report);
    certifying.map = options.results.has_page();
    verdict::GoldenSource golden;
    const certify::Plan plan = planned_run(*subject, certifying, golden, report);
    running.expect(plan.inputs());
    certify::CertifyEvents events;
    events.started = [&](const std::string& name, std::uint64_t inputs) { running.progress().start(name, inputs); };
    events.judged = [&](const std::vector<verdict::Row>&, double) {
        running.progress().finish();
        running.progress().clear();
    };
    const auto began = std::chrono::steady_clock::now();
    report.rows = certify::certify(*subject, plan, certifying, events);
    report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
    report.jobs = observe::jobs_of(options.run.jobs, report.info);
    report.interrupted = running.stop().load() && report::count(report, Status::pass) != report.rows.size();
    return report;
}

// "2 CHANGED, 1 GONE, 14 same"
std::string counts(const std::vector<gate::GateRow>& rows) {
    constexpr std::array order{gate::Standing::fresh,          gate::Standing::changed,
                               gate::Standing::mended,         gate::Standing::expired,
                               gate::Standing::added,          gate::Standing::gone,
                               gate::Standing::unrecognisable, gate::Standing::unfinished,
                               gate::Standing::acknowledged,   gate::Standing::same};
    std::string text;
    for (const gate::Standing standing : order) {
        const auto many =
            std::count_if(rows.begin(), rows.end(), [&](const gate::GateRow& row) { return row.standing == standing; });
        if (many != 0) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", many, gate::to_string(standing));
    }
    return text.empty() ? "no row at all" : text;
}

std::string verdict(const std::vector<gate::GateRow>& rows, const report::Report& report, const Options& options,
                    int code) {
    constexpr std::array words{"SAME", "DIFFERENT", "", "NOT FINISHED", "NOTHING CHECKED"};
    std::string text;
    if (!options.certify.filters.empty())
        text +=
            fmt::format("Only a part was compared: --filter {}\n", fmt::join(options.certify.filters, " --filter "));
    if (report.interrupted) text += "Stopped by a signal: the rows above are all that was judged.\n";
    return text + fmt::format("{}: {} against {} and {}, at level {}: {}\n", words.at(static_cast<std::size_t>(code)),
                              print::printable(report.info.name), fmt::join(report.invocation.profiles, " "),
                              print::printable(options.baseline), to_string(report.level), counts(rows));
}

gate::Baseline fresh_baseline(const Options& options, const report::Report& report) {
    gate::Baseline baseline;
    baseline.backend = report.info.name;
    baseline.backend_options = options.run.backend_option;
    baseline.seed = report.seed;
    baseline.samples_per_step = report.samples_per_step;
    baseline.level = report.level;
    baseline.profiles = report.invocation.profiles;
    return baseline;
}

int acknowledge(const Options& options, gate::Baseline baseline, const std::vector<gate::GateRow>& rows,
                const report::Report& report, const gate::Acknowledgement& word, files::OutputFile& file,
                std::FILE* people) {
    if (report.interrupted || rows.empty() || !gate::unwritable(rows).empty()) {
        fmt::print(people, "Nothing was written: {}\n",
                   report.interrupted ? "the run was stopped"
                   : rows.empty()     ? "there is no row"
                                      : "some rows cannot be acknowledged (see above)");
        return report.interrupted ? exit_unfinished
               : rows.empty()     ? exit_nothing
                                  : std::max(exit_failed, gate::exit_code(rows, false));
    }
    const auto needed = static_cast<std::uint64_t>(std::count_if(rows.begin(), rows.end(), gate::needs_word));
    if (needed != 0 && !is_word(options))
        throw std::invalid_argument(fmt::format("{} not acknowledged yet: add --reason, --owner and --expires",
                                                print::counted(needed, "deviation") + (needed == 1 ? " is" : " are")));
    baseline.tool_version = print::tool_version;
    baseline.vectors = report.vectors;
    baseline = gate::acknowledged(std::move(baseline), rows, word);
    file.write(gate::baseline_json(baseline));
    const auto deviations = static_cast<std::uint64_t>(std::count_if(
        baseline.rows.begin(), baseline.rows.end(), [](const auto& row) { return row.second.deviation.has_value(); }));
    fmt::print(people, "Acknowledged: {} has {} ({} newly acknowledged) and {}\n", print::printable(options.baseline),
               print::counted(deviations, "deviation"), print::grouped(needed),
               print::counted(baseline.rows.size() - deviations, "passing row"));
    return exit_ok;
}

int gate_command(Options options) {
    const observe::BackendSpec spec = observe::resolve_backend(options.backend);
    const files::Date today = today_of(options);
    const gate::Acknowledgement word = word_of(options, today);
    std::optional<gate::Baseline> known;
    const bool exists = std::filesystem::exists(options.baseline);
    if (!exists && !options.acknowledge)
        throw std::runtime_error(options.baseline + ": there is no such file; --acknowledge writes it");
    if (exists) {
        known = gate::read_baseline(options.baseline);
        take_over(*known, options);
    }
    for (const std::string& name : options.certify.profiles) (void)find_profile(name);
    std::optional<files::OutputFile> file;
    if (options.acknowledge) file.emplace(options.baseline);
    ResultFiles outputs(options.results, {"gate.json", "report.json", "junit.xml", "summary.txt"});
    std::FILE* people = outputs.people();
    const bool color = print::use_color(print::parse_color_mode(options.run.color), people);

    Running running(spec, options.run);
    if (!running.report_start()) return exit_unfinished;
    if (known) gate::check_same(options.baseline, "'backend': 'name'", known->backend, running.subject()->info().name);
    const report::Report report = observe(options, running);
    const gate::Baseline baseline = known ? *known : fresh_baseline(options, report);
    const std::vector<gate::GateRow> rows = gate::compare(baseline, report, {options.certify.filters, today});
    for (const gate::GateRow& row : rows) {
        // Of a new file every row that passes is one that it does not know.
        const bool expected =
            row.standing == gate::Standing::acknowledged || (!known && row.standing == gate::Standing::added);
        if (!expected || (known && !options.run.quiet))
            fmt::print(people, "{}", gate::gate_row_text(row, report.invocation, options.max_failures, color));
    }
    const int code = gate::exit_code(rows, report.interrupted);
    const std::string said = verdict(rows, report, options, code);
    if (!options.acknowledge) fmt::print(people, "{}", said);
    std::fflush(people);
    const report::Results results = gate::gate_results(rows, report, said);
    const std::string json = gate::gate_json(rows, report, {options.baseline, today, code});
    const auto page = [&] {
        return html::gate_page(rows, report, {options.baseline, said, code}, options.max_failures);
    };
    outputs.write(results, json, page,
                  {{"gate.json", json},
                   {"report.json", report::report_json(report)},
                   {"junit.xml", report::junit_xml(results)},
                   {"summary.txt", report::summary_text(report)}});
    return options.acknowledge ? acknowledge(options, baseline, rows, report, word, *file, people) : code;
}

constexpr const char* footer =
    R"(The baseline is a file in your repository. It lists the rows that pass, and for each other row its deviation with a
reason, an owner and an expiry date. The gate fails on any deviation that is not in the baseline, on an unexpected PASS,
on a row that is new or gone, and on an expired acknowledgement. --acknowledge writes the file: new deviations get
--reason, --owner and --expires, known ones keep theirs. Profiles, level, seed, samples and backend options come from the
baseline.

Exit codes: 0 the same as the baseline; 1 different; 2 usage or file error, or the baseline of another backend; 3 an ERROR
or INCOMPLETE row that was not acknowledged, or the backend does not start; 4 nothing was compared.

Examples:
  mxcert gate ./my_kernel.so --baseline mxcert-baseline.json
  mxcert gate ./my_kernel.so --baseline mxcert-baseline.json --profile ocp-sat --acknowledge \
    --reason 'ties away, fixed in the next driver' --owner kernels@example.com --expires 2026-12-31)";

void add_gate_command(CLI::App& app, Exit& exit) {
    auto options = std::make_shared<Options>();
    CLI::App* command = app.add_subcommand("gate", "Fail on any deviation that is not in the baseline");
    add_backend_argument(*command, options->backend, options->run, "What to test");
    command->add_option("--baseline", options->baseline, "The acknowledged deviations")->required()->type_name("FILE");
    repeatable(command->add_option("--profile", options->certify.profiles,
                                   "Profile to judge by, repeatable; an existing baseline names its own"),
               "NAME");
    globs(command->add_option("--filter", options->certify.filters, "Only rows that match, repeatable"));
    CLI::Option* acknowledging =
        command->add_flag("--acknowledge", options->acknowledge, "Write the baseline from this run");
    command->add_option("--reason", options->reason, "Why the new deviations are accepted")->needs(acknowledging);
    command->add_option("--owner", options->owner, "Who is responsible for them")->needs(acknowledging);
    command->add_option("--expires", options->expires, "The last day on which they are accepted")
        ->type_name("YYYY-MM-DD")
        ->needs(acknowledging);
    command->add_option("--today", options->today, "The day that expiry dates are compared with. Default: today in UTC")
        ->type_name("YYYY-MM-DD");
    CLI::Option* samples = add_samples_option(*command, options->certify.samples_per_step);
    add_level_options(*command, options->run, true);
    command->add_option("--max-failures", options->max_failures, "Changed ranges to list for each row")
        ->transform(number_between(std::size_t{1}, std::size_t{1'000'000}))
        ->capture_default_str();
    add_result_options(*command, options->results, "gate.json, report.json, report.html, junit.xml and summary.txt");
    command->add_option("--keep", options->keep, "Store answers in DIR; the same command continues a stopped run")
        ->type_name("DIR");
    add_backend_options(*command, options->run);
    command->footer(footer);
    command->callback([options, command, samples, &exit] {
        options->seed_given = command->get_option("--seed")->count() != 0;
        options->samples_given = samples->count() != 0;
        options->option_given = command->get_option("--backend-option")->count() != 0;
        take_backend(options->backend, options->run);
        exit.code = gate_command(*options);
    });
}

const Command registered{Group::test, "gate", add_gate_command};

} // namespace
} // namespace mxcert::cli::gate_command
