// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>

#include <functional>
#include <string>

#include <nlohmann/json.hpp>

namespace mxcert::cli {

/// Adds `--json FILE`, as every command has it whose result is for programs too.
CLI::Option* add_json_option(CLI::App& command, std::string& file);

/// Prints the result of a command that looks something up: the text, or the JSON where --json is "-". Another FILE gets
/// the JSON beside. Throws std::runtime_error if it cannot be written.
void print_result(const std::string& json_file, const std::function<std::string()>& text,
                  const std::function<nlohmann::ordered_json()>& json);

} // namespace mxcert::cli
