// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include <CLI/CLI.hpp>

#include "conformance/files/output_file.hpp"

// `--html FILE`, the same for every command that has it.
namespace mxcert::cli {

/// Adds the option.
CLI::Option* add_html_option(CLI::App& command, std::string& path);

/// The file, opened before the run so that a wrong path shows at once; none if the option was not given. Throws
/// std::runtime_error that names it.
[[nodiscard]] std::optional<files::OutputFile> html_file(const std::string& path);

} // namespace mxcert::cli
