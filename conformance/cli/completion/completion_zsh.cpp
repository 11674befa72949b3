// SPDX-License-Identifier: Apache-2.0
#include "conformance/cli/completion/completion_patterns.hpp"
#include "conformance/cli/completion/completion_tree.hpp"

namespace mxcert::cli {
namespace {

constexpr const char* zsh_text = R"(#compdef mxcert
# Zsh completion of mxcert {version}, written by `mxcert completion zsh`.
_mxcert() {{
    local word current=${{words[CURRENT]}} command='' option='' place=0
    for word in "${{(@)words[2,CURRENT-1]}}"; do
{words}
    done
    local target="$command $place"
    if [[ -n $option ]]; then
        target="$command $option"
    elif [[ $current == --*=* ]]; then
        target="$command ${{current%%=*}}"
        compset -P 1 '*='
    elif [[ $current == -* ]]; then
        target="$command -"
    fi
    local candidates='' files=''
    case $target in
{values}
    esac
    if [[ -n $candidates ]]; then compadd -- ${{=candidates}}; fi
    # _files would offer every file where nothing else matches.
    case $files in
        all) _files ;;
        backends)
            _path_files -g '*.so *.so.* *(-*)'
            _path_files -/
            ;;
        folders) _path_files -/ ;;
    esac
}}
# Loaded by name it is called at once; read by `source` it is registered.
if [[ ${{funcstack[1]}} == _mxcert ]]; then
    _mxcert "$@"
else
    compdef _mxcert mxcert
fi
)";

} // namespace

std::string zsh_script(const CompletionTree& tree) { return case_script(zsh_text, tree); }

} // namespace mxcert::cli
