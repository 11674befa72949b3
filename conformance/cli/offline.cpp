// SPDX-License-Identifier: Apache-2.0
#include "conformance/offline/offline.hpp"

#include <memory>

#include <fmt/format.h>

#include "conformance/cli/backend_options.hpp"
#include "conformance/cli/commands.hpp"
#include "conformance/print/text.hpp"

namespace mxcert::cli::offline_command {
namespace {

struct Options {
    std::string folder;
    std::string inputs = "boundaries";
    std::string format = "frames";
    std::string hello;
    offline::OfflineIndex index;
};

int offline_command(Options options) {
    options.index.inputs = options.inputs == "all" ? offline::OfflineInputs::all : offline::OfflineInputs::boundaries;
    options.index.format = options.format == "hex" ? offline::OfflineFormat::hex : offline::OfflineFormat::frames;
    offline::write_offline(options.index, options.folder, options.hello);
    const std::string folder = print::shell_word(options.folder);
    constexpr double mebibyte = 1 << 20;
    std::string selection;
    if (!options.index.conversions.empty()) selection = print::counted(options.index.conversions.size(), "conversion");
    if (!options.index.operations.empty())
        selection += (selection.empty() ? "" : " and ") + print::counted(options.index.operations.size(), "operation");
    fmt::print("{}: {} of {}; the answers take {:.1f} MiB\n", print::printable(options.folder),
               print::counted(options.index.values, "value"), selection,
               static_cast<double>(options.index.answer_bytes) / mebibyte);
    if (options.index.format == offline::OfflineFormat::frames)
        fmt::print("On the device: mxcert worker PLUGIN < {0}/requests.mxcf > {0}/responses.mxcf\n", folder);
    else
        fmt::print("In simulation: $readmemh(\"{0}\", inputs); ... $writememh(\"{1}\", outputs);\n",
                   offline::hex_inputs_name(options.index.conversions.front()),
                   offline::hex_answers_name(options.index.conversions.front()));
    fmt::print("Then:          mxcert certify {}\n", folder);
    return exit_ok;
}

constexpr const char* footer =
    R"(The device reads FOLDER/requests.mxcf as a worker reads its standard input and writes FOLDER/responses.mxcf; or a simulation
reads CONVERSION.in.hex and writes CONVERSION.out.hex. The folder is then a BACKEND for certify, diff and record.
docs/offline.md has examples.

With --points boundaries the inputs are every boundary of the permitted answers +-2 ulp, seeded ones inside every step, and
one in each binade: a sample, which gives no certificate. --points all tests every input of sources of up to 32 bits. Sources
of 8 bits always get every input. Each input, or one block of inputs in 16, is sent twice.

--hello also tests the operations of the device: every run of a record, twice.

Exit codes: 0 the requests were written; 2 usage or file error.

Examples:
  mxcert offline device/ --profile ocp-sat --filter 'fp32-e4m3-*'
  mxcert offline device/ --points all
  mxcert worker PLUGIN < /dev/null > hello.mxcf; mxcert offline device/ --hello hello.mxcf --filter 'quantize-*'
  mxcert offline rtl/ --format hex --filter bf16-e4m3-nearest_even-sat --points all)";

void add_offline_command(CLI::App& app, Exit& exit) {
    auto options = std::make_shared<Options>();
    CLI::App* command = app.add_subcommand("offline", "Write request files for a device that cannot be attached");
    command->add_option("FOLDER", options->folder, "Folder to write; new or empty")->required();
    repeatable(
        command->add_option("--profile", options->index.profiles, "Profile whose conversions are tested, repeatable"),
        "NAME");
    globs(command->add_option("--filter", options->index.filters, "Only conversions that match, repeatable"));
    command->add_option("--points", options->inputs, "boundaries or all")
        ->check(CLI::IsMember({"boundaries", "all"}))
        ->capture_default_str();
    command->add_option("--format", options->format, "frames or hex")
        ->check(CLI::IsMember({"frames", "hex"}))
        ->capture_default_str();
    command
        ->add_option("--hello", options->hello, "The output of the device without input: its operations are tested too")
        ->type_name("FILE");
    command->add_option("--seed", options->index.seed, "Selects the samples and the repeated inputs")
        ->transform(whole_number())
        ->capture_default_str();
    add_samples_option(*command, options->index.samples_per_step)
        ->description("Seeded inputs inside each step of every source");
    command->add_option("--backend-option", options->index.backend_options, "Text passed to the device in START");
    command->footer(footer);
    command->callback([options, &exit] { exit.code = offline_command(*options); });
}

const Command registered{Group::test, "offline", add_offline_command};

} // namespace
} // namespace mxcert::cli::offline_command
