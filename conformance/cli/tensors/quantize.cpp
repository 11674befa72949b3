// SPDX-License-Identifier: Apache-2.0
#include <memory>

#include <fmt/format.h>

#include "conformance/cli/commands.hpp"
#include "conformance/cli/tensors/tensor_options.hpp"
#include "conformance/tensors/nvfp4.hpp"
#include "conformance/tensors/quantize_options.hpp"
#include "conformance/tensors/quantize_tensor.hpp"
#include "reference/fast/recipe/nvfp4.hpp"

namespace mxcert::cli::quantize_command {
namespace {

struct Options : tensors::QuantizeOptions {
    TensorInput input;
    TensorRunning running;
};

void quantize(const Options& options) {
    const tensors::TensorFile tensor(options.input.path, options.input.choice(tensors::value_formats));
    tensors::Quantization how = tensors::quantization_of(options, *tensor.info().format, tensor.info().shape);
    if (how.recipe != nullptr && options.tensor_amax.empty()) {
        const auto reading =
            tensor_progress(options.running, options.input.shown() + ", its amax", tensor.info().values);
        const Code amax = tensors::tensor_amax_of(tensor, how, {options.running.jobs, reading.get()});
        how.tensor = fast::tensor_scales_of(how.recipe->choices, amax);
        reading->clear();
    }
    const auto progress = tensor_progress(options.running, options.input.shown(), tensor.info().values);
    std::map<std::string, std::string> metadata{{"of", options.input.shown()}};
    if (!options.profile.empty()) metadata["profile"] = options.profile;
    tensors::quantize_tensor(tensor, how, options.running.output, std::move(metadata),
                             {options.running.jobs, progress.get()});
    progress->clear();
    fmt::print("{}: elements {}, scales {}, {} bits a value\n", options.running.output,
               tensors::shape_text(tensors::elements_shape(how)), tensors::shape_text(tensors::scales_shape(how)),
               how.element_bits() + static_cast<double>(how.format->scale->width()) / how.block);
}

void add_quantize_command(CLI::App& app, Exit& /*exit*/) {
    auto options = std::make_shared<Options>();
    CLI::App* command = app.add_subcommand("quantize", "Quantize a tensor in a file, bit for bit");
    add_tensor_input(*command, options->input, "fp32, fp16 or bf16");
    add_tensor_running(*command, options->running,
                       "Where to write elements and scales: a folder, or a .safetensors file");
    command->add_option("--format", options->format, "A format of blocks, as `mxcert formats --scaled` lists them")
        ->required();
    command->add_option("--profile", options->profile, "Quantize as this profile does: nvidia-te, torchao-floor, ...");
    command->add_option("--recipe", options->recipe,
                        "For nvfp4: the quantizer, te_nvfp4, torchao_nvfp4, modelopt_nvfp4, ...");
    command->add_option("--tensor-amax", options->tensor_amax,
                        "For nvfp4: the amax that determines the scale of the tensor (its own)");
    command->add_option("--rule", options->rule, "The scale rule, one of `mxcert rules` (ocp_floor)");
    with_roundings(command->add_option("--rounding", options->rounding, "Of the elements (nearest_even)"));
    command->add_option("--overflow", options->overflow, "sat, nosat or sat_finite (sat)");
    repeatable(command->add_option("--scale-choice", options->scale_choices,
                                   "Any choice of the scale, of `mxcert choices`; may be repeated"),
               "NAME=VALUE");
    repeatable(command->add_option("--element-choice", options->element_choices,
                                   "Any choice of the elements; may be repeated"),
               "NAME=VALUE");
    command->add_option("--amax-nan", options->amax_nan, "NaN in the amax: ignored, if_alone or propagated");
    command->add_option("--amax-inf", options->amax_inf, "Inf in the amax: counted or left_out");
    command->add_option("--axis", options->axis, "Blocks run along rows or columns of the last two axes (row)")
        ->check(CLI::IsMember({"row", "column"}));
    command->add_option("--block", options->block, "Elements of a block, 1 to 1024 (the format's)");
    command->add_option("--packing", options->packing,
                        "Of elements of fewer than 8 bits: bytes, low_first, high_first or halves (bytes)");
    command->add_option("--layout", options->layout, "Of the scales: rows, swizzle_128x4, ... (rows)");
    command->footer("Examples:\n"
                    "  mxcert quantize weights.npy -o weights_mx --format mxfp8_e4m3\n"
                    "  mxcert quantize weights.npy -o weights_te --format mxfp8_e4m3 --profile nvidia-te --layout "
                    "swizzle_128x4\n"
                    "  mxcert quantize model.safetensors --tensor layers.0.weight -o layer0.safetensors --format mxfp4 "
                    "--packing low_first\n"
                    "  mxcert quantize weights.npy -o weights_nv --format nvfp4 --recipe te_nvfp4 --packing low_first\n"
                    "docs/tensors.md says what is written.");
    command->callback([options] { quantize(*options); });
}

const Command registered{Group::tensors, "quantize", add_quantize_command};

} // namespace
} // namespace mxcert::cli::quantize_command
