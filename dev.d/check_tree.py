#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks the rules of CONTRIBUTING.md that a script can see: where includes point (rooms.toml), that they never come back to where
they began, the licence line, the length of a file, the size of a folder, that numbers do not depend on the C library's mathematics,
that the files which documents name are there, and that tables of documents are whole. Of a build (--compiled) also that it compiles every source, which includes cannot
show.

Prints a line for each broken rule; exits with 1 if there is one, with 2 if nothing was checked.
"""

import argparse
import collections
import json
import pathlib
import re
import sys
import tomllib

SUFFIXES = {".cpp", ".hpp", ".c", ".h", ".inc"}
COMPILED = (".cpp", ".c")  # kernels of devices are .h, .cu and .hip: their plugin compiles them
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
    """The table of rooms (rooms.toml)."""

    def __init__(self, folder):
        table = tomllib.loads((folder / "rooms.toml").read_text(encoding="utf-8"))
        self.rows = table["room"]
        self.elsewhere = table["elsewhere"]
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
        return f"{there} comes after {row['folder']} in dev.d/rooms.toml"

    def table(self):
        """The rooms as docs/rooms.md shows them."""
        lines = ["| room | holds | includes |", "|---|---|---|"]
        for row in self.rows:
            sees = ", ".join(f"`{target}`" for target in row["sees"]) if "sees" in row else "all above"
            if "apart" in row:
                sees += f", but not `{row['apart']}/`"
            lines.append(f"| `{row['folder']}/` | {row['holds']} | {sees} |")
        return "\n".join(lines) + "\n"

    def picture(self, includes):
        """The rooms and what they include, as a Mermaid chart for docs/rooms.md; tests and benchmarks left out. An arrow that
        others make needless is not drawn."""
        arrows = collections.defaultdict(set)
        for source, target in includes:
            own, other = self.number_of(source), self.number_of(target)
            if not is_test(source) and None not in (own, other) and own != other:
                arrows[own].add(other)
        reached = {}
        for number in range(len(self.rows)):  # the table goes from the bottom up
            reached[number] = arrows[number].union(*(reached.get(other, set()) for other in arrows[number]))
        lines = ["```mermaid", "flowchart BT"]
        for part in PARTS:
            lines.append(f'  subgraph {part[:-1]}_part["{part}"]')
            lines += [f'    r{number}["{row["folder"]}/"]' for number, row in enumerate(self.rows)
                      if f"{row['folder']}/".startswith(part)]
            lines.append("  end")
        for number in sorted(arrows):
            for other in sorted(arrows[number]):
                if not any(other in reached[between] for between in arrows[number] - {other}):
                    lines.append(f"  r{number} --> r{other}")
        return "\n".join([*lines, "```"]) + "\n"

    def is_elsewhere(self, source):
        """Whether something else than each build compiles a source."""
        return any(f"{source}/".startswith(f"{place}/") for row in self.elsewhere for place in row["places"])

    def gone(self, root):
        for row in self.elsewhere:
            for place in row["places"]:
                if not (root / place).exists():
                    yield f"dev.d/rooms.toml: there is no {place}: delete it"


def resolve(root, source, target):
    """The included path from the root: project includes are written from there, or from the file's own folder."""
    if target.startswith(PARTS):
        return target
    beside = (root / source).parent / target
    if beside.is_file():
        return beside.resolve().relative_to(root.resolve()).as_posix()
    return None


def check_includes(root, rooms, includes, source, text):
    for match in INCLUDE.finditer(text):
        target = resolve(root, source, match.group(1))
        if target is None:
            continue  # of another project, or of cmake/
        includes.append((source, target))
        reason = rooms.reason_against(source, target)
        if reason:
            line = text.count("\n", 0, match.start(1)) + 1
            yield f"{source}:{line}: must not include {target}: {reason}"


def check_file(root, rooms, includes, path):
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
    yield from check_includes(root, rooms, includes, source, text)
    if not is_test(source) and not source.startswith(OTHERS):
        for match in LIBM.finditer(text):
            line = text.count("\n", 0, match.start()) + 1
            yield f"{source}:{line}: {match.group(0)[:-1]} is not the same on every machine"


