// SPDX-License-Identifier: Apache-2.0
#include "conformance/diff/diff.hpp"

#include <algorithm>
#include <memory>
#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "conformance/cli/backend_options.hpp"
#include "conformance/cli/commands.hpp"
#include "conformance/cli/html_option.hpp"
#include "conformance/cli/results/json_output.hpp"
#include "conformance/cli/running.hpp"
#include "conformance/cli/unmatched.hpp"
#include "conformance/files/output_file.hpp"
#include "conformance/html/diff_page.hpp"
#include "conformance/print/terminal.hpp"
#include "conformance/print/text.hpp"
#include "conformance/print/version.hpp"
#include "reference/code_text.hpp"
#include "vectors/tables/permit.hpp"

namespace mxcert::cli::diff_command {
namespace {

using Json = nlohmann::ordered_json;

struct Options {
    std::string a;
    std::string b;
    std::string json;
    std::string html;
    std::size_t max_failures = 5;
    diff::DiffOptions diff;
    BackendOptions run;
};

template <class Row> std::string_view word(const Row& row) {
    if (row.status == Status::pass) return "same";
    return row.status == Status::fail ? "different" : to_string(row.status);
}

std::string range_text(const Difference& d, const diff::DiffRow& row) {
    const Format& from = *row.conversion.from;
    const Format& to = *row.conversion.to;
    const Code other_code = d.expected.codes.front();
    const std::string range =
        d.first == d.last ? code_text(from, d.first) : code_text(from, d.first) + " to " + code_text(from, d.last);
    return fmt::format("    {}  from {}: {} {}, {} {}\n", range, print::value_text(from, d.first), code_text(to, d.got),
                       print::value_text(to, d.got), code_text(to, other_code), print::value_text(to, other_code));
}

std::string row_text(const diff::DiffRow& row, const Options& options, bool color) {
    std::string text = fmt::format("{:<36} {:>14}  {}", to_string(row.conversion), print::grouped(row.compared),
                                   print::colored(word(row), row.status, color));
    if (row.status == Status::fail)
        text += fmt::format(" on {} in {}", print::counted(row.differing, "input"),
                            print::counted(row.differences.size(), "range"));
    if (row.sample && row.compared != 0) text += " (sample)";
    if (!row.reason.empty()) text += "  " + print::printable(row.reason);
    text += '\n';
    const std::size_t shown = std::min(options.max_failures, row.differences.size());
    for (std::size_t i = 0; i < shown; ++i) text += range_text(row.differences[i], row);
    if (shown < row.differences.size())
        text += fmt::format("    and {} more; --json has them all\n",
                            print::counted(row.differences.size() - shown, "range"));
    return text;
}

std::string row_text(const diff::OperationDiff& row, const Options& options, bool color) {
    std::string text = fmt::format("{:<36} {:>14}  {}", row.id, print::counted(row.compared, "run"),
                                   print::colored(word(row), row.status, color));
    if (row.status == Status::fail) text += " on " + print::counted(row.runs.size(), "run");
    if (!row.reason.empty()) text += "  " + print::printable(row.reason);
    text += '\n';
    const std::size_t shown = std::min(options.max_failures, row.runs.size());
    for (std::size_t i = 0; i < shown; ++i) {
        const diff::DifferingRun& run = row.runs[i];
        text += fmt::format("    run {}, {}: {}{}\n", run.number, run.name,
                            run.values != 0 ? print::counted(run.values, "value") + ", first " : "", run.first);
    }
    if (shown < row.runs.size())
        text += fmt::format("    and {} more; --json has them all\n", print::counted(row.runs.size() - shown, "run"));
    return text;
}

Json json_of(const diff::OperationDiff& row) {
    Json runs = Json::array();
    for (const diff::DifferingRun& run : row.runs)
        runs.push_back({{"run", run.number}, {"name", run.name}, {"values", run.values}, {"first", run.first}});
    return {{"row", row.id},
            {"result", word(row)},
            {"reason", row.reason},
            {"compared", row.compared},
            {"differing", row.runs.size()},
            {"runs", runs}};
}

Json json_of(const diff::DiffRow& row) {
    Json ranges = Json::array();
    for (const Difference& d : row.differences)
        ranges.push_back({{"first", hex(d.first, *row.conversion.from)},
                          {"last", hex(d.last, *row.conversion.from)},
                          {"a", hex(d.got, *row.conversion.to)},
                          {"b", hex(d.expected.codes.front(), *row.conversion.to)}});
    return {{"conversion", to_string(row.conversion)},
            {"result", word(row)},
            {"reason", row.reason},
            {"sample", row.sample},
            {"compared", row.compared},
            {"differing", row.differing},
            {"ranges", ranges}};
}

Json json_of(const observe::BackendInfo& info) {
    return {
        {"name", info.name}, {"version", info.version}, {"description", info.description}, {"build_id", info.build_id}};
}

std::string json_text(const diff::Diff& result, const observe::BackendInfo& a, const observe::BackendInfo& b,
                      const diff::DiffOptions& options) {
    Json rows = Json::array();
    for (const diff::DiffRow& row : result.rows) rows.push_back(json_of(row));
    Json operations = Json::array();
    for (const diff::OperationDiff& row : result.operations) operations.push_back(json_of(row));
    const Json json{{"schema", "mxcert-diff-1"},
                    {"tool", {{"name", "mxcert"}, {"version", print::tool_version}}},
                    {"a", json_of(a)},
                    {"b", json_of(b)},
                    {"seed", options.seed},
                    {"level", to_string(options.level)},
                    {"exit_code", diff::exit_code(result)},
                    {"only_a", result.only_a},
                    {"only_b", result.only_b},
                    {"rows", rows},
                    {"operations", operations}};
    constexpr int indent = 2;
    return json.dump(indent, ' ', false, Json::error_handler_t::replace) + "\n";
}

void print_list(std::FILE* stream, const std::string& who, const std::vector<std::string>& ids) {
    if (ids.empty()) return;
    fmt::print(stream, "Only {} offers ({}):\n", print::printable(who), ids.size());
    for (const std::string& id : ids) fmt::print(stream, "  {}\n", id);
}

std::string verdict(const diff::Diff& result, const std::string& a, const std::string& b, const LevelOf& level) {
    const auto number = [&](Status status) {
        const auto has = [&](const auto& row) { return row.status == status; };
        return std::count_if(result.rows.begin(), result.rows.end(), has) +
               std::count_if(result.operations.begin(), result.operations.end(), has);
    };
    const auto same = number(Status::pass);
    const auto different = number(Status::fail);
    const auto others = static_cast<std::ptrdiff_t>(result.rows.size() + result.operations.size()) - same - different;
    if (result.rows.empty() && result.operations.empty())
        return fmt::format("{} and {} have nothing in common\n", a, b);
    return fmt::format("{} and {}, at level {}: {} same, {} different, {} not compared\n", a, b, to_string(level), same,
                       different, others);
}

int diff_command(Options options) {
    const observe::BackendSpec spec_a = observe::resolve_backend(options.a);
    const observe::BackendSpec spec_b = observe::resolve_backend(options.b);
    const bool to_stdout = options.json == "-";
    std::optional<files::OutputFile> file;
    if (!options.json.empty() && !to_stdout) file.emplace(options.json);
    std::optional<files::OutputFile> html = html_file(options.html);
    std::FILE* people = to_stdout ? stderr : stdout;
    const bool color = print::use_color(print::parse_color_mode(options.run.color), people);

    Running a(spec_a, options.run);
    Running b(spec_b, options.run);
    if (!a.report_start() || !b.report_start()) return exit_unfinished;
    options.diff.seed = options.run.seed;
    // Of two records what both were asked.
    options.diff.level = std::min(a.level(), b.level(), [](const LevelOf& item, const LevelOf& other_level) {
        return item.level < other_level.level;
    });
    options.diff.stop = &a.stop();
    options.diff.started = [&](bool second, const std::string& name, std::uint64_t inputs) {
        a.progress().finish();
        b.progress().finish();
        (second ? a : b).progress().clear();
        (second ? b : a).progress().start((second ? options.b : options.a) + ": " + name, inputs);
    };
    const auto show = [&](const auto& row) {
        a.progress().finish();
        b.progress().finish();
        a.progress().clear();
        b.progress().clear();
        if (options.run.quiet && row.status == Status::pass) return;
        fmt::print(people, "{}", row_text(row, options, color));
        std::fflush(people);
    };
    options.diff.compared = show;
    options.diff.row_compared = show;
    observe::BackendInfo offered = a.subject()->info();
    offered.name = options.a + " or " + options.b;
    offered.conversions.insert(offered.conversions.end(), b.subject()->info().conversions.begin(),
                               b.subject()->info().conversions.end());
    offered.operations.insert(offered.operations.end(), b.subject()->info().operations.begin(),
                              b.subject()->info().operations.end());
    tell_unmatched("--filter", options.diff.filters, offered);
    const diff::Diff result = diff::diff(*a.subject(), *b.subject(), options.diff);
    print_list(people, options.a, result.only_a);
    print_list(people, options.b, result.only_b);
    const std::string sentence =
        verdict(result, print::printable(options.a), print::printable(options.b), options.diff.level);
    fmt::print(people, "{}", sentence);
    const std::string json = json_text(result, a.subject()->info(), b.subject()->info(), options.diff);
    if (to_stdout) fmt::print("{}", json);
    if (file) file->write(json);
    if (html)
        html->write(html::diff_page(result, {options.a, a.subject()->info()}, {options.b, b.subject()->info()},
                                    options.diff, sentence, options.max_failures));
    return diff::exit_code(result);
}

constexpr const char* footer =
    R"(A and B are BACKENDs as for certify: names, plugins, programs, or records. A range shows its first input and the answers of A
and B there; a run of an operation shows the first different value.

Exit codes: 0 the same for everything that both offer; 1 different; 2 usage or file error; 3 something could not be
compared; 4 nothing in common.

Examples:
  mxcert diff cuda13/ ./my_kernel.so
  mxcert diff old.so new.so --filter 'fp32-*' --json diff.json
  mxcert diff old.so new.so --filter 'quantize-*/blocks')";

void add_diff_command(CLI::App& app, Exit& exit) {
    auto options = std::make_shared<Options>();
    CLI::App* command =
        app.add_subcommand("diff", "Find the exact input ranges on which two backends or records differ");
    command->add_option("A", options->a, "The first")->required();
    command->add_option("B", options->b, "The second")->required();
    globs(command->add_option("--filter", options->diff.filters,
                              "Only conversions and rows of operations that match, repeatable"));
    add_samples_option(*command, options->diff.samples_per_step);
    command->add_option("--max-failures", options->max_failures, "Ranges to print for each conversion")
        ->capture_default_str();
    add_json_option(*command, options->json);
    add_html_option(*command, options->html);
    add_level_options(*command, options->run, false);
    add_backend_options(*command, options->run);
    command->footer(footer);
    command->callback([options, &exit] { exit.code = diff_command(*options); });
}

const Command registered{Group::test, "diff", add_diff_command};

} // namespace
} // namespace mxcert::cli::diff_command
