// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "conformance/cli/commands.hpp"
#include "reference/base/near_names.hpp"

namespace mxcert::cli::help_command {
namespace {

/// The command within another. Throws std::invalid_argument with the nearest names.
const CLI::App& command_named(const CLI::App& app, const std::string& name) {
    std::vector<std::string> names;
    for (const CLI::App* command : app.get_subcommands({})) {
        if (command->get_name() == name) return *command;
        names.push_back(command->get_name());
    }
    if (names.empty()) throw std::invalid_argument(fmt::format("{} has no commands of its own", app.get_name()));
    throw std::invalid_argument(
        unknown_name("command", name, std::vector<std::string_view>(names.begin(), names.end())));
}

void print_help(const CLI::App& app, const std::vector<std::string>& names) {
    const CLI::App* command = &app;
    std::string path;
    for (const std::string& name : names) {
        path += (path.empty() ? "" : " ") + command->get_name();
        command = &command_named(*command, name);
    }
    // Of the program itself the help would be that of the command that was chosen, which is this one.
    fmt::print("{}", names.empty() ? app.get_formatter()->make_help(&app, app.get_name(), CLI::AppFormatMode::Normal)
                                   : command->help(path));
}

void add_help_command(CLI::App& app, Exit& /*exit*/) {
    auto names = std::make_shared<std::vector<std::string>>();
    CLI::App* command = app.add_subcommand("help", "Explain a command, as COMMAND --help does");
    command->add_option("COMMAND", *names, "The command; without it all are listed");
    command->footer("Examples:\n"
                    "  mxcert help certify\n"
                    "  mxcert help vectors export");
    command->callback([&app, names] { print_help(app, *names); });
}

const Command registered{Group::set_up, "help", add_help_command};

} // namespace
} // namespace mxcert::cli::help_command
