// SPDX-License-Identifier: Apache-2.0
#include "conformance/cli/results/json_output.hpp"

#include <fmt/format.h>

#include "conformance/files/json_members.hpp"
#include "conformance/print/terminal.hpp"
#include "conformance/print/wrap.hpp"

namespace mxcert::cli {

CLI::Option* add_json_option(CLI::App& command, std::string& file) {
    return command.add_option("--json", file, "Write the result as JSON; - is standard output")->type_name("FILE");
}

JsonOutput::JsonOutput(const std::string& file) : is_stdout_(file == "-") {
    if (!file.empty() && !is_stdout_) file_.emplace(file);
}

void JsonOutput::write(const std::function<nlohmann::ordered_json()>& json) {
    if (is_stdout_) fmt::print("{}", files::json_text(json()));
    if (file_) file_->write(files::json_text(json()));
}

void print_result(const std::string& json_file, const std::function<std::string()>& text,
                  const std::function<nlohmann::ordered_json()>& json) {
    if (json_file == "-") return fmt::print("{}", files::json_text(json()));
    if (!json_file.empty()) files::OutputFile(json_file).write(files::json_text(json()));
    fmt::print("{}", print::wrapped(text(), print::width_of(stdout), "    "));
}

} // namespace mxcert::cli
