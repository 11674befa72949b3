// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "conformance/cli/commands.hpp"
#include "conformance/cli/results/json_output.hpp"
#include "conformance/print/columns.hpp"
#include "reference/recipe/catalogue.hpp"

namespace mxcert::cli::recipes_command {
namespace {

using Json = nlohmann::ordered_json;
using recipe::CatalogueEntry;
using recipe::CatalogueKind;
using recipe::ParameterGroup;

std::string or_none(std::string_view text) { return text.empty() ? "-" : std::string(text); }

std::string text_of_recipes() {
    std::vector<std::vector<std::string>> rows{{"recipe", "kind", "operation", "grade", "source"}};
    for (const CatalogueEntry& entry : recipe::catalogue())
        rows.push_back({entry.name, std::string(entry.kind), or_none(entry.operation),
                        std::string(to_string(entry.grade)), std::string(entry.source)});
    return print::columns(rows);
}

std::string_view what(std::string_view kind) {
    const auto kinds = recipe::catalogue_kinds();
    return std::find_if(kinds.begin(), kinds.end(),
                        [&](const CatalogueKind& this_kind) { return this_kind.name == kind; })
        ->what;
}

std::string text_of_recipe(const CatalogueEntry& entry) {
    std::string text = fmt::format("{}: {}\nrests on: {} (grade {})\n", entry.name, what(entry.kind), entry.source,
                                   to_string(entry.grade));
    if (!entry.based_on.empty()) text += fmt::format("based on: {}\n", entry.based_on);
    if (!entry.operation.empty()) text += fmt::format("operation: {}\n", entry.operation);
    for (const ParameterGroup& group : entry.parameters) {
        text += group.of.empty() ? "\n" : fmt::format("\n{}\n", group.of);
        std::vector<std::vector<std::string>> rows{{"parameter", "value"}};
        for (const auto& [name, value] : group.values) rows.push_back({name, value});
        text += print::columns(rows);
    }
    return text;
}

Json json_of_recipe(const CatalogueEntry& entry) {
    Json json = {{"name", entry.name},
                 {"kind", entry.kind},
                 {"operation", entry.operation},
                 {"based_on", entry.based_on},
                 {"grade", to_string(entry.grade)},
                 {"source", entry.source}};
    json["parameters"] = Json::array();
    for (const ParameterGroup& group : entry.parameters) {
        Json values = Json::object();
        for (const auto& [name, value] : group.values) values[name] = value;
        json["parameters"].push_back({{"of", group.of}, {"values", std::move(values)}});
    }
    return json;
}

Json json_of_recipes() {
    Json all = Json::array();
    for (const CatalogueEntry& entry : recipe::catalogue()) all.push_back(json_of_recipe(entry));
    return all;
}

void print(const std::string& name, const std::string& json) {
    if (name.empty()) return print_result(json, text_of_recipes, json_of_recipes);
    const CatalogueEntry& entry = recipe::catalogue_entry(name);
    print_result(
        json, [&] { return text_of_recipe(entry); }, [&] { return json_of_recipe(entry); });
}

void add_recipes_command(CLI::App& app, Exit& /*exit*/) {
    auto name = std::make_shared<std::string>();
    auto json = std::make_shared<std::string>();
    CLI::App* command = app.add_subcommand("recipes", "List the recipes, which define the scales of a tensor");
    command->add_option("NAME", *name, "One recipe, with every parameter");
    add_json_option(*command, *json);
    command->footer("docs/recipes.md explains the parameters.\n"
                    "Example:\n  mxcert recipes te_delayed");
    command->callback([name, json] { print(*name, *json); });
}

const Command registered{Group::look_up, "recipes", add_recipes_command};

} // namespace
} // namespace mxcert::cli::recipes_command
