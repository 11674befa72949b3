// SPDX-License-Identifier: Apache-2.0
#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "conformance/cli/commands.hpp"
#include "conformance/cli/results/json_output.hpp"
#include "reference/choices.hpp"

namespace mxcert::cli::choices_command {
namespace {

std::string text_of_choices() {
    std::string text;
    for (const ChoiceInfo& choice : all_choices()) {
        text += fmt::format("{} ({}): {}\n", choice.name, choice.number, choice.question);
        text += fmt::format("    {}\n", fmt::join(choice.values, ", "));
    }
    return text;
}

nlohmann::ordered_json json_of_choices() {
    nlohmann::ordered_json json = nlohmann::ordered_json::array();
    for (const ChoiceInfo& choice : all_choices())
        json.push_back({{"name", choice.name},
                        {"number", choice.number},
                        {"question", choice.question},
                        {"values", std::vector<std::string>(choice.values.begin(), choice.values.end())},
                        {"default", value_name(Choices{}, choice.choice)}});
    return json;
}

void add_choices_command(CLI::App& app, Exit& /*exit*/) {
    auto json = std::make_shared<std::string>();
    CLI::App* command = app.add_subcommand("choices", "List the choices of a conversion and their values");
    add_json_option(*command, *json);
    command->callback([json] { print_result(*json, text_of_choices, json_of_choices); });
}

const Command registered{Group::look_up, "choices", add_choices_command};

} // namespace
} // namespace mxcert::cli::choices_command
