# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Prove the golden tables with Coq: right for every input and selection
#
# Usage: ./dev prove [--write | --planted | --check | --list] [--jobs N] [NAME...]
#
# Installs Coq and Flocq (Debian's coq and libcoq-flocq), compiles the definitions and proofs of vectors/proof, and runs the proven
# checker on every golden file, or on those of these names (`*-e4m3.csv`). A line for each says PROVEN, UNPROVEN with the reason, or
# WRONG with the row. docs/proof.md says what is proven and what is trusted.
#
#   --write     write vectors/proof/results.json, which says which files are proven, and assumptions.txt
#   --planted   the checker must reject a hundred edits of golden files
#   --check     compare results.json with the golden files and sources of today; needs no Coq
#   --list      print results.json
#   --jobs N    how many files at a time; as many as there are processors
#
# It is not `mxcert prove`, which proves that a hardware design gives what a table permits (docs/rtl.md).

main() {
    case " $* " in
        *" --check "* | *" --list "*) ;;
        *) ensure_packages coq libcoq-flocq python3 ;;
    esac
    exec python3 -B "$root/vectors/proof/prove.py" "$@"
}
