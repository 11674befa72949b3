// SPDX-License-Identifier: Apache-2.0
#include "conformance/cli/tensors/tensor_options.hpp"

#include <filesystem>
#include <stdexcept>

#include <fmt/format.h>

#include "conformance/print/terminal.hpp"

namespace mxcert::cli {

tensors::TensorChoice TensorInput::choice(tensors::Taken taken) const {
    tensors::TensorChoice choice{dtype, std::nullopt, name, taken};
    if (!shape.empty()) choice.shape = tensors::parse_shape(shape);
    return choice;
}

std::string TensorInput::shown() const {
    return std::filesystem::path(path).filename().string() + (name.empty() ? "" : " " + name);
}

void add_tensor_input(CLI::App& command, TensorInput& input, const char* formats) {
    command.add_option("IN", input.path, "A tensor: .npy, .safetensors, or raw values")->required();
    add_tensor_format(command, input, formats);
}

void add_tensor_format(CLI::App& command, TensorInput& input, const char* formats) {
    command.add_option("--dtype", input.dtype,
                       fmt::format("Format of the values: {}; default: that of the file", formats));
    command.add_option("--shape", input.shape, "For raw values: sizes with commas, 4096,1024");
    command.add_option("--tensor", input.name, "Name of a tensor in a safetensors file (the only one)");
}

void add_tensor_running(CLI::App& command, TensorRunning& running, const char* output) {
    command.add_option("-o,--output", running.output, output)->required();
    add_threads_option(command, running.jobs);
    command.add_flag("--quiet", running.quiet, "Show no progress");
}

const Format& wide_format(const std::string& to) {
    const Format& format = tensors::taken_format(to, tensors::file_formats);
    if (format.bytes() == 1) throw std::invalid_argument("--to: there are fp64, fp32, fp16 and bf16");
    return format;
}

std::unique_ptr<print::Progress> tensor_progress(const TensorRunning& running, const std::string& name,
                                                 std::uint64_t values) {
    const auto mode = running.quiet                ? print::Progress::Mode::none
                      : print::is_terminal(stderr) ? print::Progress::Mode::line
                                                   : print::Progress::Mode::log;
    auto progress = std::make_unique<print::Progress>(stderr, mode, values);
    progress->start(name, values);
    return progress;
}

} // namespace mxcert::cli
