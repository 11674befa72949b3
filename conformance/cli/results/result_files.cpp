// SPDX-License-Identifier: Apache-2.0
#include "conformance/cli/results/result_files.hpp"

#include <cstdlib>
#include <filesystem>
#include <stdexcept>

#include <fmt/format.h>

#include "conformance/ci/ci.hpp"
#include "conformance/cli/html_option.hpp"
#include "conformance/evidence/statement.hpp"
#include "conformance/files/date.hpp"
#include "conformance/print/text.hpp"

namespace mxcert::cli {
namespace {

/// What an environment variable holds; "" if there is none.
std::string environment(const char* name) {
    const char* value = std::getenv(name); // NOLINT(concurrency-mt-unsafe): nothing sets variables
    return value == nullptr ? "" : value;
}

bool is_github() { return environment("GITHUB_ACTIONS") == "true"; }

// The steps of a job append to one file. Nobody asked for it, so a run does not end for it.
void append_to_step_summary(const std::string& text) {
    const std::string path = environment("GITHUB_STEP_SUMMARY");
    if (path.empty()) return;
    std::FILE* file = std::fopen(path.c_str(), "a");
    const bool is_written = file != nullptr && std::fputs(text.c_str(), file) >= 0;
    const bool is_closed = file != nullptr && std::fclose(file) == 0;
    if (!is_written || !is_closed)
        fmt::print(stderr, "mxcert: cannot write to $GITHUB_STEP_SUMMARY, '{}'\n", print::printable(path));
}

} // namespace

void add_result_options(CLI::App& command, ResultOptions& options, const std::string& in_folder) {
    const auto add = [&](const char* name, std::string& value, const std::string& what, const char* type = "FILE") {
        command.add_option(name, value, what)->type_name(type);
    };
    add("--json", options.json, "Write the result as JSON; - is standard output");
    add("--junit", options.junit, "Write the result as JUnit XML; - is standard output");
    add("-o,--report", options.report, "Write " + in_folder, "DIR");
    add("--summary", options.summary,
        "Write a summary in Markdown; - is standard output. Default under GitHub Actions: the summary of the step");
    add("--sarif", options.sarif, "Write findings as SARIF 2.1.0; - is standard output");
    add("--code-quality", options.code_quality, "Write findings as GitLab's code quality report; - is standard output");
    add("--ocptv", options.ocptv, "Write OCP Test & Validation output, JSON lines; - is standard output");
    add("--source", options.source, "The source file where findings are shown. Default: BACKEND");
    add_html_option(command, options.html);
}

ResultFiles::ResultFiles(const ResultOptions& options, const std::vector<std::string>& in_folder)
    : source_(options.source), has_summary_(!options.summary.empty()) {
    open(options.json, [this](const report::Results&) { return json_; });
    open(options.junit, report::junit_xml);
    open(options.summary, ci::summary_markdown);
    open(options.sarif, ci::sarif_json);
    open(options.code_quality, ci::code_quality_json);
    open(options.ocptv, [](const report::Results& results) { return ci::ocptv_lines(results, files::utc_now()); });
    if (std::optional<files::OutputFile> html = html_file(options.html)) pages_.push_back(std::move(*html));
    if (options.report.empty()) return;
    const std::filesystem::path folder = options.report;
    files::make_folder(folder);
    pages_.emplace_back(folder / "report.html");
    for (const std::string& name : in_folder) in_folder_.emplace_back(name, folder / name);
    // Not every run has these: those of an earlier one must not stay.
    for (const char* name : {"certificate.json", evidence::statement_file}) {
        std::error_code error;
        std::filesystem::remove(folder / name, error);
        if (error)
            throw std::runtime_error(fmt::format("cannot remove '{}': {}", (folder / name).string(), error.message()));
    }
}

void ResultFiles::open(const std::string& path, std::function<std::string(const report::Results&)> text) {
    if (path.empty()) return;
    Output& output = outputs_.emplace_back();
    output.text = std::move(text);
    if (path != "-") {
        output.file.emplace(path);
        return;
    }
    if (takes_stdout_) throw std::invalid_argument("only one output can be -: standard output takes one of them");
    takes_stdout_ = true;
}

void ResultFiles::write(report::Results results, const std::string& json, const std::function<std::string()>& page,
                        const std::vector<std::pair<std::string, std::string>>& in_folder) {
    results.source = source_;
    json_ = json;
    if (is_github()) {
        fmt::print(people(), "{}", ci::github_annotations(results));
        if (!has_summary_) append_to_step_summary(ci::summary_markdown(results));
    }
    if (!pages_.empty()) {
        const std::string text = page();
        for (files::OutputFile& file : pages_) file.write(text);
    }
    for (Output& output : outputs_) {
        const std::string text = output.text(results);
        if (output.file)
            output.file->write(text);
        else
            fmt::print("{}", text);
    }
    for (const auto& [name, text] : in_folder)
        for (auto& [opened, file] : in_folder_)
            if (opened == name) file.write(text);
}

} // namespace mxcert::cli
