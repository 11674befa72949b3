# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Run the commands that the documents show and compare what they print
#
# Usage: ./dev docs [--update] [FILE...]
#
# Runs `$ mxcert ...`, `$ ./dev mxcert ...`, `$ pytest ...` and `$ python ...` in the blocks of the README and docs/*.md that are
# marked `console`. A block marked `python` whose first line is `# NAME.py` is a file for them.
#
#   --update   write what the commands print into the documents
#   FILE       these documents only
#
# In a block a line `...` stands for any lines, `...` inside a line for any text, and a last line `[exit N]` says that the
# command ends with N. A block marked `console needs=NAME` is left out, and counted, where there is no backend NAME and no module
# NAME of Python.

main() {
    build_tool
    exec python3 "$root/dev.d/check_docs.py" "$root" "$@"
}
