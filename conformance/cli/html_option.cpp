// SPDX-License-Identifier: Apache-2.0
#include "conformance/cli/html_option.hpp"

namespace mxcert::cli {

CLI::Option* add_html_option(CLI::App& command, std::string& path) {
    return command.add_option("--html", path, "Write the report as one HTML file for a browser")->type_name("FILE");
}

std::optional<files::OutputFile> html_file(const std::string& path) {
    if (path.empty()) return std::nullopt;
    return std::optional<files::OutputFile>(std::in_place, path);
}

} // namespace mxcert::cli