class Pairs:
    """What includes what, of pairs: a header with the source of its name is one, and a file without the other by itself. Tests
    and benchmarks are left out: nothing but they includes them."""

    def __init__(self, includes):
        self.edges = collections.defaultdict(dict)  # pair -> pair -> the include that makes it so
        for source, target in sorted(includes):
            own, other = (name.rpartition(".")[0] for name in (source, target))
            if own != other and not is_test(source):
                self.edges[own].setdefault(other, (source, target))

    def paths_from(self, start):
        """A shortest way from a pair to each one that it leads to, as pairs."""
        ways, last = {}, [(start, ())]
        while last:
            found = []
            for pair, way in last:
                for other in self.edges.get(pair, ()):
                    if other not in ways:
                        ways[other] = (*way, pair)
                        found.append((other, ways[other]))
            last = found
        return ways

    def knots(self):
        """The pairs of each knot, in which every pair leads to every other, and its shortest cycle, as includes."""
        ways = {pair: self.paths_from(pair) for pair in sorted(self.edges)}
        knots = {frozenset(b for b in ways[a] if a in ways.get(b, ())) for a in ways if a in ways[a]}
        for knot in sorted(knots, key=sorted):
            cycle = min((ways[pair][pair] for pair in sorted(knot)), key=len)
            yield knot, [self.edges[pair][other] for pair, other in zip(cycle, (*cycle[1:], cycle[0]))]


def check_cycles(includes):
    """No pair of header and source leads back to itself."""
    for knot, cycle in Pairs(includes).knots():
        steps = ", ".join(f"{source} includes {target}" for source, target in cycle)
        yield f"a cycle of includes: {steps} (the whole knot: {' '.join(sorted(knot))})"


def compiled_by(root, database):
    """The sources that a build compiles, from its compile_commands.json. A file of the build's own, in which CMake joins several
    sources, stands for those that it includes."""
    for entry in json.loads(database.read_text(encoding="utf-8")):
        path = pathlib.Path(entry["directory"], entry["file"])
        joined = INCLUDE.findall(path.read_text(encoding="utf-8")) if path.name.startswith("unity_") else []
        for one in (path, *map(pathlib.Path, joined)):
            if one.resolve().is_relative_to(root.resolve()):
                yield one.resolve().relative_to(root.resolve()).as_posix()


def check_compiled(rooms, sources, compiled):
    """Each source is compiled, but for those of which the table says who else does."""
    for source in sources:
        if source.endswith(COMPILED) and source not in compiled and not rooms.is_elsewhere(source):
            yield f"{source}: no target compiles it (or say in dev.d/rooms.toml what else does)"


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


def check_tables(root):
    """Each table of a document has a heading, and each row as many cells: a blank line or a bare | splits a table in the site."""
    for page in sorted({*(root / "docs").rglob("*.md"), *root.glob("*.md")}):
        text = re.sub(r"^ *```.*?^ *```", lambda block: re.sub(r"[^\n]", "", block[0]), page.read_text(encoding="utf-8"), flags=re.M | re.S)
        lines = [*text.split("\n"), ""]
        cells = 0  # of the heading, in a table
        for number, line in enumerate(lines[:-1], 1):
            if not line.startswith("|"):
                cells = 0
                continue
            place = f"{page.relative_to(root).as_posix()}:{number}"
            bars = len(re.findall(r"(?<!\\)\|", line))
            if not cells and not re.fullmatch(r"\|[ :|-]+\|", lines[number]):
                yield f"{place}: a table without a heading"
            if cells and bars != cells:
                yield f"{place}: {bars - 1} cells, and the heading has {cells - 1}"
            cells = cells or bars


def check_page(page, table, write):
    """The page of the rooms shows the rooms, as a picture and as a table, between two comments."""
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


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("root", type=pathlib.Path)
    parser.add_argument("--write", action="store_true", help="put the picture and the table of rooms into docs/rooms.md")
    parser.add_argument("--compiled", type=pathlib.Path, metavar="FILE",
                        help="compile_commands.json of a build: it must compile every source")
    options = parser.parse_args()
    root = options.root
    paths = sorted(path for part in PARTS for path in (root / part).rglob("*")
                   if path.suffix in SUFFIXES and path.is_file())
    if not paths:
        print("check_tree: no source files", file=sys.stderr)
        return 2
    own = (root / "dev.d/rooms.toml").is_file()  # or a tree of the tests
    rooms = Rooms(root / "dev.d" if own else HERE)
    includes = []
    broken = [problem for path in paths for problem in check_file(root, rooms, includes, path)]
    broken += [*check_folders(root, paths), *(rooms.gone(root) if own else [])]
    broken += check_cycles(includes)
    if options.compiled:
        sources = [path.relative_to(root).as_posix() for path in paths]
        compiled = set(compiled_by(root, options.compiled))
        if compiled.isdisjoint(sources):
            print(f"check_tree: {options.compiled} compiles nothing of {root}", file=sys.stderr)
            return 2
        broken += check_compiled(rooms, sources, compiled)
    if own:
        broken += check_page(root / "docs/rooms.md", rooms.picture(includes) + "\n" + rooms.table(), options.write)
        broken += [*check_names(root), *check_tables(root)]
    for problem in broken:
        print(problem)
    print(f"check_tree: {len(paths)} files, {len(broken)} broken rules", file=sys.stderr)
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
