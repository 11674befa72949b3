# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Run the commands that the documents show, or build the site and the API
#
# Usage: ./dev docs [--update] [FILE...]
#        ./dev docs --site [DIR]
#        ./dev docs --api [DIR]
#
# Runs `$ mxcert ...`, `$ ./dev mxcert ...`, `$ pytest ...`, `$ python ...`, `$ cc ...`, `$ c++ ...`, `$ verilator ...` and
# `$ ghdl ...`, after variables if there are any, in the blocks of the README and docs/*.md that are marked `console`. A block
# marked `python` whose first line is `# NAME.py` is a file for them, and so is one marked `c` or `cpp` whose first line begins
# with the comment `/* NAME.c:` or `// NAME.cpp:`.
#
#   --update   write what the commands print into the documents
#   FILE       these documents only
#   --site     build the site of the documents (mkdocs.yml) into DIR, build/site, with the API in it: no page of it needs a network, and
#              a link that leads nowhere fails
#   --api      write the reference of the public headers (dev.d/docs/Doxyfile) into DIR, build/api; a warning fails
#
# In a block a line `...` stands for any lines, `...` inside a line for any text, and a last line `[exit N]` says that the
# command ends with N. A block marked `console needs=NAME` is left out, and counted, where there is no backend NAME, no program NAME
# (cc, c++, verilator, ghdl, iverilog) and no module NAME of Python.

# build_api DIR: the HTML of Doxygen.
build_api() {
    ensure_packages doxygen
    local output
    output=$(mktemp -d)
    (cd "$root" && { cat dev.d/docs/Doxyfile; echo "OUTPUT_DIRECTORY = $output"; } | doxygen -) ||
        die "the comments of the headers have errors"
    mkdir -p "$(dirname "$1")"
    rm -rf "$1"
    mv "$output/html" "$1"
    rmdir "$output"
    say "api: $1/index.html"
}

build_site() {
    local tools=$root/build/docs-tools
    ensure_packages python3-venv
    build_api "$root/build/api"
    if [ ! -x "$tools/bin/pip" ]; then /usr/bin/python3 -m venv "$tools"; fi
    "$tools/bin/pip" install --quiet --disable-pip-version-check -r "$root/dev.d/docs/requirements.txt" ||
        die "pip could not install what builds the site"
    python3 "$root/dev.d/docs/stage.py" "$root" "$root/build/site-pages" --api "$root/build/api"
    # The warning is about the future of MkDocs, and says nothing of the pages.
    NO_MKDOCS_2_WARNING=1 "$tools/bin/mkdocs" build --quiet --strict --config-file "$root/mkdocs.yml" --site-dir "$1" ||
        die "the site was not built"
    local foreign
    foreign=$(grep -rlE --include='*.html' '<(script|img|iframe)[^>]* src="(https?:)?//|<link[^>]* href="(https?:)?//' "$1" || true)
    if [ -n "$foreign" ]; then die "pages that load from another host: $foreign"; fi
    say "site: $1/index.html"
}

main() {
    case ${1-} in
        --site | --api)
            local name=${1#--}
            if [ $# -gt 2 ]; then usage_error "unexpected argument '$3'"; fi
            "build_$name" "$(realpath -m "${2:-$root/build/$name}")"
            ;;
        *)
            build_tool conformance/test/plugins/all conformance/planted/all # some pages show what is said of wrong backends
            exec python3 "$root/dev.d/check_docs.py" "$root" "$@"
            ;;
    esac
}
