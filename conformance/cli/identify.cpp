// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>
#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "conformance/cli/backend_options.hpp"
#include "conformance/cli/commands.hpp"
#include "conformance/cli/running.hpp"
#include "conformance/columns.hpp"
#include "conformance/matmul/identify.hpp"
#include "conformance/output_file.hpp"
#include "conformance/text.hpp"

namespace mxcert::cli::identify_command {
namespace {

struct Options {
    std::string backend;
    bool matmul = false;
    std::vector<std::string> filters;
    std::string json;
    BackendOptions run;
};

std::string verdict_of(const FoundAccumulator& found) {
    if (found.status != Status::pass) return fmt::format("{}: {}", to_string(found.status), printable(found.reason));
    if (!found.model) return "no accumulator takes these formats";
    if (!found.same.empty())
        return fmt::format("{}: explains all {}", fmt::join(found.same, " or "), counted(found.asked, "product"));
    const std::string nearest = fmt::format("no accumulator of the table; nearest {}, {} of {}", found.nearest,
                                            counted(found.nearest_explained, "product"), grouped(found.asked));
    if (found.explained == found.asked) return nearest + "; the parameters below explain all";
    return fmt::format("{}; the parameters below explain {}", nearest, grouped(found.explained));
}

std::string text_of(const FoundAccumulator& found) {
    std::string text = fmt::format("{}\n  {}\n", found.operation, verdict_of(found));
    std::vector<std::vector<std::string>> rows;
    for (const FoundParameter& one : found.parameters)
        rows.push_back({"  " + std::string(one.name), one.value,
                        !one.alike.empty()           ? fmt::format("not decided: {}", fmt::join(one.alike, ", "))
                        : one.decided_by.has_value() ? "decided by " + counted(*one.decided_by, "product")
                                                     : "no other is looked at"});
    if (!rows.empty()) text += columns(rows);
    if (!found.nans.empty()) text += fmt::format("  NaN came as {}\n", fmt::join(found.nans, ", "));
    for (const std::string& one : found.unexplained) text += "  unexplained: " + one + "\n";
    return text;
}

nlohmann::ordered_json json_of(const FoundAccumulator& found) {
    nlohmann::ordered_json json{{"operation", found.operation}, {"status", to_string(found.status)},
                                {"reason", found.reason},       {"asked", found.asked},
                                {"explained", found.explained}, {"same", found.same},
                                {"nearest", found.nearest},     {"nearest_explained", found.nearest_explained},
                                {"nans", found.nans},           {"unexplained", found.unexplained}};
    json["parameters"] = nlohmann::ordered_json::array();
    for (const FoundParameter& one : found.parameters)
        json["parameters"].push_back({{"name", one.name},
                                      {"value", one.value},
                                      {"decided_by", one.decided_by.value_or(0)},
                                      {"alike", one.alike}});
    return json;
}

int identify(const Options& options) {
    const BackendSpec spec = resolve_backend(options.backend);
    const bool to_stdout = options.json == "-";
    std::optional<OutputFile> file;
    if (!options.json.empty() && !to_stdout) file.emplace(options.json);
    Running running(spec, options.run);
    if (running.subject() == nullptr) {
        fmt::print(stderr, "mxcert: {}\n", printable(running.reason()));
        return exit_unfinished;
    }
    Subject& subject = *running.subject();
    nlohmann::ordered_json json = nlohmann::ordered_json::array();
    int code = exit_ok;
    for (const Operation& operation : subject.info().operations) {
        const std::string id = to_string(operation);
        if (operation.info->name != "matmul" || !selected(options.filters, id)) continue;
        running.progress().start(id, 0);
        const FoundAccumulator found = identify_matmul(subject, operation);
        running.progress().finish();
        running.progress().clear();
        fmt::print(to_stdout ? stderr : stdout, "{}", text_of(found));
        std::fflush(stdout);
        json.push_back(json_of(found));
        if (found.status != Status::pass)
            code = exit_unfinished;
        else if (found.same.empty() && code == exit_ok)
            code = exit_failed;
    }
    if (json.empty()) {
        fmt::print("{} offers no matrix product{}: nothing was identified.\n", printable(subject.info().name),
                   options.filters.empty() ? "" : " of that name");
        return exit_nothing;
    }
    const std::string text = json.dump(2) + "\n";
    if (file) file->write(text);
    if (to_stdout) fmt::print("{}", text);
    return code;
}

constexpr const char* footer =
    R"(What a product declares is not looked at: its answers are compared with every accumulator that `mxcert
accumulators` lists, and where none explains all of them one parameter after the other is changed.

Exit codes: 0 every product is that of an accumulator of the table; 1 one is not; 2 usage or file error;
3 an ERROR; 4 no product is offered.

Examples:
  mxcert identify portable --matmul
  mxcert identify ./my_kernel.so --matmul --filter 'matmul-e4m3-*' --json found.json)";

void add_identify_command(CLI::App& app, Exit& exit) {
    auto options = std::make_shared<Options>();
    CLI::App* command = app.add_subcommand("identify", "Which accumulator a matrix product has, from its answers");
    command->add_option("BACKEND", options->backend, "What to identify")->required();
    command->add_flag("--matmul", options->matmul, "The accumulators of its matrix products")->required();
    repeatable(
        command->add_option("--filter", options->filters, "Only products that match, repeatable: 'matmul-e4m3-*'"),
        "GLOB");
    command->add_option("--json", options->json, "Write what was found as JSON, - for standard output")
        ->type_name("FILE");
    add_backend_options(*command, options->run);
    command->footer(footer);
    command->callback([options, &exit] { exit.code = identify(*options); });
}

const Command registered{Group::test, "identify", add_identify_command};

} // namespace
} // namespace mxcert::cli::identify_command
