// SPDX-License-Identifier: Apache-2.0
#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "conformance/cli/commands.hpp"
#include "conformance/cli/results/json_output.hpp"
#include "conformance/print/columns.hpp"
#include "reference/dot/accumulator.hpp"

namespace mxcert::cli::accumulators_command {
namespace {

std::vector<std::string> names_of(std::span<const Format* const> formats) {
    std::vector<std::string> names;
    for (const Format* format : formats) names.emplace_back(format->name);
    return names;
}

std::string count_of(std::size_t count) { return count == 0 ? "all" : std::to_string(count); }

std::string text_of_accumulators() {
    std::vector<std::vector<std::string>> rows{
        {"accumulator", "operands", "group", "sum", "bits", "result", "evidence", "what"}};
    for (const Accumulator& accumulator : accumulators()) {
        const bool aligned = accumulator.fraction != 0;
        rows.push_back({std::string(accumulator.name),
                        fmt::format("{}", fmt::join(names_of(accumulator.operands), " ")), count_of(accumulator.group),
                        std::string(to_string(accumulator.sum)), aligned ? std::to_string(accumulator.fraction) : "-",
                        std::string(accumulator.result->name), std::string(to_string(accumulator.evidence)),
                        std::string(accumulator.summary)});
    }
    return print::columns(rows);
}

nlohmann::ordered_json json_of_accumulators() {
    nlohmann::ordered_json json = nlohmann::ordered_json::array();
    for (const Accumulator& accumulator : accumulators())
        json.push_back({{"name", accumulator.name},
                        {"summary", accumulator.summary},
                        {"source", accumulator.source},
                        {"evidence", to_string(accumulator.evidence)},
                        {"operands", names_of(accumulator.operands)},
                        {"scales", names_of(accumulator.scales)},
                        {"scale_use", to_string(accumulator.scale_use)},
                        {"group", accumulator.group},
                        {"sum", to_string(accumulator.sum)},
                        {"addend", to_string(accumulator.addend)},
                        {"fraction_bits", accumulator.fraction},
                        {"result", accumulator.result->name},
                        {"result_fraction_bits", accumulator.result_fraction},
                        {"rounding", to_string(accumulator.rounding)},
                        {"promote", accumulator.promote}});
    return json;
}

void add_accumulators_command(CLI::App& app, Exit& /*exit*/) {
    auto json = std::make_shared<std::string>();
    CLI::App* command = app.add_subcommand("accumulators", "List how implementations accumulate dot products");
    add_json_option(*command, *json);
    command->footer("docs/accumulators.md has the evidence, docs/matmul.md the columns. `claimed` is what a source "
                    "says and no device has confirmed here; "
                    "`reading` is one way to read a document that leaves a part open.");
    command->callback([json] { print_result(*json, text_of_accumulators, json_of_accumulators); });
}

const Command registered{Group::look_up, "accumulators", add_accumulators_command};

} // namespace
} // namespace mxcert::cli::accumulators_command
