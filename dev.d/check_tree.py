#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks the rules of CONTRIBUTING.md that a script can see: where includes point (rooms.toml), the licence line, the length of a
file, the size of a folder, that numbers do not depend on the C library's mathematics, and that the files which documents name are
there.

Usage: check_tree.py ROOT [--write]. Prints a line for each broken rule; exits with 1 if there is one, with 2 if nothing was
checked. --write puts the table of rooms into docs/architecture.md.
"""

import collections
import pathlib
import re
import sys
import tomllib

SUFFIXES = {".cpp", ".hpp", ".c", ".h", ".inc"}
MAX_LINES = 500
MAX_FILES = 40
INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.MULTILINE)
NAMED = re.compile(r"`((?:reference|vectors|conformance|fuzz|cmake|dev\.d)/[\w./-]+)`")
# Functions of the C library that no standard pins to the last bit.
LIBM = re.compile(r"\bstd::(exp2?|expm1|log(?:2|10|1p)?|pow|cbrt|hypot|a?(?:sin|cos|tan)h?|atan2|erfc?|[lt]gamma)\s*\(")
OTHERS = ("conformance/backends/", "conformance/planted/") # implementations under test: what they compute with is their matter
LICENCE = "SPDX-License-Identifier: Apache-2.0"
HERE = pathlib.Path(__file__).resolve().parent
# The parts of the tree, from the bottom. Tests and benchmarks see all of their part and those below.
PARTS = ("reference/", "vectors/", "conformance/", "fuzz/")


def is_test(source):
    return "/test/" in source or "/bench/" in source


class Rooms:
    """The table of rooms (rooms.toml), and the includes against it that are known and have yet to go (upward.txt)."""

    def __init__(self, folder):
        self.rows = tomllib.loads((folder / "rooms.toml").read_text(encoding="utf-8"))["room"]
        lines = (folder / "upward.txt").read_text(encoding="utf-8").splitlines()
        self.known = {tuple(line.split(" -> ")) for line in lines if line and not line.startswith("#")}
        self.met = set()
        self.numbers = {row["folder"]: number for number, row in enumerate(self.rows)}

    def number_of(self, source):
        """Of the room that a file is in; None if there is none. A folder of a part is a room, with all that is in it."""
        folder = re.sub("/(test|bench)/.*", "", source) if is_test(source) else source.rpartition("/")[0]
        return self.numbers.get("/".join(folder.split("/")[:2]))

    def reason_against(self, source, target):
        """Why a file must not include another; None if it may."""
        own, other = self.number_of(source), self.number_of(target)
        if own == other:
            return None
        if is_test(source):
            part = next(i for i, part in enumerate(PARTS) if source.startswith(part))
            return None if target.startswith(PARTS[: part + 1]) else f"the tests of {PARTS[part]} stay in it"
        row = self.rows[own]
        if "sees" in row:
            return None if target in row["sees"] else row["because"]
        if other is None:
            return "it is in no room (dev.d/rooms.toml)"
        there = self.rows[other]["folder"]
        if there == row.get("apart"):
            return "the two models share no code"
        if other < own:
            return None
        if (source, target) in self.known:
            self.met.add((source, target))
            return None
        return f"{there} comes after {row['folder']} in dev.d/rooms.toml"

    def table(self):
        """The rooms as docs/architecture.md shows them."""
        lines = ["| room | holds | includes |", "|---|---|---|"]
        for row in self.rows:
            sees = ", ".join(f"`{target}`" for target in row["sees"]) if "sees" in row else "all above"
            if "apart" in row:
                sees += f", but not `{row['apart']}/`"
            lines.append(f"| `{row['folder']}/` | {row['holds']} | {sees} |")
        return "\n".join(lines) + "\n"

    def outlived(self):
        for source, target in sorted(self.known - self.met):
            yield f"dev.d/upward.txt: {source} does not include {target} any more: delete the line"


def resolve(root, source, target):
    """The included path from the root: project includes are written from there, or from the file's own folder."""
    if target.startswith(PARTS):
        return target
    beside = (root / source).parent / target
    if beside.is_file():
        return beside.resolve().relative_to(root.resolve()).as_posix()
    return None


