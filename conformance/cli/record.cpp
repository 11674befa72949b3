// SPDX-License-Identifier: Apache-2.0
#include "conformance/record/record.hpp"

#include <algorithm>
#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "conformance/cli/backend_options.hpp"
#include "conformance/cli/commands.hpp"
#include "conformance/cli/results/json_output.hpp"
#include "conformance/cli/running.hpp"
#include "conformance/cli/unmatched.hpp"
#include "conformance/print/terminal.hpp"
#include "conformance/print/text.hpp"

namespace mxcert::cli::record_command {
namespace {

using Json = nlohmann::ordered_json;

struct Options {
    std::string backend;
    std::string folder;
    std::vector<std::string> filters;
    unsigned samples_per_step = 0;
    std::string json;
    BackendOptions run;
};

bool is_empty(const record::Record& record) { return record.conversions.empty() && record.operations.empty(); }

int exit_of(const record::Record& record) {
    const auto any = [&](std::initializer_list<Status> statuses) {
        return std::any_of(record.unrecorded.begin(), record.unrecorded.end(), [&](const record::Unrecorded& u) {
            return std::find(statuses.begin(), statuses.end(), u.status) != statuses.end();
        });
    };
    if (any({Status::mistrusted, Status::fail})) return exit_failed;
    if (any({Status::error, Status::incomplete})) return exit_unfinished;
    return is_empty(record) ? exit_nothing : exit_ok;
}

Json json_of(const record::Record& record, const Options& options) {
    Json json{
        {"backend", options.backend},       {"name", record.info.name}, {"version", record.info.version},
        {"level", to_string(record.level)}, {"seed", record.seed},      {"samples_per_step", record.samples_per_step},
        {"filters", record.filters}};
    json["rows"] = Json::array();
    for (const record::RecordedConversion& recorded : record.conversions)
        json["rows"].push_back(
            {{"id", to_string(recorded.conversion)},
             {"status", to_string(Status::pass)},
             {"recorded", recorded.table.steps.empty() ? recorded.points.size() : recorded.table.steps.size()},
             {"reason", ""}});
    for (const record::RecordedOperation& recorded : record.operations)
        json["rows"].push_back({{"id", to_string(recorded.operation)},
                                {"status", to_string(Status::pass)},
                                {"recorded", recorded.runs.size()},
                                {"reason", ""}});
    for (const record::Unrecorded& left : record.unrecorded)
        json["rows"].push_back({{"id", left.conversion},
                                {"status", to_string(left.status)},
                                {"recorded", 0},
                                {"reason", print::printable(left.reason)}});
    // Nothing is written where there is nothing to record.
    json["folder"] = is_empty(record) ? "" : options.folder;
    json["exit_code"] = exit_of(record);
    return json;
}

int record_command(const Options& options) {
    const observe::BackendSpec spec = observe::resolve_backend(options.backend);
    record::check_record_folder(options.folder);
    JsonOutput output(options.json);
    std::FILE* people = output.people();
    const bool color = print::use_color(print::parse_color_mode(options.run.color), people);
    Running running(spec, options.run);
    if (!running.report_start()) return exit_unfinished;

    tell_unmatched("--filter", options.filters, running.subject()->info());
    record::RecordOptions taking;
    taking.seed = options.run.seed;
    taking.samples_per_step = options.samples_per_step;
    taking.level = running.level();
    taking.backend_options = options.run.backend_option;
    taking.stop = &running.stop();
    taking.filters = options.filters;
    taking.started = [&](const std::string& name, std::uint64_t inputs) { running.progress().start(name, inputs); };
    const auto line = [&](const std::string& name, const std::string& size, Status status, const std::string& reason) {
        running.progress().finish();
        running.progress().clear();
        if (options.run.quiet && status == Status::pass) return;
        fmt::print(people, "{:<36} {:>15}  {}\n", name, status == Status::pass ? size : "-",
                   status == Status::pass
                       ? "recorded"
                       : print::colored(to_string(status), status, color) + "  " + print::printable(reason));
        std::fflush(people);
    };
    taking.observed = [&](const observe::Observation& seen) {
        const bool table = !seen.table.steps.empty();
        line(to_string(seen.conversion), print::counted(table ? seen.table.steps.size() : seen.points.size(), "row"),
             seen.status, seen.reason);
    };
    taking.asked = [&](const record::RecordedOperation& operation, Status status, const std::string& reason) {
        line(to_string(operation.operation), print::counted(operation.runs.size(), "run"), status, reason);
    };
    const record::Record record = record::take_record(*running.subject(), taking);
    if (is_empty(record)) {
        fmt::print(people, "Nothing was recorded.\n");
        output.write([&] { return json_of(record, options); });
        return exit_of(record);
    }
    record::write_record(record, options.folder);
    std::string stored;
    if (!record.conversions.empty()) stored = print::counted(record.conversions.size(), "conversion");
    if (!record.operations.empty())
        stored += (stored.empty() ? "" : " and ") + print::counted(record.operations.size(), "operation");
    fmt::print(people, "{} of {} {} recorded in {} at level {}\n", stored, print::printable(record.info.name),
               print::printable(record.info.version), print::printable(options.folder), to_string(record.level));
    if (!record.unrecorded.empty())
        fmt::print(people, "{} not recorded: see above.\n", print::counted(record.unrecorded.size(), "offer"));
    output.write([&] { return json_of(record, options); });
    return exit_of(record);
}

constexpr const char* footer = R"(The folder is then a BACKEND for certify and diff. It must be new or empty.

Every run of an operation is stored, outputs of more than 1 MiB compressed only as a digest.

Exit codes: 0 everything was recorded except random results; 1 something is MISTRUSTED; 2 usage or file error;
3 an ERROR, or stopped; 4 nothing to record.

Examples:
  mxcert record cuda_fp8 -o cuda13/
  mxcert record portable -o blocks/ --filter 'quantize-*'
  mxcert diff cuda13/ ./my_kernel.so)";

void add_record_command(CLI::App& app, Exit& exit) {
    auto options = std::make_shared<Options>();
    CLI::App* command = app.add_subcommand(
        "record", "Store the complete behaviour of a backend: tables of conversions, runs of operations");
    add_backend_argument(*command, options->backend, options->run, "What to record");
    command->add_option("--output,-o", options->folder, "Folder to write")->required()->type_name("DIR");
    globs(command->add_option("--filter", options->filters, "Only offers that match, repeatable: 'quantize-*'"));
    add_json_option(*command, options->json);
    add_samples_option(*command, options->samples_per_step);
    add_level_options(*command, options->run, false);
    add_backend_options(*command, options->run);
    command->footer(footer);
    command->callback([options, &exit] {
        take_backend(options->backend, options->run);
        exit.code = record_command(*options);
    });
}

const Command registered{Group::test, "record", add_record_command};

} // namespace
} // namespace mxcert::cli::record_command
