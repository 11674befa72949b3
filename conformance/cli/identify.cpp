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
#include "conformance/identify_conversion.hpp"
#include "conformance/matmul/identify.hpp"
#include "conformance/output_file.hpp"
#include "conformance/text.hpp"

namespace mxcert::cli::identify_command {
namespace {

using Json = nlohmann::ordered_json;

struct Options {
    std::string backend;
    bool matmul = false;
    std::vector<std::string> filters;
    std::string json;
    BackendOptions run;
};

constexpr std::size_t most_shown = 4; // ranges of inputs that are not explained

/// The parameters of what was found, each with what speaks for it, in `noun`s.
std::string text_of(const std::vector<FoundParameter>& parameters, std::string_view noun) {
    std::vector<std::vector<std::string>> rows;
    for (const FoundParameter& one : parameters)
        rows.push_back({"  " + std::string(one.name), one.value,
                        !one.alike.empty()           ? fmt::format("not decided: {}", fmt::join(one.alike, ", "))
                        : one.decided_by.has_value() ? "decided by " + counted(*one.decided_by, noun)
                                                     : "no other is looked at"});
    return rows.empty() ? "" : columns(rows);
}

Json json_of(const std::vector<FoundParameter>& parameters) {
    Json all = Json::array();
    for (const FoundParameter& one : parameters)
        all.push_back({{"name", one.name},
                       {"value", one.value},
                       {"decided_by", one.decided_by.value_or(0)},
                       {"alike", one.alike}});
    return all;
}

std::string verdict_of(const FoundBehaviour& found) {
    if (found.status != Status::pass) return fmt::format("{}: {}", to_string(found.status), printable(found.reason));
    const std::string all = found.explained == found.asked ? "explains all " + counted(found.asked, "input")
                                                           : fmt::format("explains {} of {}", grouped(found.explained),
                                                                         counted(found.asked, "input"));
    return found.sample ? all + " of a sample" : all;
}

std::string text_of(const FoundBehaviour& found) {
    std::string text = fmt::format("{}\n  {}\n", found.conversion, verdict_of(found));
    if (found.status != Status::pass) return text;
    text += text_of(found.parameters, "input");
    for (std::size_t i = 0; i < std::min(found.unexplained.size(), most_shown); ++i) {
        const Unexplained& one = found.unexplained[i];
        text += fmt::format("  unexplained: {}{} gives {}, not {}\n", hex(one.first, *found.from),
                            one.first == one.last ? "" : ".." + hex(one.last, *found.from), hex(one.got, *found.to),
                            hex(one.expected, *found.to));
    }
    if (found.unexplained.size() > most_shown)
        text += fmt::format("  and {} more\n", counted(found.unexplained.size() - most_shown, "range"));
    std::vector<std::string_view> permitting;
    for (const FoundProfile& profile : found.profiles)
        if (profile.differing == 0) permitting.push_back(profile.name);
    if (!permitting.empty()) text += fmt::format("  permitted by {}\n", fmt::join(permitting, ", "));
    if (permitting.size() < found.profiles.size()) {
        const FoundProfile& next = found.profiles[permitting.size()];
        text += fmt::format("  not by {}: {}, of", next.name, counted(next.differing, "input"));
        const char* separator = " ";
        for (const FoundClause& clause : next.clauses) {
            if (clause.differing == 0) continue;
            text += fmt::format("{}{} {}", separator, clause.id, grouped(clause.differing));
            separator = ", ";
        }
        text += "\n";
    }
    return text;
}

Json json_of(const FoundBehaviour& found) {
    Json json{{"conversion", found.conversion},
              {"status", to_string(found.status)},
              {"reason", found.reason},
              {"sample", found.sample},
              {"asked", found.asked},
              {"explained", found.explained},
              {"behaviour", describe(found.choices)}};
    json["parameters"] = json_of(found.parameters);
    json["unexplained"] = Json::array();
    for (const Unexplained& one : found.unexplained)
        json["unexplained"].push_back({{"first", hex(one.first, *found.from)},
                                       {"last", hex(one.last, *found.from)},
                                       {"got", hex(one.got, *found.to)},
                                       {"expected", hex(one.expected, *found.to)}});
    json["profiles"] = Json::array();
    for (const FoundProfile& profile : found.profiles) {
        Json clauses = Json::array();
        for (const FoundClause& clause : profile.clauses)
            clauses.push_back({{"id", clause.id}, {"inputs", clause.inputs}, {"differing", clause.differing}});
        json["profiles"].push_back({{"name", profile.name}, {"differing", profile.differing}, {"clauses", clauses}});
    }
    return json;
}

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
    text += text_of(found.parameters, "product");
    if (!found.nans.empty()) text += fmt::format("  NaN came as {}\n", fmt::join(found.nans, ", "));
    for (const std::string& one : found.unexplained) text += "  unexplained: " + one + "\n";
    return text;
}

Json json_of(const FoundAccumulator& found) {
    Json json{{"operation", found.operation}, {"status", to_string(found.status)},
              {"reason", found.reason},       {"asked", found.asked},
              {"explained", found.explained}, {"same", found.same},
              {"nearest", found.nearest},     {"nearest_explained", found.nearest_explained},
              {"nans", found.nans},           {"unexplained", found.unexplained}};
    json["parameters"] = json_of(found.parameters);
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
    Json json = Json::array();
    int code = exit_ok;
    const auto take = [&](const auto& found, bool explained) {
        running.progress().finish();
        running.progress().clear();
        fmt::print(to_stdout ? stderr : stdout, "{}", text_of(found));
        std::fflush(stdout);
        json.push_back(json_of(found));
        if (found.status != Status::pass)
            code = exit_unfinished;
        else if (!explained && code == exit_ok)
            code = exit_failed;
    };
    GoldenSource golden;
    for (const Conversion& conversion : subject.info().conversions) {
        const std::string id = to_string(conversion);
        if (options.matmul || !selected(options.filters, id)) continue;
        running.progress().start(id, 0);
        const FoundBehaviour found = identify_conversion(subject, conversion, golden);
        take(found, found.explained == found.asked);
    }
    for (const Operation& operation : subject.info().operations) {
        const std::string id = to_string(operation);
        if (operation.info->name != "matmul" || !selected(options.filters, id)) continue;
        running.progress().start(id, 0);
        const FoundAccumulator found = identify_matmul(subject, operation);
        take(found, !found.same.empty());
    }
    if (json.empty()) {
        fmt::print("{} offers no {}{}: nothing was identified.\n", printable(subject.info().name),
                   options.matmul ? "matrix product" : "conversion or matrix product",
                   options.filters.empty() ? "" : " of that name");
        return exit_nothing;
    }
    const std::string text = json.dump(2) + "\n";
    if (file) file->write(text);
    if (to_stdout) fmt::print("{}", text);
    return code;
}

constexpr const char* footer =
    R"(What is declared is not looked at, but the answers. A conversion is observed, and its choices (`mxcert choices`) are
changed one after the other until they explain every input. A product is compared with every accumulator that `mxcert
accumulators` lists, and where none explains all of it one parameter after the other is changed.

Exit codes: 0 every conversion is explained, and every product is that of an accumulator of the table; 1 one is not;
2 usage or file error; 3 an ERROR; 4 nothing of that name is offered.

Examples:
  mxcert identify ml_dtypes --filter 'fp16-*'
  mxcert identify portable --matmul
  mxcert identify ./my_kernel.so --matmul --filter 'matmul-e4m3-*' --json found.json)";

void add_identify_command(CLI::App& app, Exit& exit) {
    auto options = std::make_shared<Options>();
    CLI::App* command = app.add_subcommand("identify", "What conversions and matrix products do, from their answers");
    command->add_option("BACKEND", options->backend, "What to identify")->required();
    command->add_flag("--matmul", options->matmul, "Only its matrix products");
    repeatable(
        command->add_option("--filter", options->filters, "Only what matches, repeatable: 'fp32-*', 'matmul-e4m3-*'"),
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
