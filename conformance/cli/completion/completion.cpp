// SPDX-License-Identifier: Apache-2.0
// mxcert completion SHELL: the script that completes what this program takes, from the commands it has.
#include <array>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "conformance/cli/commands.hpp"
#include "conformance/cli/completion/completion_tree.hpp"

namespace mxcert::cli::completion_command {
namespace {

using Script = std::string (*)(const CompletionTree& tree);
constexpr std::array<std::pair<const char*, Script>, 3> shells{
    {{"bash", bash_script}, {"zsh", zsh_script}, {"fish", fish_script}}};

void add_completion_command(CLI::App& app, Exit& /*exit*/) {
    auto shell = std::make_shared<std::string>();
    CLI::App* command = app.add_subcommand("completion", "Print the completion script of a shell");
    std::vector<std::string> names;
    for (const auto& [name, script] : shells) names.emplace_back(name);
    command->add_option("SHELL", *shell, "bash, zsh or fish")->required()->check(CLI::IsMember(names));
    command->footer("Examples:\n"
                    "  source <(mxcert completion bash)\n"
                    "  mxcert completion bash > ~/.local/share/bash-completion/completions/mxcert\n"
                    "  mxcert completion zsh > \"${fpath[1]}/_mxcert\"\n"
                    "  mxcert completion fish > ~/.config/fish/completions/mxcert.fish");
    command->callback([&app, shell] { // the option writes to it
        for (const auto& [name, script] : shells)
            if (*shell == name) fmt::print("{}", script(completion_tree(app)));
    });
}

const Command registered{Group::set_up, "completion", add_completion_command};

} // namespace
} // namespace mxcert::cli::completion_command
