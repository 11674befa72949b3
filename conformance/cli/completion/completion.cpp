// SPDX-License-Identifier: Apache-2.0
// mxcert completion SHELL: the script that completes what this program takes, from the commands it has.
#include <algorithm>
#include <map>
#include <memory>
#include <stdexcept>

#include <fmt/format.h>

#include "conformance/cli/commands.hpp"
#include "conformance/cli/completion_values.hpp"
#include "conformance/print/version.hpp"

namespace mxcert::cli::completion_command {
namespace {

using Names = std::vector<std::string>;

// The script walks over the words before the cursor and keeps the command, the option that waits for a value, and the
// number of positional arguments. `case` patterns made from the program's own tree tell one from the other.
constexpr const char* script = R"(# Bash completion of mxcert {version}, written by `mxcert completion bash`.
_mxcert() {{
    local words=() word i raw=${{COMP_WORDS[COMP_CWORD]}}
    # Readline cuts words at = and :
    for ((i = 0; i <= COMP_CWORD; i++)); do
        word=${{COMP_WORDS[i]}}
        if [[ ${{#words[@]}} -gt 1 && ( $word == [=:]* || ${{words[-1]}} == *[=:] ) ]]; then
            words[-1]+=$word
        else
            words+=("$word")
        fi
    done
    local current=${{words[-1]}} command='' option='' place=0
    for word in "${{words[@]:1:${{#words[@]}}-2}}"; do
        if [[ -n $option ]]; then
            option=
            continue
        fi
        case "$command $word" in
{commands}
{options}
            *' '-?*) ;;
            *) ((place += 1)) ;;
        esac
    done
    local target="$command $place" prefix=
    if [[ -n $option ]]; then
        target="$command $option"
    elif [[ $current == --*=* ]]; then
        prefix=${{current%%=*}}=
        target="$command ${{prefix%=}}"
    elif [[ $current == -* ]]; then
        target="$command -"
    fi
    local candidates='' files=''
    case $target in
{values}
    esac
    COMPREPLY=()
    local value=${{current#"$prefix"}} replies=()
    while IFS= read -r word; do replies+=("$word"); done < <(compgen -W "$candidates" -- "$value")
    if [[ -n $files ]]; then
        compopt -o filenames 2> /dev/null
        while IFS= read -r word; do
            case $files in
                folders) [[ -d $word ]] || continue ;;
                backends) [[ -x $word || $word == *.so || $word == *.so.* ]] || continue ;;
            esac
            replies+=("$word")
        done < <(compgen -f -- "$value")
    fi
    # Readline replaces what stands behind its last cut only.
    if [[ $raw == [=:] ]]; then raw=; fi
    local fixed=${{current%"$raw"}}
    for word in "${{replies[@]}}"; do
        word=$prefix$word
        COMPREPLY+=("${{word#"$fixed"}}")
    done
}}
complete -F _mxcert mxcert
)";

bool takes_value(const CLI::Option& option) { return option.get_items_expected_max() != 0; }

Names option_names(const CLI::Option& option) {
    Names names;
    for (const std::string& name : option.get_lnames()) names.push_back("--" + name);
    for (const std::string& name : option.get_snames()) names.push_back("-" + name);
    return names;
}

std::string quoted(const std::string& text) { return "'" + text + "'"; }

const char* word_of(CompletionValues::Files files) {
    constexpr const char* words[] = {"", "all", "backends", "folders"};
    return words[static_cast<std::size_t>(files)];
}

class Script {
  public:
    explicit Script(const CLI::App& app) { walk(app, ""); }

    [[nodiscard]] std::string text() const {
        std::string arms;
        for (const auto& [offer, targets] : offers_)
            arms += fmt::format("        {})\n{}{} ;;\n", fmt::join(targets, " | "),
                                offer.first.empty() ? "" : "            candidates='" + offer.first + "'\n",
                                offer.second.empty() ? "           " : "            files=" + offer.second);
        arms.pop_back();
        return fmt::format(
            fmt::runtime(script), fmt::arg("version", print::tool_version),
            fmt::arg("commands", fmt::format("            {}) command+=${{command:+ }}$word place=0 ;;",
                                             fmt::join(commands_, " | "))),
            fmt::arg("options", fmt::format("            {}) option=$word ;;", fmt::join(options_, " | "))),
            fmt::arg("values", arms));
    }

  private:
    void walk(const CLI::App& app, const std::string& path) {
        Names names;
        int place = 0;
        for (const CLI::Option* option : app.get_options()) {
            const Names own = option_names(*option);
            names.insert(names.end(), own.begin(), own.end());
            const CompletionValues values = completion_values(app, *option);
            if (option->get_positional()) {
                const bool many = option->get_items_expected_max() >= CLI::detail::expected_max_vector_size;
                offer(values, many ? quoted(path + " ") + "*[0-9]" : quoted(fmt::format("{} {}", path, place++)));
            } else if (takes_value(*option)) {
                for (const std::string& name : own) {
                    options_.push_back(quoted(path + " " + name));
                    offer(values, options_.back());
                }
            }
        }
        offer({names, CompletionValues::Files::none}, quoted(path + " -"));
        Names commands;
        for (const CLI::App* command : app.get_subcommands({})) {
            commands.push_back(command->get_name());
            commands_.push_back(quoted(path + " " + command->get_name()));
            walk(*command, path + (path.empty() ? "" : " ") + command->get_name());
        }
        if (!commands.empty()) offer({commands, CompletionValues::Files::none}, quoted(path + " 0"));
    }

    void offer(const CompletionValues& values, const std::string& target) {
        for (const std::string& word : values.words)
            if (!std::all_of(word.begin(), word.end(), [](unsigned char c) {
                    return std::string_view("_-.=+").find(static_cast<char>(c)) != std::string_view::npos ||
                           (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
                }))
                throw std::logic_error("a shell would not take this as a word: " + word);
        if (values.words.empty() && values.files == CompletionValues::Files::none) return;
        offers_[{fmt::format("{}", fmt::join(values.words, " ")), word_of(values.files)}].push_back(target);
    }

    Names commands_; ///< patterns of "$command $word" where word is a command
    Names options_;  ///< ... where it is an option that takes a value
    std::map<std::pair<std::string, std::string>, Names> offers_; ///< words and files, and the targets they are for
};

void add_completion_command(CLI::App& app, Exit& /*exit*/) {
    auto shell = std::make_shared<std::string>();
    CLI::App* command = app.add_subcommand("completion", "Print the script with which a shell completes mxcert");
    command->add_option("SHELL", *shell, "bash")->required()->check(CLI::IsMember({"bash"}));
    command->footer("Examples:\n"
                    "  source <(mxcert completion bash)\n"
                    "  mxcert completion bash > ~/.local/share/bash-completion/completions/mxcert");
    command->callback([&app, shell] { fmt::print("{}", Script(app).text()); }); // the option writes to it
}

const Command registered{Group::set_up, "completion", add_completion_command};

} // namespace
} // namespace mxcert::cli::completion_command
