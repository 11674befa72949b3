// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>
#include <stdexcept>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "conformance/cli/commands.hpp"
#include "conformance/cli/results/json_output.hpp"
#include "conformance/explain/traceability.hpp"
#include "conformance/faults/clause_suites.hpp"
#include "conformance/print/columns.hpp"
#include "reference/base/near_names.hpp"
#include "reference/reading.hpp"
#include "vectors/golden_store/golden_files.hpp"

namespace mxcert::cli::clauses_command {
namespace {

using Json = nlohmann::ordered_json;

/// Why a clause has no suites, or how many it has.
std::string checked_text(const Clause& clause, const std::vector<std::string>& suites) {
    if (clause.kind == ClauseKind::provision) return fmt::format("{}", fmt::join(suites, ", "));
    if (!suites.empty()) return fmt::format("{} {}", suites.size(), suites.size() == 1 ? "table" : "tables");
    return faults::needs_suite(clause) ? "unchecked" : "-";
}

std::string place(const Clause& clause) {
    return clause.section.empty() ? std::string(clause.document)
                                  : fmt::format("{}, {}", clause.document, clause.section);
}

std::string place(const Reading& reading) {
    return reading.place.empty() ? std::string(reading.document)
                                 : fmt::format("{}, {}", reading.document, reading.place);
}

/// A line for each reading, below the clause.
std::string text_of_readings(const Clause& clause) {
    std::string text;
    for (const Reading* reading : readings_of(clause))
        text += fmt::format("read in: {}: {}\n", place(*reading), reading->says);
    return text;
}

Json json_of_readings(const Clause& clause) {
    Json all = Json::array();
    for (const Reading* reading : readings_of(clause))
        all.push_back({{"author", reading->author},
                       {"document", reading->document},
                       {"place", reading->place},
                       {"says", reading->says}});
    return all;
}

std::string text_of_clauses(const Manifest& manifest) {
    std::vector<std::vector<std::string>> rows{{"clause", "kind", "grade", "checked by", "choices", "where"}};
    for (const Clause& clause : all_clauses()) {
        const auto suites = faults::suites_of(clause, manifest);
        rows.push_back({std::string(clause.id), std::string(to_string(clause.kind)),
                        std::string(to_string(clause.grade)), checked_text(clause, suites),
                        clause.choices.empty() ? "-" : std::string(clause.choices), place(clause)});
    }
    return print::columns(rows);
}

std::string text_of_clause(const Clause& clause, const Manifest& manifest) {
    const auto suites = faults::suites_of(clause, manifest);
    std::string text = fmt::format("{}  {}, grade {}\n{}\n{}\n", clause.id, to_string(clause.kind),
                                   to_string(clause.grade), clause.text, place(clause));
    if (!clause.choices.empty()) text += fmt::format("choices: {}\n", clause.choices);
    if (!clause.rows.empty()) text += fmt::format("seen in the rows of: {}\n", clause.rows);
    text += text_of_readings(clause);
    if (suites.empty()) return text + (faults::needs_suite(clause) ? "unchecked\n" : "checked by: -\n");
    return text + fmt::format("checked by: {}\n", fmt::join(suites, ", "));
}

Json json_of_clause(const Clause& clause, const Manifest& manifest) {
    const auto suites = faults::suites_of(clause, manifest);
    return {{"id", clause.id},
            {"kind", to_string(clause.kind)},
            {"grade", to_string(clause.grade)},
            {"text", clause.text},
            {"document", clause.document},
            {"section", clause.section},
            {"choices", clause.choices},
            {"rows", clause.rows},
            {"readings", json_of_readings(clause)},
            {"suites", suites},
            {"unchecked", faults::needs_suite(clause) && suites.empty()}};
}

const Clause& clause_named(const std::string& id) {
    if (const Clause* clause = find_clause(id)) return *clause;
    std::vector<std::string_view> ids;
    for (const Clause& clause : all_clauses()) ids.push_back(clause.id);
    throw std::invalid_argument(unknown_name("clause", id, ids));
}

struct Options {
    std::string id;
    std::string json;
    bool trace = false;
    unsigned jobs = 0;
};

void print(const Options& options) {
    const Manifest manifest = load_manifest(golden_folder());
    if (!options.id.empty()) {
        const Clause& clause = clause_named(options.id);
        return print_result(
            options.json, [&] { return text_of_clause(clause, manifest); },
            [&] { return json_of_clause(clause, manifest); });
    }
    print_result(
        options.json, [&] { return text_of_clauses(manifest); },
        [&] {
            Json all = Json::array();
            for (const Clause& clause : all_clauses()) all.push_back(json_of_clause(clause, manifest));
            return all;
        });
}

Json json_of_trace(const explain::ClauseTrace& trace, const Manifest& manifest) {
    Json json = json_of_clause(*trace.clause, manifest);
    json["golden"] = Json::array();
    for (const ManifestEntry* file : trace.golden)
        json["golden"].push_back({{"file", file->file}, {"sha256", file->sha256}});
    json["faults"] = Json::array();
    for (const explain::CaughtFault& fault : trace.faults)
        json["faults"].push_back({{"class", fault.bug_class},
                                  {"how", fault.how},
                                  {"conversion", fault.conversion},
                                  {"profile", fault.profile},
                                  {"inputs", fault.inputs}});
    json["unproven"] = explain::needs_fault(*trace.clause) && trace.faults.empty();
    return json;
}

int print_traces(const Options& options) {
    const Manifest manifest = load_manifest(golden_folder());
    const Clause* wanted = options.id.empty() ? nullptr : &clause_named(options.id);
    std::vector<explain::ClauseTrace> traces =
        explain::trace_clauses(manifest, explain::traced_conversions(), options.jobs);
    if (wanted != nullptr)
        std::erase_if(traces, [&](const explain::ClauseTrace& trace) { return trace.clause != wanted; });
    print_result(
        options.json,
        [&] { return wanted != nullptr ? explain::trace_text(traces.front()) : explain::trace_table(traces); },
        [&] {
            Json all = Json::array();
            for (const explain::ClauseTrace& trace : traces) all.push_back(json_of_trace(trace, manifest));
            return all;
        });
    return std::any_of(traces.begin(), traces.end(),
                       [](const explain::ClauseTrace& trace) {
                           return explain::needs_fault(*trace.clause) && trace.faults.empty();
                       })
               ? exit_failed
               : exit_ok;
}

void add_clauses_command(CLI::App& app, Exit& exit) {
    auto options = std::make_shared<Options>();
    CLI::App* command = app.add_subcommand("clauses", "List the clauses of the specifications and what checks them");
    command->add_option("ID", options->id, "One clause, in full");
    add_json_option(*command, options->json);
    CLI::Option* trace = command->add_flag(
        "--trace", options->trace, "From each clause to its suites, golden files and planted faults; takes a while");
    add_threads_option(*command, options->jobs)->needs(trace);
    command->footer("With --trace: 0 every clause that decides something catches a planted fault; 1 one does not.");
    command->callback([options, &exit] {
        if (options->trace)
            exit.code = print_traces(*options);
        else
            print(*options);
    });
}

const Command registered{Group::look_up, "clauses", add_clauses_command};

} // namespace
} // namespace mxcert::cli::clauses_command
