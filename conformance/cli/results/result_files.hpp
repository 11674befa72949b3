// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>

#include <cstdio>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "conformance/files/output_file.hpp"
#include "conformance/report/results.hpp"

namespace mxcert::cli {

/// The options that say where the results of a run go; "" where one was not given.
struct ResultOptions {
    std::string json;
    std::string junit;
    std::string report;
    std::string summary;
    std::string sarif;
    std::string code_quality;
    std::string ocptv;
    std::string source;
    std::string html;

    /// Whether the run is written as a page: to --html, or as report.html to the folder of --report.
    [[nodiscard]] bool has_page() const { return !html.empty() || !report.empty(); }
};

/// Adds them. `in_folder` lists the files that --report writes, report.html among them.
void add_result_options(CLI::App& command, ResultOptions& options, const std::string& in_folder);

/// The files a run leaves. They are opened before it, so that an error with them shows then and not after it.
class ResultFiles {
  public:
    /// `in_folder`: the names of the files in the folder of --report beside report.html. A certificate that is there is
    /// removed: it must not stand beside the report of another run. Throws std::invalid_argument where two outputs want
    /// standard output, std::runtime_error for what cannot be written.
    ResultFiles(const ResultOptions& options, const std::vector<std::string>& in_folder);

    /// Where the text for people goes: standard output, unless that is taken.
    [[nodiscard]] std::FILE* people() const { return takes_stdout_ ? stderr : stdout; }

    /// Writes every file that was asked for, and under GitHub Actions annotations to people() and the summary of the
    /// step. `json`: for --json. `page`: the HTML, called only if has_page(). `in_folder`: name and text of files for
    /// the folder of --report; those that were named before and are not here are not written. Throws
    /// std::runtime_error.
    void write(report::Results results, const std::string& json, const std::function<std::string()>& page,
               const std::vector<std::pair<std::string, std::string>>& in_folder);

  private:
    /// Opens the file of an option.
    void open(const std::string& path, std::function<std::string(const report::Results&)> text);

    struct Output {
        std::optional<files::OutputFile> file; ///< none: standard output
        std::function<std::string(const report::Results&)> text;
    };
    std::vector<Output> outputs_;
    std::vector<files::OutputFile> pages_;
    std::vector<std::pair<std::string, files::OutputFile>> in_folder_;
    std::string json_;
    std::string source_;
    bool has_summary_ = false;
    bool takes_stdout_ = false;
};

} // namespace mxcert::cli
