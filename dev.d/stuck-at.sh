# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Measure which stuck-at faults of a design the small suites detect
#
# Usage: ./dev stuck-at [--conversion CONVERSION] [--inputs FILE] [--write]
#
# Makes the designs of docs/examples/rtl into gates by yosys, plants every single stuck-at fault, and counts those that the inputs of a
# suite detect. A fault that no suite detects is decided by the solver Bitwuzla: no input shows it, or one that is printed
# (docs/rtl.md, "Stuck-at faults").
#
#   --conversion NAME   the design of this conversion alone
#   --inputs FILE       these inputs, hexadecimal words, in place of the suites; every fault that they miss is listed
#   --write             write docs/results/stuck_at.json, .md and the folder stuck_at
#
# Needs yosys; the solver comes from PyPI into build/prove_c.
#
# Exit codes: 0 every testable fault is detected; 1 a suite misses one; 2 usage; 3 it could not be measured.

source "$root/dev.d/solver.sh"

main() {
    build_tool
    ensure_packages yosys
    run_with_solver "$root/dev.d/stuck_at/stuck_at.py" "$@"
}
