// SPDX-License-Identifier: Apache-2.0
#include "conformance/cli/completion/completion_patterns.hpp"
#include "conformance/cli/completion/completion_tree.hpp"

namespace mxcert::cli {
namespace {

// `case` patterns made from the program's own tree tell one word from the other.
constexpr const char* bash_text = R"(# Bash completion of mxcert {version}, written by `mxcert completion bash`.
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
{words}
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

} // namespace

std::string bash_script(const CompletionTree& tree) { return case_script(bash_text, tree); }

} // namespace mxcert::cli
