// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "conformance/cli/completion/completion_tree.hpp"
#include "conformance/print/version.hpp"

namespace mxcert::cli {
namespace {

constexpr const char* fish_text = R"(# Fish completion of mxcert {version}, written by `mxcert completion fish`.
function __mxcert_files
    for path in $argv[2]*
        if test -d $path
            printf '%s/\n' $path
            continue
        end
        switch $argv[1]
            case all
                printf '%s\n' $path
            case backends
                if test -x $path; or string match -q -r '\.so(\.|$)' -- $path
                    printf '%s\n' $path
                end
        end
    end
end
function __mxcert_complete
    set -l words (commandline -opc)
    set -e words[1]
    set -l current (commandline -ct)
    set -l command ''
    set -l option ''
    set -l place 0
    for word in $words
        if test -n "$option"
            set option ''
            continue
        end
        switch "$command $word"
            case {commands}
                set command (string trim -- "$command $word")
                set place 0
            case {options}
                set option $word
            case '*'
                string match -q -r '^-.' -- $word
                or set place (math $place + 1)
        end
    end
    set -l target "$command $place"
    set -l prefix ''
    if test -n "$option"
        set target "$command $option"
    else if string match -q -- '--*=*' $current
        set target "$command "(string replace -r '=.*' '' -- $current)
        set prefix (string replace -r '=.*' '=' -- $current)
    else if string match -q -- '-*' $current
        set target "$command -"
    end
    set -l candidates
    set -l files
    switch $target
{values}
    end
    set -q files[1]
    and set -a candidates (__mxcert_files $files (string sub -s (math (string length -- "$prefix") + 1) -- "$current"))
    for candidate in $candidates
        printf '%s\n' $prefix$candidate
    end
end
complete -c mxcert -f -a '(__mxcert_complete)'
)";

std::string fish_pattern(const std::string& text) { return "'" + text + "'"; }
// Fish has no class of characters.
std::string fish_pattern(const CompletionTarget& target) {
    if (!target.any_place) return fish_pattern(target.text);
    std::string patterns;
    for (const char digit : std::string_view("0123456789"))
        patterns += fmt::format("{}'{}*{}'", patterns.empty() ? "" : " ", target.text, digit);
    return patterns;
}

template <class Texts> std::string fish_patterns(const Texts& texts) {
    std::string patterns;
    for (const auto& text : texts) patterns += (patterns.empty() ? "" : " ") + fish_pattern(text);
    return patterns;
}

std::string fish_values(const CompletionTree& tree) {
    std::string arms;
    for (const CompletionOffer& offer : tree.offers) {
        arms += fmt::format("        case {}\n", fish_patterns(offer.targets));
        if (!offer.words.empty()) arms += fmt::format("            set candidates {}\n", fmt::join(offer.words, " "));
        if (offer.files != CompletionValues::Files::none)
            arms += fmt::format("            set files {}\n", word_of(offer.files));
    }
    arms.pop_back();
    return arms;
}

} // namespace

std::string fish_script(const CompletionTree& tree) {
    return fmt::format(fmt::runtime(fish_text), fmt::arg("version", print::tool_version),
                       fmt::arg("commands", fish_patterns(tree.commands)),
                       fmt::arg("options", fish_patterns(tree.options)), fmt::arg("values", fish_values(tree)));
}

} // namespace mxcert::cli
