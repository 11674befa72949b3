# SPDX-License-Identifier: Apache-2.0
"""Whether a few mutants pass: quick enough for every run of the tests, so without comparisons on all inputs."""

import sys


def gate(report, totals):
    """Says how many mutants escape, and gives the exit code."""
    escaped = list(report.lines())
    for line in escaped:
        print("escaped: " + line)
    if totals["wrong"] == 0:
        print("mutants: no wrong mutant was scored", file=sys.stderr)
        return 2
    undecided = totals["chosen"] - totals["done"]
    print(f"{len(escaped):,} of {totals['wrong']:,} wrong mutants escape a level; {totals['chosen']:,} mutants were asked, "
          f"{undecided:,} of them differ nowhere that was compared")
    return 1 if escaped else 0
