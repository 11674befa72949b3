#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Reads the branches of reference/ and vectors/ from LLVM's coverage, and compares those that no test takes with exceptions.toml.

Usage: branches.py ROOT --profile FILE --objects FILE... [--exceptions FILE] [--llvm SUFFIX]

Exit code: 0 every branch is taken or an exception, 1 one is neither or an exception is out of date, 2 nothing was measured.
"""

import argparse
import collections
import dataclasses
import json
import os
import pathlib
import re
import subprocess
import sys
import tomllib

HERE = pathlib.Path(__file__).resolve().parent
PARTS = ("reference", "vectors")
NOT_MEASURED = ("test", "bench", "generate")  # generate is a program, the rest of both parts is libraries
SIDES = ("true", "false")
FIELDS = {"file", "line", "side", "because", "condition"}

# A condition in the text of `llvm-cov show`. One that the compiler knows is folded: no test can choose its side.
SHOWN = re.compile(r"\|\s+Branch \((\d+):(\d+)\): \[(Folded|True)")


# Not counted, told by the line up to the condition: a comparison that the compiler writes member by member, and
# the value that no case of a switch has. One without default has a case for every enumerator (-Wswitch).
WRITTEN_BY_COMPILER = re.compile(r"= default;$")
NO_CASE = re.compile(r"\bswitch \($")


# The body of a function: a file without one has nothing to measure.
BODY = re.compile(r"\)[\w\s:<>-]*\{")


class BadInput(Exception):
    """The coverage or the list of exceptions cannot be used."""


@dataclasses.dataclass(frozen=True, order=True)
class Place:
    """A condition: its file, relative to the root, and where it begins and ends."""

    file: str
    line: int
    column: int
    end_line: int
    end_column: int


@dataclasses.dataclass(frozen=True, order=True)
class Branch:
    place: Place
    side: str


def is_measured(file):
    """Whether a file, relative to the root, belongs to a library whose branches are counted."""
    parts = pathlib.PurePath(file).parts
    return parts[0] in PARTS and not any(part in NOT_MEASURED for part in parts[1:-1])


def relative(root, name):
    """A file relative to the root, or None. ccache may have the compiler name it from the build folder: root/build/coverage/../.."""
    path = pathlib.PurePath(os.path.normpath(name))
    return str(path.relative_to(root)) if path.is_relative_to(root) else None


def read_counts(root, exported):
    """How often each side of each condition was taken, over all instances of templates: {Place: [true, false]}."""
    counts = collections.defaultdict(lambda: [0, 0])
    for data in exported["data"]:
        for function in data["functions"]:
            files = [relative(root, name) for name in function["filenames"]]
            for line, column, end_line, end_column, taken, not_taken, file, *_ in function["branches"]:
                if files[file] is not None and is_measured(files[file]):
                    sides = counts[Place(files[file], line, column, end_line, end_column)]
                    sides[0] += taken
                    sides[1] += not_taken
    return counts


def read_folded(root, shown):
    """Where the compiler knows a condition in every instance of its template: {(file, line, column)}."""
    found = {"Folded": set(), "True": set()}
    file = None
    for line in shown.splitlines():
        if line.endswith(":") and relative(root, line[:-1]) is not None:
            file = relative(root, line[:-1])
        elif match := SHOWN.search(line):
            found[match[3]].add((file, int(match[1]), int(match[2])))
    return found["Folded"] - found["True"]


def read_branches(counts, folded, sources):
    """All branches that a test can take, and those that no test takes."""
    branches, missed = [], []
    for place, taken in sorted(counts.items()):
        if not any(taken) and (place.file, place.line, place.column) in folded:
            continue
        if WRITTEN_BY_COMPILER.search(sources.line(place)) or NO_CASE.search(sources.before(place)):
            continue
        for side, count in zip(SIDES, taken, strict=True):
            branches.append(Branch(place, side))
            if count == 0:
                missed.append(branches[-1])
    return branches, missed


class Sources:
    """The lines of the files, to print branches and to find those that exceptions mean."""

    def __init__(self, root):
        self.root = pathlib.Path(root)
        self.files = {}

    def lines(self, file):
        if file not in self.files:
            self.files[file] = (self.root / file).read_text(encoding="utf-8").splitlines()
        return self.files[file]

    def line(self, place):
        return self.lines(place.file)[place.line - 1].strip()

    def before(self, place):
        return self.lines(place.file)[place.line - 1][:place.column - 1]

    def condition(self, place):
        """The text of the condition, on one line."""
        lines = self.lines(place.file)[place.line - 1:place.end_line]
        lines[-1] = lines[-1][:place.end_column - 1]
        lines[0] = lines[0][place.column - 1:]
        return " ".join(line.strip() for line in lines)


def read_exceptions(text):
    exceptions = tomllib.loads(text).get("exception", [])
    for exception in exceptions:
        unknown = exception.keys() - FIELDS
        lacking = FIELDS - {"condition"} - exception.keys()
        if unknown or lacking or not str(exception.get("because", "")).strip() or exception["side"] not in SIDES:
            raise BadInput(f"an exception needs file, line, side (true or false), because, and may have condition: {exception}")
    return exceptions


def compare(branches, missed, exceptions, sources):
    """The errors, a line each, and the number of branches that are exceptions."""
    def is_meant(exception, branch):
        return (exception["file"] == branch.place.file and exception["line"] == sources.line(branch.place)
                and exception["side"] == branch.side
                and exception.get("condition", sources.condition(branch.place)) == sources.condition(branch.place))

    excepted = set()
    wrong = []
    for exception in exceptions:
        what = f"{exception['file']}: {exception['side']}: {exception.get('condition', exception['line'])}"
        meant = [branch for branch in branches if is_meant(exception, branch)]
        open_ones = [branch for branch in meant if branch in missed]
        if not meant:
            wrong.append(f"exception without a branch: {what}")
        elif not open_ones:
            wrong.append(f"exception that a test takes now: {what}")
        elif len(meant) > 1:
            wrong.append(f"exception of {len(meant)} branches, name its condition: {what}")
        elif open_ones[0] in excepted:
            wrong.append(f"exception listed twice: {what}")
        else:
            excepted.add(open_ones[0])
    for branch in missed:
        if branch not in excepted:
            place = branch.place
            wrong.append(f"{place.file}:{place.line}:{place.column} {branch.side} is never taken: {sources.line(place)}"
                         f"\n    condition: {sources.condition(place)}")
    return wrong, len(excepted)


def unmeasured(root, exported):
    """Sources of the libraries of which no object has a function: nothing would say that their branches are not taken."""
    seen = set()
    for data in exported["data"]:
        for function in data["functions"]:
            seen.update(relative(root, name) for name in function["filenames"])
    sources = (str(path.relative_to(root)) for part in PARTS for path in sorted((pathlib.Path(root) / part).rglob("*.cpp")))
    return [file for file in sources if is_measured(file) and file not in seen
            and BODY.search((pathlib.Path(root) / file).read_text(encoding="utf-8"))]


def run(command):
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode != 0:
        raise BadInput(f"{command[0]} {command[1]} ended with {done.returncode}")
    return done.stdout


def measure(root, profile, objects, llvm):
    """The export of llvm-cov, and its text, which alone names folded conditions."""
    files = [objects[0], *(f"-object={file}" for file in objects[1:])]
    sources = [str(root / part) for part in PARTS]
    exported = run([llvm, "export", "-instr-profile", profile, *files, *sources])
    shown = run([llvm, "show", "-instr-profile", profile, "-show-branches=count", "-show-instantiations=false", *files,
                 *sources])
    return json.loads(exported), shown


def report(root, exported, shown, exceptions):
    """The lines to print, and whether all is well."""
    sources = Sources(root)
    branches, missed = read_branches(read_counts(root, exported), read_folded(root, shown), sources)
    if not branches:
        raise BadInput("no branch was measured")
    wrong, excepted = compare(branches, missed, exceptions, sources)
    wrong += [f"{file}: none of its functions was measured" for file in unmeasured(root, exported)]
    return [*wrong, f"{len(branches)} branches, {len(branches) - len(missed)} covered, {excepted} exceptions"], not wrong


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("root", type=pathlib.Path)
    parser.add_argument("--profile", required=True)
    parser.add_argument("--objects", nargs="+", required=True)
    parser.add_argument("--exceptions", type=pathlib.Path, default=HERE / "exceptions.toml")
    parser.add_argument("--llvm-cov", default="llvm-cov")
    arguments = parser.parse_args()
    try:
        root = arguments.root.resolve()
        exported, shown = measure(root, arguments.profile, arguments.objects, arguments.llvm_cov)
        lines, well = report(root, exported, shown, read_exceptions(arguments.exceptions.read_text(encoding="utf-8")))
    except (BadInput, OSError, tomllib.TOMLDecodeError) as error:
        print(f"coverage: {error}", file=sys.stderr)
        return 2
    print("\n".join(lines))
    return 0 if well else 1


if __name__ == "__main__":
    sys.exit(main())
