// SPDX-License-Identifier: Apache-2.0
#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "conformance/cli/commands.hpp"
#include "conformance/print/columns.hpp"
#include "reference/exact/exact.hpp"
#include "reference/scale_rule.hpp"

namespace mxcert::cli::rules_command {
namespace {

std::string text_of(const exact::Quotient& quotient) {
    return exact::decimal(quotient.divisor) + " " + std::string(to_string(quotient.rounding));
}

std::string text_of_rules() {
    std::vector<std::vector<std::string>> rows{{"rule", "E4M3: divisor, rounding", "E5M2", "exponent", "who"}};
    for (const ScaleRuleInfo& rule : all_scale_rules())
        rows.push_back({std::string(to_string(rule.rule)), text_of(exact::quotient_of(rule.rule, formats::e4m3)),
                        text_of(exact::quotient_of(rule.rule, formats::e5m2)), std::string(rule.bump),
                        std::string(rule.users)});
    return print::columns(rows);
}

nlohmann::ordered_json json_of_rules() {
    nlohmann::ordered_json json = nlohmann::ordered_json::array();
    for (const ScaleRuleInfo& rule : all_scale_rules()) {
        nlohmann::ordered_json entry = {{"name", to_string(rule.rule)}};
        for (const Format* element : {&formats::e4m3, &formats::e5m2}) {
            const exact::Quotient quotient = exact::quotient_of(rule.rule, *element);
            entry["elements"][std::string(element->name)] = {{"divisor", exact::decimal(quotient.divisor)},
                                                             {"rounding", to_string(quotient.rounding)}};
        }
        entry["rounds_amax_first"] = rule.rounds_first;
        entry["exponent"] = rule.bump;
        entry["users"] = rule.users;
        json.push_back(std::move(entry));
    }
    return json;
}

void add_rules_command(CLI::App& app, Exit& /*exit*/) {
    auto json = std::make_shared<bool>(false);
    CLI::App* command = app.add_subcommand("rules", "How the scale of a block can follow from its amax");
    command->add_flag("--json", *json, "Print JSON");
    command->footer("docs/scales.md explains the columns.");
    command->callback([json] { fmt::print("{}", *json ? json_of_rules().dump(2) + "\n" : text_of_rules()); });
}

const Command registered{Group::look_up, "rules", add_rules_command};

} // namespace
} // namespace mxcert::cli::rules_command
