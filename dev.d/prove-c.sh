# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Prove that C functions of conversions are right for every input
#
# Usage: ./dev prove-c [--filter GLOB] [--timeout SECONDS] [--write]
#        ./dev prove-c --source FILE --function NAME --conversion CONVERSION [--timeout SECONDS]
#        ./dev prove-c --edits [--timeout SECONDS] [--write]
#        ./dev prove-c --instructions [--timeout SECONDS]
#
# Reads the functions of the backends `portable` and `kernels`, or one of yours, from Clang's intermediate language, and asks the solver
# Bitwuzla for an input whose code the permit table does not permit (docs/c-proofs.md).
#
#   --filter GLOB        these alone: `portable:fp64-*`
#   --source FILE        a C file with a function of one value, as `uint8_t NAME(float x)`; with a given scale `uint8_t NAME(float x,
#                        uint8_t scale)`. FP16 and BF16 are uint16_t
#   --conversion NAME    what the function does, as `fp32-e4m3-nearest_even-sat`
#   --edits              plant mistakes in the backends (dev.d/prove_c/edits.toml), which must be found
#   --instructions       compare each instruction that is translated with the solver and the C compiler
#   --timeout SECONDS    of the solver for each question; 300 if it is not given
#   --write              store the verdicts in docs/results/proofs_of_c.json and .md; what is stored and up to date is not asked again
#
# Needs clang-14 (Debian); the solver and the reader of the language come from PyPI into build/prove_c.
#
# Exit codes: 0 all are proven, or each edit was found; 1 one is wrong; 2 usage; 3 one is unproven, none wrong.

source "$root/dev.d/solver.sh"

main() {
    build_tool
    ensure_packages clang-14
    run_with_solver "$root/dev.d/prove_c/prove_c.py" "$@"
}
