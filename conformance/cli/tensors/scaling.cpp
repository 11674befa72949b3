// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>
#include <stdexcept>
#include <vector>

#include <fmt/format.h>

#include "conformance/cli/commands.hpp"
#include "conformance/cli/tensors/tensor_options.hpp"
#include "conformance/tensors/tensor_output.hpp"
#include "reference/exact/recipe/tensor_scaling.hpp"
#include "reference/recipe/tensor_recipe.hpp"

namespace mxcert::cli::scaling_command {
namespace {

struct Options {
    TensorInput input;
    std::string recipe;
    TensorRunning running;
};

void scaling(const Options& options) {
    const recipe::TensorScaling& choices = recipe::tensor_recipe(options.recipe).choices;
    constexpr const Format* amax_formats[] = {&formats::fp32};
    const tensors::TensorFile amaxes(options.input.path, options.input.choice(amax_formats));
    const std::uint64_t steps = amaxes.info().values;
    constexpr std::uint64_t most_at_once = 1U << 16U;
    tensors::TensorOutput output(options.running.output,
                                 {{"scales", &formats::fp32, {steps}}, {"inverse_scales", &formats::fp32, {steps}}},
                                 {{"recipe", options.recipe}, {"of", options.input.shown()}});
    const auto progress = tensor_progress(options.running, options.input.shown(), steps);
    recipe::State state = exact::start(choices);
    for (std::uint64_t first = 0; first < steps; first += most_at_once) {
        const auto count = static_cast<std::size_t>(std::min(most_at_once, steps - first));
        std::vector<std::uint32_t> codes(count);
        amaxes.read(first, count, codes.data());
        std::vector<std::uint32_t> scales;
        std::vector<std::uint32_t> inverses;
        for (const std::uint32_t code : codes) {
            if ((code & formats::fp32.sign_bit()) != 0)
                throw std::invalid_argument(
                    fmt::format("{}: step {} has an amax with a sign", options.input.shown(), first + scales.size()));
            const recipe::Scales made = exact::step(choices, state, code);
            scales.push_back(static_cast<std::uint32_t>(made.scale));
            inverses.push_back(static_cast<std::uint32_t>(made.inverse));
        }
        output.write(0, first, count, scales.data());
        output.write(1, first, count, inverses.data());
        progress->update(first + count);
    }
    output.finish();
    progress->clear();
    fmt::print("{}: scales and inverse_scales [{}] of fp32, by {}\n", options.running.output, steps, options.recipe);
}

void add_scaling_command(CLI::App& app, Exit& /*exit*/) {
    auto options = std::make_shared<Options>();
    CLI::App* command = app.add_subcommand("scaling", "Compute the scale of a tensor at each step from its amaxes");
    add_tensor_input(*command, options->input, "fp32");
    command
        ->add_option("-o,--output", options->running.output,
                     "Where to write both scales of each step: a folder, or .safetensors")
        ->required();
    command->add_flag("--quiet", options->running.quiet, "Show no progress");
    command->add_option("--recipe", options->recipe, "A recipe of the kind `tensor` of `mxcert recipes`")->required();
    command->footer("Examples:\n"
                    "  mxcert scaling amaxes.npy -o scales --recipe te_delayed\n"
                    "  mxcert scaling amaxes.npy -o scales.safetensors --recipe factor_maximum_4\n"
                    "IN has an amax a step, of binary32. A value is element x scale; docs/recipes.md has the recipes.");
    command->callback([options] { scaling(*options); });
}

const Command registered{Group::tensors, "scaling", add_scaling_command};

} // namespace
} // namespace mxcert::cli::scaling_command
