// SPDX-License-Identifier: Apache-2.0
#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "conformance/cli/commands.hpp"
#include "conformance/cli/results/json_output.hpp"
#include "conformance/print/columns.hpp"
#include "reference/exact/exact.hpp"
#include "reference/scale_rule.hpp"
#include "reference/scaled_format.hpp"

namespace mxcert::cli::rules_command {
namespace {

/// How a rule rounds the quotient: "up", or "toward_zero, e4m3 up" where elements differ.
std::string roundings_of(ScaleRule rule) {
    const auto rounding_of = [&](const Format& element) { return exact::quotient_of(rule, element).rounding; };
    const Rounding most = rounding_of(*mx_formats().back().element);
    std::string text(to_string(most));
    for (const ScaledFormat& scaled : mx_formats())
        if (const Rounding rounding = rounding_of(*scaled.element); rounding != most)
            text += fmt::format(", {} {}", scaled.element->name, to_string(rounding));
    return text;
}

std::string text_of_rules() {
    std::vector<std::vector<std::string>> rows{{"rule", "rounding"}};
    for (const ScaledFormat& scaled : mx_formats())
        rows.front().push_back(fmt::format("divisor {}", scaled.element->name));
    rows.front().insert(rows.front().end(), {"exponent, E4M3 and E5M2", "who"});
    for (const ScaleRuleInfo& rule : all_scale_rules()) {
        std::vector<std::string>& row = rows.emplace_back();
        row = {std::string(to_string(rule.rule)), roundings_of(rule.rule)};
        for (const ScaledFormat& scaled : mx_formats())
            row.push_back(exact::decimal(exact::quotient_of(rule.rule, *scaled.element).divisor));
        row.insert(row.end(), {std::string(rule.bump), std::string(rule.users)});
    }
    return print::columns(rows);
}

nlohmann::ordered_json json_of_rules() {
    nlohmann::ordered_json json = nlohmann::ordered_json::array();
    for (const ScaleRuleInfo& rule : all_scale_rules()) {
        nlohmann::ordered_json entry = {{"name", to_string(rule.rule)}};
        for (const ScaledFormat& scaled : mx_formats()) {
            const exact::Quotient quotient = exact::quotient_of(rule.rule, *scaled.element);
            entry["elements"][std::string(scaled.element->name)] = {{"divisor", exact::decimal(quotient.divisor)},
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
    auto json = std::make_shared<std::string>();
    CLI::App* command = app.add_subcommand("rules", "List the rules that compute the scale of a block from its amax");
    add_json_option(*command, *json);
    command->footer("docs/scales.md explains the columns.");
    command->callback([json] { print_result(*json, text_of_rules, json_of_rules); });
}

const Command registered{Group::look_up, "rules", add_rules_command};

} // namespace
} // namespace mxcert::cli::rules_command
