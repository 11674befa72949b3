// SPDX-License-Identifier: Apache-2.0
#include <memory>

#include <fmt/format.h>

#include "conformance/cli/commands.hpp"
#include "conformance/cli/tensors/tensor_options.hpp"
#include "conformance/tensors/convert_tensor.hpp"
#include "conformance/tensors/quantize_options.hpp"

namespace mxcert::cli::convert_command {
namespace {

struct Options : tensors::ConvertOptions {
    TensorInput input;
    TensorRunning running;
    std::string to;
};

void convert(const Options& options) {
    const tensors::TensorFile tensor(options.input.path, options.input.choice(tensors::file_formats));
    const Format& to = tensors::taken_format(options.to, tensors::file_formats);
    const Choices choices = tensors::choices_of(options, *tensor.info().format, to);
    const auto progress = tensor_progress(options.running, options.input.shown(), tensor.info().values);
    tensors::convert_tensor(tensor, to, choices, options.running.output, {options.running.jobs, progress.get()});
    progress->clear();
    fmt::print("{}: {} of {}\n", options.running.output, tensors::shape_text(tensor.info().shape), to.name);
}

void add_convert_command(CLI::App& app, Exit& /*exit*/) {
    auto options = std::make_shared<Options>();
    CLI::App* command = app.add_subcommand("convert", "Convert a tensor in a file to another format, bit for bit");
    add_tensor_input(*command, options->input, "fp64, fp32, fp16, bf16, e4m3, ...");
    add_tensor_running(*command, options->running, "Where to write the values: .npy, .safetensors or .bin");
    command->add_option("--to", options->to, "Format of the result: e4m3, e2m1, bf16, ...")->required();
    command->add_option("--profile", options->profile, "Convert as this profile does: nvidia-cuda-host, llvm, ...");
    with_roundings(
        command->add_option("--rounding", options->rounding, "nearest_even, toward_zero, up, ... (nearest_even)"));
    command->add_option("--overflow", options->overflow, "sat, nosat or sat_finite (sat)");
    repeatable(command->add_option("--choice", options->choices, "Any choice of `mxcert choices`; may be repeated"),
               "NAME=VALUE");
    command->footer("Examples:\n"
                    "  mxcert convert values.npy -o codes.npy --to e4m3 --overflow nosat\n"
                    "  mxcert convert codes.npy --dtype e4m3 -o values.npy --to fp32\n");
    command->callback([options] { convert(*options); });
}

const Command registered{Group::tensors, "convert", add_convert_command};

} // namespace
} // namespace mxcert::cli::convert_command
