// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <stdexcept>

#include <fmt/format.h>

#include "conformance/cli/commands.hpp"
#include "conformance/cli/tensors/tensor_options.hpp"
#include "conformance/tensors/convert_tensor.hpp"
#include "conformance/tensors/quantization.hpp"

namespace mxcert::cli::convert_command {
namespace {

struct Options {
    TensorInput input;
    TensorRunning running;
    std::string to;
    std::string profile;
    std::string rounding;
    std::string overflow;
    std::vector<std::string> choices;
};

/// The profile's choices for the rounding and overflow that are named, or else the first that it judges.
Choices choices_by_profile(const Options& options, const Format& from, const Format& to) {
    const Profile& profile = find_profile(options.profile);
    std::string overflow = options.overflow;
    if (overflow.empty()) {
        const std::string_view modes = judged_overflow(profile, to);
        overflow = std::string(modes.substr(0, modes.find(' ')));
    }
    const std::string rounding = options.rounding.empty() ? "nearest_even" : options.rounding;
    return tensors::choices_of(profile, make_conversion(from.name, to.name, rounding, overflow, 0));
}

void convert(const Options& options) {
    const tensors::TensorFile tensor(options.input.path, options.input.choice(tensors::file_formats));
    const Format& to = tensors::taken_format(options.to, tensors::file_formats);
    Choices choices;
    if (!options.profile.empty()) choices = choices_by_profile(options, *tensor.info().format, to);
    if (!options.rounding.empty()) set(choices, "rounding", options.rounding);
    if (!options.overflow.empty()) set(choices, "overflow", options.overflow);
    for (const std::string& choice : options.choices) set_choice(choices, choice);
    const auto progress = tensor_progress(options.running, options.input.shown(), tensor.info().values);
    tensors::convert_tensor(tensor, to, choices, options.running.output, {options.running.jobs, progress.get()});
    progress->clear();
    fmt::print("{}: {} of {}\n", options.running.output, tensors::shape_text(tensor.info().shape), to.name);
}

void add_convert_command(CLI::App& app, Exit& /*exit*/) {
    auto options = std::make_shared<Options>();
    CLI::App* command = app.add_subcommand("convert", "Convert a tensor in a file to another format, to the bit");
    add_tensor_input(*command, options->input, "fp64, fp32, fp16, bf16, e4m3, ...");
    add_tensor_running(*command, options->running, "Where to write the values: .npy, .safetensors or .bin");
    command->add_option("--to", options->to, "Format of the result: e4m3, e2m1, bf16, ...")->required();
    command->add_option("--profile", options->profile, "Convert as this profile does: nvidia-cuda-host, llvm, ...");
    command->add_option("--rounding", options->rounding, "nearest_even, toward_zero, up, ... (nearest_even)");
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
