#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks the rules of CONTRIBUTING.md that a script can see: where includes point, the licence line, the length of a file.

Usage: check_tree.py ROOT. Prints a line for each broken rule; exits with 1 if there is one, with 2 if nothing was checked.
"""

import pathlib
import re
import sys

SUFFIXES = {".cpp", ".hpp", ".c", ".h", ".inc"}
MAX_LINES = 500
INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.MULTILINE)
LICENCE = "SPDX-License-Identifier: Apache-2.0"

# What the files of a folder may include, by the start of the path. The first row that fits a file holds, so the narrow rows
# stand first. Each says why, because a broken rule is otherwise "fixed" by adding a row.
RULES = [
    ("conformance/backends/", ("conformance/backend.h", "conformance/backends/"),
     "an implementation under test that shares code with the models would agree with their faults"),
    ("conformance/worker/", ("conformance/backend.h", "conformance/frames.hpp", "conformance/words.hpp", "conformance/worker/", "reference/format.hpp"),
     "the worker knows how wide the formats are, and nothing of the right answers"),
    ("conformance/", ("conformance/", "vectors/", "reference/"), "conformance is the topmost room"),
    ("vectors/", ("vectors/", "reference/"), "vectors know nothing of backends"),
    ("reference/exact/", ("reference/",), "the reference knows nothing of files or backends"),
    ("reference/convert/", ("reference/",), "the reference knows nothing of files or backends"),
    ("reference/", ("reference/",), "the reference knows nothing of files or backends"),
    ("fuzz/", ("fuzz/", "conformance/", "vectors/", "reference/"), "fuzzing sees every room"),
]
# The two models check each other only as long as neither is made of the other. Their tests bring them together.
APART = [("reference/exact/", "reference/convert/"), ("reference/convert/", "reference/exact/")]
ROOMS = ("reference/", "vectors/", "conformance/", "fuzz/")


def resolve(root, source, target):
    """The included path from the root: project includes are written from there, or from the file's own folder."""
    if target.startswith(ROOMS):
        return target
    beside = (root / source).parent / target
    if beside.is_file():
        return beside.resolve().relative_to(root.resolve()).as_posix()
    return None


def check_includes(root, source, text):
    allowed, reason = next((row[1:] for row in RULES if source.startswith(row[0])), ((), ""))
    for match in INCLUDE.finditer(text):
        target = resolve(root, source, match.group(1))
        if target is None:
            continue  # of another project, or of cmake/
        line = text.count("\n", 0, match.start(1)) + 1
        if not target.startswith(tuple(allowed)):
            yield f"{source}:{line}: must not include {target}: {reason}"
        for one, other in APART:
            if source.startswith(one) and target.startswith(other) and "/test/" not in source:
                yield f"{source}:{line}: must not include {target}: the two models share no code"


def check_file(root, path):
    source = path.relative_to(root).as_posix()
    text = path.read_text(encoding="utf-8")
    lines = text.split("\n")
    if LICENCE not in lines[0]:
        yield f"{source}:1: the first line must name the licence: {LICENCE}"
    if path.suffix == ".hpp" and "#pragma once" not in lines[:3]:
        yield f"{source}:1: no #pragma once in the first three lines"
    if len(lines) - 1 > MAX_LINES:
        yield f"{source}: {len(lines) - 1} lines: more than {MAX_LINES}, it does more than one thing"
    yield from check_includes(root, source, text)


def main(arguments):
    if len(arguments) != 2:
        print(__doc__.strip(), file=sys.stderr)
        return 2
    root = pathlib.Path(arguments[1])
    paths = sorted(path for room in ROOMS for path in (root / room).rglob("*")
                   if path.suffix in SUFFIXES and path.is_file())
    if not paths:
        print("check_tree: no source files", file=sys.stderr)
        return 2
    broken = [problem for path in paths for problem in check_file(root, path)]
    for problem in broken:
        print(problem)
    print(f"check_tree: {len(paths)} files, {len(broken)} broken rules", file=sys.stderr)
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
