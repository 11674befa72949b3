// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>
#include <stdexcept>

#include <fmt/format.h>

#include "conformance/cli/commands.hpp"
#include "conformance/cli/tensors/tensor_options.hpp"
#include "conformance/tensors/nvfp4.hpp"
#include "conformance/tensors/quantize_tensor.hpp"
#include "reference/base/near_names.hpp"
#include "reference/exact/number.hpp"
#include "reference/fast/recipe/nvfp4.hpp"

namespace mxcert::cli::quantize_command {
namespace {

struct Options {
    TensorInput input;
    TensorRunning running;
    std::string format;
    std::string profile;
    std::string recipe;
    std::string tensor_amax;
    std::string rule;
    std::string rounding;
    std::string overflow;
    std::vector<std::string> scale_choices;
    std::vector<std::string> element_choices;
    std::string amax_nan;
    std::string amax_inf;
    std::string axis = "row";
    unsigned block = 0;
    std::string packing = "bytes";
    std::string layout = "rows";
};

/// The place of a name among those of an enumeration.
template <class Enum, std::size_t n>
void set_by_name(Enum& value, const std::string& name, const char* option, const std::string_view (&names)[n]) {
    if (name.empty()) return;
    const auto* const found = std::find(std::begin(names), std::end(names), name);
    if (found == std::end(names)) throw std::invalid_argument(unknown_name(option, name, names));
    value = static_cast<Enum>(found - std::begin(names));
}

/// NVFP4 is what a recipe says.
void take_recipe(const Options& options, tensors::Quantization& how) {
    for (const std::string* option :
         {&options.profile, &options.rule, &options.rounding, &options.overflow, &options.amax_nan, &options.amax_inf})
        if (!option->empty())
            throw std::invalid_argument("quantize: nvfp4 has a --recipe, and no profile, rule or choices");
    if (!options.scale_choices.empty() || !options.element_choices.empty())
        throw std::invalid_argument("quantize: nvfp4 has a --recipe, and no profile, rule or choices");
    if (options.recipe.empty()) {
        std::string names;
        for (const recipe::Nvfp4Preset& preset : recipe::nvfp4_presets())
            names.append(names.empty() ? "" : ", ").append(preset.name);
        throw std::invalid_argument("quantize: nvfp4 needs a --recipe, whose quantizer: " + names);
    }
    how.recipe = &recipe::nvfp4_preset(options.recipe);
    if (options.tensor_amax.empty()) return;
    const Code amax = parse_number(options.tensor_amax, formats::fp32).code;
    if ((amax & formats::fp32.sign_bit()) != 0)
        throw std::invalid_argument("--tensor-amax '" + options.tensor_amax + "': an amax has no sign");
    how.tensor = fast::tensor_scales_of(how.recipe->choices, amax);
}

tensors::Quantization quantization_of(const Options& options, const tensors::TensorInfo& tensor) {
    tensors::Quantization how;
    how.format = &scaled_format(options.format);
    how.source = tensor.format;
    how.shape = tensor.shape;
    how.block = options.block == 0 ? how.format->block : options.block;
    how.axis = options.axis == "row" ? Axis::row : Axis::column;
    how.packing = &find_packing(options.packing);
    if (options.layout != "rows") how.layout = &find_layout(options.layout);
    if (how.format->tensor_scale != nullptr) {
        take_recipe(options, how);
        return how;
    }
    if (!options.recipe.empty() || !options.tensor_amax.empty())
        throw std::invalid_argument("quantize: --recipe and --tensor-amax are of nvfp4");
    if (!options.profile.empty()) how.choices = tensors::choices_of(find_profile(options.profile), how.block_format());
    if (!options.rule.empty()) set(how.choices.scale, "rule", options.rule);
    if (!options.rounding.empty()) set(how.choices.element, "rounding", options.rounding);
    if (!options.overflow.empty())
        for (Choices* choices : {&how.choices.scale, &how.choices.element}) set(*choices, "overflow", options.overflow);
    for (const std::string& choice : options.scale_choices) set_choice(how.choices.scale, choice, "--scale-choice");
    for (const std::string& choice : options.element_choices)
        set_choice(how.choices.element, choice, "--element-choice");
    set_by_name(how.choices.amax_nan, options.amax_nan, "--amax-nan", tensors::amax_nan_names);
    set_by_name(how.choices.amax_inf, options.amax_inf, "--amax-inf", tensors::amax_inf_names);
    if (is_stochastic(how.choices.element.rounding))
        throw std::invalid_argument("quantize: a stochastic rounding needs random bits, which a file has not");
    return how;
}

void quantize(const Options& options) {
    const tensors::TensorFile tensor(options.input.path, options.input.choice(tensors::value_formats));
    tensors::Quantization how = quantization_of(options, tensor.info());
    tensors::check(how);
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
    CLI::App* command = app.add_subcommand("quantize", "Quantize a tensor in a file, to the bit");
    add_tensor_input(*command, options->input, "fp32, fp16 or bf16");
    add_tensor_running(*command, options->running,
                       "Where to write elements and scales: a folder, or a .safetensors file");
    command->add_option("--format", options->format, "A format of blocks, as `mxcert formats --scaled` lists them")
        ->required();
    command->add_option("--profile", options->profile, "Quantize as this profile does: nvidia-te, torchao-floor, ...");
    command->add_option("--recipe", options->recipe,
                        "Of nvfp4: whose quantizer, te_nvfp4, torchao_nvfp4, modelopt_nvfp4, ...");
    command->add_option("--tensor-amax", options->tensor_amax,
                        "Of nvfp4: the amax that the scale of the tensor is made from (the tensor's own)");
    command->add_option("--rule", options->rule, "The scale rule, one of `mxcert rules` (ocp_floor)");
    command->add_option("--rounding", options->rounding, "Of the elements (nearest_even)");
    command->add_option("--overflow", options->overflow, "sat, nosat or sat_finite (sat)");
    repeatable(command->add_option("--scale-choice", options->scale_choices,
                                   "Any choice of the scale, of `mxcert choices`; may be repeated"),
               "NAME=VALUE");
    repeatable(command->add_option("--element-choice", options->element_choices,
                                   "Any choice of the elements; may be repeated"),
               "NAME=VALUE");
    command->add_option("--amax-nan", options->amax_nan, "What NaN does to the amax: ignored, if_alone or propagated");
    command->add_option("--amax-inf", options->amax_inf, "What Inf does to the amax: counted or left_out");
    command->add_option("--axis", options->axis, "Blocks lie along rows, or along columns of the last two axes (row)")
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
