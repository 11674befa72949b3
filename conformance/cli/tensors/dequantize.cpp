// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <stdexcept>

#include <fmt/format.h>

#include "conformance/cli/commands.hpp"
#include "conformance/cli/tensors/tensor_options.hpp"
#include "conformance/print/text.hpp"
#include "conformance/tensors/dequantize_tensor.hpp"

namespace mxcert::cli::dequantize_command {
namespace {

struct Options {
    std::string quantized;
    TensorRunning running;
    std::string scales;
    std::string format;
    std::string shape;
    std::string axis;
    std::string block;
    std::string packing;
    std::string layout;
    std::string tensor_scale;
    std::string to = "fp32";
    std::string rounding;
    std::string overflow = "nosat";
};

/// What is written beside the tensors, and what options say instead.
tensors::Quantization quantization_of(const Options& options) {
    std::map<std::string, std::string> text;
    const bool alone = !options.scales.empty();
    if (!alone) text = tensors::read_metadata(options.quantized);
    if (alone) {
        if (options.format.empty() || options.shape.empty())
            throw std::invalid_argument("dequantize: files of elements and --scales need --format and --shape");
        const ScaledFormat& format = scaled_format(options.format);
        text = {{"source", "fp32"},
                {"axis", "row"},
                {"block", std::to_string(format.block)},
                {"packing", "bytes"},
                {"layout", "rows"}};
    }
    // Whose quantizer it was does not matter on the way back.
    if (alone && scaled_format(options.format).tensor_scale != nullptr) {
        text["recipe"] = recipe::nvfp4_presets().front().name;
        text["tensor scale"] = "1";
        text["tensor amax"] = "0"; // it makes no value
    }
    const std::pair<const char*, const std::string&> given[] = {{"format", options.format},
                                                                {"shape", options.shape},
                                                                {"axis", options.axis},
                                                                {"block", options.block},
                                                                {"packing", options.packing},
                                                                {"layout", options.layout},
                                                                {"tensor scale", options.tensor_scale}};
    for (const auto& [name, value] : given)
        if (!value.empty()) text[name] = value;
    try {
        return tensors::read_quantization(text);
    } catch (const std::runtime_error& error) {
        throw std::runtime_error(fmt::format("{}: {}", print::printable(options.quantized), error.what()));
    }
}

void dequantize(const Options& options) {
    const tensors::Quantization how = quantization_of(options);
    const Format& to = wide_format(options.to);
    const tensors::QuantizedFiles files = options.scales.empty()
                                              ? tensors::files_of(options.quantized)
                                              : tensors::QuantizedFiles{options.quantized, options.scales};
    const tensors::TensorFile elements(files.elements, tensors::elements_choice(files, how));
    const tensors::TensorFile scales(files.scales, tensors::scales_choice(files, how));
    Choices choices;
    if (!options.rounding.empty()) set(choices, "rounding", options.rounding);
    if (is_stochastic(choices.rounding))
        throw std::invalid_argument("dequantize: a stochastic rounding needs random bits, which a file has not");
    set(choices, "overflow", options.overflow);
    const auto progress = tensor_progress(options.running, options.quantized, tensors::values_of(how.shape));
    tensors::dequantize_tensor(elements, scales, how, to, choices, options.running.output,
                               {options.running.jobs, progress.get()});
    progress->clear();
    fmt::print("{}: {} of {}\n", options.running.output, tensors::shape_text(how.shape), to.name);
}

void add_dequantize_command(CLI::App& app, Exit& /*exit*/) {
    auto options = std::make_shared<Options>();
    CLI::App* command = app.add_subcommand("dequantize", "Convert elements and scales to values, bit for bit");
    command
        ->add_option("IN", options->quantized,
                     "What `mxcert quantize` wrote, or a file of elements for which --scales names that of the scales")
        ->required();
    add_tensor_running(*command, options->running, "Where to write the values: .npy, .safetensors or .bin");
    command->add_option("--scales", options->scales, "A file of scales");
    command->add_option("--format", options->format, "The format of the blocks (as written)");
    command->add_option("--shape", options->shape, "Of the values: sizes with commas (as written)");
    command->add_option("--axis", options->axis, "row or column (as written; row)");
    command->add_option("--block", options->block, "Elements of a block (as written; the format's)");
    command->add_option("--packing", options->packing, "Of the elements (as written; bytes)");
    command->add_option("--layout", options->layout, "Of the scales (as written; rows)");
    command->add_option("--tensor-scale", options->tensor_scale, "Of nvfp4: the scale of the tensor (as written; 1)");
    command->add_option("--to", options->to, "Format of the values: fp64, fp32, fp16 or bf16 (fp32)");
    with_roundings(
        command->add_option("--rounding", options->rounding, "Of values that the format does not have (nearest_even)"));
    command->add_option("--overflow", options->overflow, "sat, nosat or sat_finite (nosat)");
    command->footer("Examples:\n"
                    "  mxcert dequantize weights_mx -o back.npy\n"
                    "  mxcert dequantize elements.bin --scales scales.bin --format mxfp4 --packing low_first --shape "
                    "4096,1024 -o back.npy --to bf16\n");
    command->callback([options] { dequantize(*options); });
}

const Command registered{Group::tensors, "dequantize", add_dequantize_command};

} // namespace
} // namespace mxcert::cli::dequantize_command
