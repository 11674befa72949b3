// SPDX-License-Identifier: Apache-2.0
#include "conformance/explain/explain.hpp"

#include <memory>
#include <stdexcept>

#include <fmt/format.h>

#include "conformance/cli/commands.hpp"
#include "conformance/cli/results/json_output.hpp"
#include "conformance/cli/tensors/explain_tensor.hpp"
#include "conformance/cli/tensors/tensor_options.hpp"
#include "conformance/explain/explain_block.hpp"
#include "conformance/explain/question_options.hpp"
#include "reference/operation/operation.hpp"

namespace mxcert::cli::explain_command {
namespace {

struct ExplainOptions : explain::QuestionOptions {
    bool block = false;
    std::string json;
    TensorInput tensor;
    std::string axis = "row";
    unsigned size = 32;
};

/// The block of the values that are given, or of the element of a tensor that is.
explain::BlockQuestion block_of(const ExplainOptions& options) {
    const std::optional<ElementPlace> element =
        options.inputs.size() == 1 ? parse_element_place(options.inputs.front()) : std::nullopt;
    explain::BlockQuestion question = explain::block_question_of(options);
    if (!element) return question;
    question.inputs.clear();
    take_block(question, *element, options.tensor, options.axis == "row" ? Axis::row : Axis::column, options.size);
    return question;
}

/// "-inf" and "-nan" look like options: they come back from the parser unread, and where they stood is lost.
void take_inputs(ExplainOptions& options, const CLI::App& command) {
    std::vector<std::string> extras = command.remaining();
    if (!extras.empty() && extras.front() == "--") extras.erase(extras.begin());
    for (const std::string& extra : extras) {
        if (extra.rfind("--", 0) == 0) throw std::invalid_argument("explain: unexpected argument '" + extra + "'");
        options.inputs.push_back(extra);
    }
    if (!extras.empty() && options.inputs.size() > 1)
        throw std::invalid_argument("explain: '" + extras.front() +
                                    "' looks like an option: write the values after --, as in --block -- 1 -inf");
    if (options.inputs.empty()) throw std::invalid_argument("explain: INPUT is missing");
}

void add_explain_command(CLI::App& app, Exit& /*exit*/) {
    auto options = std::make_shared<ExplainOptions>();
    CLI::App* command = app.add_subcommand("explain", "Show how one input is converted, and the deciding clause");
    command->add_option("INPUT", options->inputs,
                        "464.0001, 1e-7, 0x1.8p3, -0, inf, nan, or a bit pattern: 0x43E80003. Digits without 0x are a "
                        "bit pattern only if a letter shows it: 43E80003 is one, 40490000 is a decimal number");
    command->add_option("--from", options->from, "Format of the input (fp32)");
    command->add_option("--to", options->to, "Format of the result (e4m3)");
    with_roundings(command->add_option(
        "--rounding", options->rounding,
        "nearest_even, toward_zero, up, ... (nearest_even); of a scale its rule: ocp_floor, rceil, ... (ocp_floor)"));
    command->add_option("--overflow", options->overflow, "sat, nosat or sat_finite (sat)");
    command->add_option("--choice", options->choices, "Any choice of `mxcert choices`, name=value; may be repeated")
        ->expected(1)
        ->take_all();
    command->add_option("--scale", options->scale,
                        "The given scale, E8M0: 0x7E, 0.5. A narrower result is of the value divided by it, another "
                        "of the value times it");
    command->add_flag("--block", options->block,
                      "The INPUTs are the values of a block: explain its scale and its elements. Or the INPUT is an "
                      "element of a tensor, weights.npy:ROW,COLUMN: explain it and the scale of its block");
    command->add_option("--rule", options->rule, "Of a block: its scale rule, ocp_floor, rceil, ... (ocp_floor)");
    command->add_option("--axis", options->axis, "For a tensor: blocks run along rows or columns (row)")
        ->check(CLI::IsMember({"row", "column"}));
    command->add_option("--block-size", options->size, "Of a tensor: elements of a block (32)")
        ->transform(number_between(1U, largest_block));
    add_tensor_format(*command, options->tensor, "fp32, fp16 or bf16");
    command->add_option("--random", options->random,
                        "R/n for stochastic roundings: R, also as 0x.., and the number of random bits");
    add_json_option(*command, options->json);
    command->allow_extras();
    command->footer("Examples:\n"
                    "  mxcert explain 464.0001 --from fp32 --to e4m3 --overflow nosat\n"
                    "  mxcert explain 0x7E --from e4m3 --to fp32\n"
                    "  mxcert explain 1.03 --rounding stochastic_a --random 200/8\n"
                    "  mxcert explain 300 --to e4m3 --scale 0.5\n"
                    "  mxcert explain --block 3 -0.4 500 --rule rceil\n"
                    "  mxcert explain --block weights.npy:12,34 --rule rceil\n"
                    "  mxcert explain 500 --from amax_fp32 --to e8m0_for_e4m3 --rounding rceil\n");
    command->callback([options, command] {
        take_inputs(*options, *command);
        const auto print = [&](const auto& explanation) {
            print_result(
                options->json, [&] { return explain::to_text(explanation); },
                [&] { return explain::to_json(explanation); });
        };
        options->block ? print(explain::explain(block_of(*options)))
                       : print(explain::explain(explain::question_of(*options)));
    });
}

const Command registered{Group::look_up, "explain", add_explain_command};

} // namespace
} // namespace mxcert::cli::explain_command