def check_includes(root, rooms, source, text):
    for match in INCLUDE.finditer(text):
        target = resolve(root, source, match.group(1))
        if target is None:
            continue  # of another project, or of cmake/
        reason = rooms.reason_against(source, target)
        if reason:
            line = text.count("\n", 0, match.start(1)) + 1
            yield f"{source}:{line}: must not include {target}: {reason}"


def check_file(root, rooms, path):
    source = path.relative_to(root).as_posix()
    text = path.read_text(encoding="utf-8")
    lines = text.split("\n")
    if LICENCE not in lines[0]:
        yield f"{source}:1: the first line must name the licence: {LICENCE}"
    if path.suffix == ".hpp" and "#pragma once" not in lines[:3]:
        yield f"{source}:1: no #pragma once in the first three lines"
    if len(lines) - 1 > MAX_LINES:
        yield f"{source}: {len(lines) - 1} lines: more than {MAX_LINES}, it does more than one thing"
    if rooms.number_of(source) is None:
        yield f"{source}: in no room (dev.d/rooms.toml)"
        return
    yield from check_includes(root, rooms, source, text)
    if not is_test(source) and not source.startswith(OTHERS):
        for match in LIBM.finditer(text):
            line = text.count("\n", 0, match.start()) + 1
            yield f"{source}:{line}: {match.group(0)[:-1]} is not the same on every machine"


def check_folders(root, paths):
    for folder, count in collections.Counter(path.parent for path in paths).items():
        if count > MAX_FILES and folder.name != "test":
            yield f"{folder.relative_to(root).as_posix()}/: {count} source files: more than {MAX_FILES}, it is more than one room"


def check_names(root):
    """The files and folders of the tree that documents name are there. NAME and the like stand for any. CHANGELOG.md names what went."""
    for page in sorted({*(root / "docs").glob("*.md"), *root.glob("*.md")} - {root / "CHANGELOG.md"}):
        for number, line in enumerate(page.read_text(encoding="utf-8").split("\n"), 1):
            for name in NAMED.findall(line):
                if not re.search("[A-Z]{4}", name) and not (root / name).exists():
                    yield f"{page.relative_to(root).as_posix()}:{number}: there is no {name}"


def check_page(page, table, write):
    """The page of the architecture shows the table of rooms, between two comments."""
    text = page.read_text(encoding="utf-8")
    begin, end = "<!-- rooms -->\n", "<!-- end of rooms -->\n"
    head, found, rest = text.partition(begin)
    shown, closed, tail = rest.partition(end)
    if not found or not closed:
        yield f"{page.name}: no {begin.strip()} and {end.strip()}"
    elif write:
        page.write_text(head + begin + table + end + tail, encoding="utf-8")
    elif shown != table:
        yield f"docs/{page.name}: its rooms are not those of dev.d/rooms.toml: python3 dev.d/check_tree.py . --write"


def main(arguments):
    if len(arguments) not in (2, 3) or arguments[2:] not in ([], ["--write"]):
        print(__doc__.strip(), file=sys.stderr)
        return 2
    root = pathlib.Path(arguments[1])
    paths = sorted(path for part in PARTS for path in (root / part).rglob("*")
                   if path.suffix in SUFFIXES and path.is_file())
    if not paths:
        print("check_tree: no source files", file=sys.stderr)
        return 2
    own = (root / "dev.d/rooms.toml").is_file() # or a tree of the tests
    rooms = Rooms(root / "dev.d" if own else HERE)
    broken = [problem for path in paths for problem in check_file(root, rooms, path)]
    broken += [*check_folders(root, paths), *(rooms.outlived() if own else [])]
    if own:
        broken += check_page(root / "docs/architecture.md", rooms.table(), "--write" in arguments)
        broken += check_names(root)
    for problem in broken:
        print(problem)
    print(f"check_tree: {len(paths)} files, {len(broken)} broken rules", file=sys.stderr)
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
