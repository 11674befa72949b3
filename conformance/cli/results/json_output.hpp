// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>

#include <cstdio>
#include <functional>
#include <optional>
#include <string>

#include <nlohmann/json.hpp>

#include "conformance/files/output_file.hpp"

namespace mxcert::cli {

/// Adds `--json FILE`, as every command has it whose result is for programs too.
CLI::Option* add_json_option(CLI::App& command, std::string& file);

/// What --json names, for a command that prints while it runs. Throws std::runtime_error at once if the file cannot be
/// written.
class JsonOutput {
  public:
    explicit JsonOutput(const std::string& file);
    /// Where the text for people goes: standard output, unless the JSON takes it.
    [[nodiscard]] std::FILE* people() const { return is_stdout_ ? stderr : stdout; }
    /// Writes the document, if one was asked for.
    void write(const std::function<nlohmann::ordered_json()>& json);

  private:
    bool is_stdout_;
    std::optional<files::OutputFile> file_;
};

/// Prints the result of a command that looks something up: the text, on a terminal broken to its width, or the JSON
/// where --json is "-". Another FILE gets the JSON beside. Throws std::runtime_error if it cannot be written.
void print_result(const std::string& json_file, const std::function<std::string()>& text,
                  const std::function<nlohmann::ordered_json()>& json);

} // namespace mxcert::cli
