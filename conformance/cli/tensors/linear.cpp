// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <memory>
#include <stdexcept>

#include <fmt/format.h>

#include "conformance/cli/commands.hpp"
#include "conformance/cli/tensors/tensor_options.hpp"
#include "conformance/tensors/multiply_layer.hpp"
#include "conformance/tensors/tensor_output.hpp"

namespace mxcert::cli::linear_command {
namespace {

struct Options {
    std::string left;
    std::string right;
    std::string left_tensor;
    std::string right_tensor;
    std::string product = "fprop";
    std::string recipe;
    std::string left_element;
    std::string right_element;
    std::string scale;
    std::string dequantized;
    std::string c;
    std::string accumulator = "exact";
    std::string to; ///< "": what the accumulator gives, of the exact sum fp32
    TensorRunning running;
};

recipe::Product product_named(const std::string& name) {
    constexpr std::array all{recipe::Product::fprop, recipe::Product::dgrad, recipe::Product::wgrad};
    return *std::find_if(all.begin(), all.end(), [&](recipe::Product product) { return to_string(product) == name; });
}

/// What an option names, or what the recipe has.
const Format& chosen(const std::string& name, const Format& usual) { return name.empty() ? usual : format(name); }

tensors::LayerChoices choices_of(const Options& options, const Format& source) {
    tensors::LayerChoices choices;
    const recipe::Product product = product_named(options.product);
    const recipe::LayerFormats usual = recipe::usual_formats(options.recipe, product);
    if (options.recipe == recipe::given_scales)
        throw std::invalid_argument("--recipe given: its scales come from `mxcert scaling`, step by step");
    choices.operands =
        recipe::layer_product(options.recipe, product, source, chosen(options.left_element, *usual.left),
                              chosen(options.right_element, *usual.right), chosen(options.scale, *usual.scale));
    const std::string_view epilogue = recipe::epilogue_of(options.recipe);
    if (!options.dequantized.empty())
        choices.dequantized = &wide_format(options.dequantized);
    else if (usual.scale != &formats::e8m0 && epilogue.empty())
        choices.dequantized = &formats::fp32;
    if (choices.dequantized == nullptr && !epilogue.empty()) choices.epilogue = &mxcert::epilogue(epilogue);
    choices.accumulator = &accumulator(options.accumulator);
    const bool exact = is_exact(*choices.accumulator);
    choices.to = options.to.empty() ? (exact ? &formats::fp32 : choices.accumulator->result) : &wide_format(options.to);
    if (!exact && choices.to != choices.accumulator->result && choices.to->bytes() != 2)
        throw std::invalid_argument(fmt::format("--to {}: the result of {} is {}, or rounded to fp16 or bf16",
                                                options.to, options.accumulator, choices.accumulator->result->name));
    return choices;
}

void linear(const Options& options) {
    const tensors::MatrixOperand left = tensors::read_operand(options.left, {"", {}, options.left_tensor});
    const tensors::MatrixOperand right = tensors::read_operand(options.right, {"", {}, options.right_tensor});
    for (const tensors::MatrixOperand* operand : {&left, &right})
        if (!operand->scales.empty() || operand->format->bytes() == 1 || operand->format == &formats::fp64)
            throw std::invalid_argument("linear takes tensors of fp32, fp16 or bf16 and quantizes them itself");
    const tensors::LayerChoices choices = choices_of(options, *left.format);
    tensors::Product product = tensors::product_of(options.recipe, choices, left, right);
    if (!options.c.empty() && choices.epilogue != nullptr)
        throw std::invalid_argument(
            fmt::format("--c: D by {} is the sum times the scales of both tensors, without C; --dequantized has one",
                        options.recipe));
    if (!options.c.empty()) product.c = tensors::read_operand(options.c, {});
    const MatmulShape shape = tensors::shape_of(product);
    tensors::TensorOutput output(options.running.output, {{"values", choices.to, {shape.m, shape.n}}});
    const auto progress = tensor_progress(options.running, options.product, std::uint64_t{shape.m} * shape.n);
    const std::vector<unsigned char> d = tensors::multiply(product, {options.running.jobs, progress.get()});
    output.write(0, 0, shape.m * shape.n, d.data());
    output.finish();
    progress->clear();
    fmt::print("{}: {} [{}, {}] of {}, {} x {} by {}, sums of {} products by {}\n", options.running.output,
               options.product, shape.m, shape.n, choices.to->name, choices.operands.left.element->name,
               choices.operands.right.element->name, options.recipe, shape.k, choices.accumulator->name);
}

void add_linear_command(CLI::App& app, Exit& /*exit*/) {
    auto options = std::make_shared<Options>();
    CLI::App* command = app.add_subcommand("linear", "Quantize two tensors and compute a product of a linear layer");
    command
        ->add_option("LEFT", options->left, "fprop: activations X, tokens x inputs; else gradients G, tokens x outputs")
        ->required();
    command->add_option("RIGHT", options->right, "wgrad: activations X; else weights W, outputs x inputs")->required();
    add_tensor_running(*command, options->running, "Where to write D: .npy, .safetensors or .bin");
    command->add_option("--product", options->product, "fprop: X W^T, dgrad: G W, wgrad: G^T X (fprop)")
        ->check(CLI::IsMember({"fprop", "dgrad", "wgrad"}));
    command->add_option("--recipe", options->recipe, "How the operands are quantized, one of `mxcert recipes`")
        ->required();
    command
        ->add_option("--left-element", options->left_element, "e4m3, e5m2 or e2m1 (the recipe's; of float scales e4m3)")
        ->check(CLI::IsMember({"e4m3", "e5m2", "e2m1"}));
    command->add_option("--right-element", options->right_element, "The same of RIGHT")
        ->check(CLI::IsMember({"e4m3", "e5m2", "e2m1"}));
    command
        ->add_option("--scale", options->scale,
                     "Format of the scales: fp32, fp16, bf16, e8m0 or ue4m3 (the recipe's; of float scales fp32)")
        ->check(CLI::IsMember({"fp32", "fp16", "bf16", "e8m0", "ue4m3"}));
    command->add_option("--dequantized", options->dequantized,
                        "Multiply values of this format, dequantized: fp32, fp16 or bf16 (fp32 where scales are "
                        "floats, but for those of te_nvfp4)");
    command->add_option("--c", options->c, "A matrix to add to the product, such as accumulated gradients");
    command->add_option("--accumulator", options->accumulator,
                        "exact, the real number rounded once, or one of `mxcert accumulators` (exact)");
    command->add_option(
        "--to", options->to,
        "Format of D: of the exact sum fp64, fp32, fp16 or bf16 (fp32), else the accumulator's, fp16 or bf16");
    command->add_option("--left-tensor", options->left_tensor, "Name of a tensor in a safetensors file");
    command->add_option("--right-tensor", options->right_tensor, "The same of RIGHT");
    command->footer("Examples:\n"
                    "  mxcert linear x.npy w.npy -o y.npy --recipe te_mxfp8\n"
                    "  mxcert linear g.npy x.npy -o dw.npy --product wgrad --recipe nvidia_pretraining --to bf16\n"
                    "  mxcert linear x.npy w.npy -o y.npy --recipe deepseek_v3 --accumulator fp32_fma\n"
                    "  mxcert linear x.npy w.npy -o y.npy --recipe te_nvfp4 --accumulator blackwell_mxf4nvf4\n");
    command->callback([options] { linear(*options); });
}

const Command registered{Group::tensors, "linear", add_linear_command};

} // namespace
} // namespace mxcert::cli::linear_command
