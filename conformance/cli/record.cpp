// SPDX-License-Identifier: Apache-2.0
#include "conformance/record/record.hpp"

#include <memory>

#include "conformance/cli/backend_options.hpp"
#include "conformance/cli/commands.hpp"
#include "conformance/cli/results/record_result.hpp"
#include "conformance/cli/running.hpp"
#include "conformance/cli/shards/record_part.hpp"
#include "conformance/cli/unmatched.hpp"
#include "conformance/print/terminal.hpp"

namespace mxcert::cli::record_command {
namespace {

struct Options {
    std::string backend;
    std::string folder;
    std::vector<std::string> filters;
    unsigned samples_per_step = 0;
    std::string json;
    std::string shard;
    std::string keep;
    bool list = false;
    BackendOptions run;
};

int record_command(const Options& options) {
    if (!options.shard.empty())
        return record_part(options.backend, options.run, options.filters, options.samples_per_step,
                           {parse_part(options.shard), options.keep, options.list});
    if (options.folder.empty()) throw CLI::RequiredError("--output");
    const observe::BackendSpec spec = observe::resolve_backend(options.backend);
    record::check_record_folder(options.folder);
    JsonOutput output(options.json);
    const RecordLines lines{output.people(),
                            print::use_color(print::parse_color_mode(options.run.color), output.people()),
                            options.run.quiet};
    Running running(spec, options.run);
    if (!running.report_start()) return exit_unfinished;

    tell_unmatched("--filter", options.filters, running.subject()->info());
    record::RecordOptions taking;
    taking.seed = options.run.seed;
    taking.samples_per_step = options.samples_per_step;
    taking.level = running.level();
    taking.backend_options = options.run.backend_option;
    taking.filters = options.filters;
    return write_record(take_record(running, taking, lines), options.backend, options.folder, lines, output);
}

constexpr const char* footer = R"(The folder is then a BACKEND for certify and diff. It must be new or empty.

Every run of an operation is stored, outputs of more than 1 MiB compressed only as a digest.

Exit codes: 0 everything was recorded except random results; 1 something is MISTRUSTED or changed; 2 usage or file
error; 3 an ERROR, or stopped; 4 nothing to record.

Examples:
  mxcert record cuda_fp8 -o cuda13/
  mxcert record portable -o blocks/ --filter 'quantize-*'
  mxcert record ./slow.so --shard 3/64 --keep parts/3
  mxcert diff cuda13/ ./my_kernel.so)";

void add_record_command(CLI::App& app, Exit& exit) {
    auto options = std::make_shared<Options>();
    CLI::App* command = app.add_subcommand(
        "record", "Store the complete behaviour of a backend: tables of conversions, runs of operations");
    add_backend_argument(*command, options->backend, options->run, "What to record");
    command->add_option("--output,-o", options->folder, "Folder to write; needed without --shard")->type_name("DIR");
    globs(command->add_option("--filter", options->filters, "Only offers that match, repeatable: 'quantize-*'"));
    add_json_option(*command, options->json);
    add_samples_option(*command, options->samples_per_step);
    add_level_options(*command, options->run, false);
    add_backend_options(*command, options->run);
    CLI::Option* keep =
        command->add_option("--keep", options->keep, "Folder of the answers of a part")->type_name("DIR");
    CLI::Option* shard = command
                             ->add_option("--shard", options->shard,
                                          "Ask only part I of N and store its answers in --keep, for mxcert merge")
                             ->type_name("I/N")
                             ->needs(keep)
                             ->excludes("--output")
                             ->excludes("--json");
    keep->needs(shard);
    command->add_flag("--list", options->list, "Print the units of the part, without running them")->needs(shard);
    command->footer(footer);
    command->callback([options, &exit] {
        take_backend(options->backend, options->run);
        exit.code = record_command(*options);
    });
}

const Command registered{Group::test, "record", add_record_command};

} // namespace
} // namespace mxcert::cli::record_command
