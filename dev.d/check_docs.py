#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the commands that documents show and compares what they print (./dev docs --help has the rules).

Usage: check_docs.py ROOT [--update] [--python PATH] [FILE...]

Exit code: 0 every command printed what the document shows, 1 one did not, 2 a bad argument or no command at all.
"""

import argparse
import dataclasses
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

FENCE = re.compile(r"^(?P<indent> *)```console(?P<info>[^\n`]*)\n(?P<body>.*?)^(?P=indent)```[ ]*$", re.MULTILINE | re.DOTALL)
# A file that the commands of a document need: a block that begins with its name.
SOURCE = re.compile(r"^```(?:python\n(?P<python># (?P<python_name>[\w-]+\.py)\n.*?)|c(?:pp)?\n(?P<c>/[/*] (?P<c_name>[\w-]+\.(?:c|cpp)):.*?))^```[ ]*$",
                    re.MULTILINE | re.DOTALL)
PROGRAM = re.compile(r"^(?:[A-Z_]+=\S+ (?:\\\n *)?)*((\./dev )?mxcert|pytest|python|cc|c\+\+|verilator|ghdl)(?= |$)")
# Those that `needs` may name: they are asked for in PATH.
PROGRAMS = ("cc", "c++", "verilator", "ghdl", "iverilog")
# How often progress is printed depends on the machine; without a total it is the name of an operation alone.
PROGRESS = re.compile(r"^mxcert: (?: *\d+%|.*\babout [0-9:]+ for |[a-z0-9_]+(?:-[a-z0-9_*]+)+$)")
EXIT = re.compile(r"^\[exit (\d+)\]$")
TIMEOUT_SECONDS = 900


@dataclasses.dataclass
class Command:
    """A line `$ ...` of a block, with the lines that follow it."""

    text: str  # as typed, continuation lines joined by newlines, without "$ "
    expected: list
    exit_code: int

    @property
    def is_ours(self):
        return PROGRAM.match(self.text) is not None


def parse_block(body, indent):
    """The commands of a block. Lines before the first command are an error."""
    commands = []
    lines = [line[len(indent):] for line in body.split("\n")[:-1]]
    index = 0
    while index < len(lines):
        line = lines[index]
        index += 1
        if not line.startswith("$ "):
            if not commands:
                raise ValueError(f"a console block must start with a command, not with '{line}'")
            commands[-1].expected.append(line)
            continue
        text = line[2:]
        while text.endswith("\\") and index < len(lines):
            text += "\n" + lines[index]
            index += 1
        commands.append(Command(text, [], 0))
    for command in commands:
        match = EXIT.match(command.expected[-1]) if command.expected else None
        if match:
            command.exit_code = int(match.group(1))
            command.expected.pop()
    return commands


def line_matches(expected, actual):
    pattern = ".*".join(re.escape(part) for part in expected.split("..."))
    return re.fullmatch(pattern, actual) is not None


def lines_match(expected, actual):
    """Whether the lines are the same, a line `...` of the expected ones standing for any number of lines."""
    # reachable: how many of the actual lines may be used up by the expected ones so far.
    reachable = {0}
    for line in expected:
        if line == "...":
            reachable = set(range(min(reachable), len(actual) + 1)) if reachable else set()
        else:
            reachable = {used + 1 for used in reachable if used < len(actual) and line_matches(line, actual[used])}
    return len(actual) in reachable


def run(command, folder, environment):
    """Exit code and the lines of both streams, in the order in which they came, without those of progress."""
    done = subprocess.run(["bash", "-c", "set -o pipefail; " + command.text], cwd=folder, env=environment, text=True,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          timeout=TIMEOUT_SECONDS, check=False)
    return done.returncode, [line.rstrip() for line in done.stdout.splitlines() if not PROGRESS.match(line)]


def scratch_folder(root, parent, text):
    """A folder that looks like the source tree, in which commands may write, with the files of a document."""
    folder = pathlib.Path(parent) / "tree"
    folder.mkdir()
    for entry in root.iterdir():
        (folder / entry.name).symlink_to(entry)
    for match in SOURCE.finditer(text):
        name, source = (match["python_name"], match["python"]) if match["python"] else (match["c_name"], match["c"])
        (folder / name).write_text(source, encoding="utf-8")
    return folder


def render(commands, indent):
    """The body of a block."""
    lines = []
    for command in commands:
        lines += ("$ " + command.text).split("\n") + command.expected
        if command.exit_code:
            lines.append(f"[exit {command.exit_code}]")
    return "".join((indent + line).rstrip() + "\n" for line in lines)


@dataclasses.dataclass
class Totals:
    checked: int = 0
    wrong: int = 0
    left_out: int = 0
    not_ours: int = 0


class Checker:
    def __init__(self, root, update, python):
        self.root = root
        self.update = update
        self.python = python
        self.totals = Totals()
        # pytest prints more where these two say that it runs in continuous integration.
        inherited = {name: value for name, value in os.environ.items() if name not in ("CI", "BUILD_NUMBER", "GITHUB_ACTIONS", "GITHUB_STEP_SUMMARY")}
        self.environment = dict(inherited, NO_COLOR="1", LC_ALL="C.UTF-8", COLUMNS="120")
        self.environment["PATH"] = f"{root}/build/release/bin:{python.parent}:{self.environment['PATH']}"
        # The package as if it were installed, and nothing left in the source folder.
        self.environment.update(MXCERT_PROGRAM=f"{root}/build/release/bin/mxcert",
                                MXCERT_LIBRARY=f"{root}/build/release/lib/libmxcert.so", PYTHONPATH=f"{root}/python",
                                PYTEST_PLUGINS="mxcert.pytest_plugin", PYTEST_ADDOPTS="-p no:cacheprovider", PYTHONDONTWRITEBYTECODE="1")

    def has(self, name):
        """Whether there is a backend of this name, a plugin or a program, a compiler, or a module of Python."""
        if name in PROGRAMS:
            return shutil.which(name) is not None
        folder = self.root / "build/release/lib/mxcert"
        if (folder / f"{name}.so").exists() or (folder / name).exists():
            return True
        look = f"import importlib.util, sys; sys.exit(importlib.util.find_spec({name!r}) is None)"
        return subprocess.run([self.python, "-c", look], check=False).returncode == 0

    def check_command(self, command, folder, place):
        """Runs it; on a difference says so, or takes the output over."""
        try:
            exit_code, actual = run(command, folder, self.environment)
        except subprocess.TimeoutExpired:
            print(f"{place}: $ {command.text}\n  took longer than {TIMEOUT_SECONDS} s")
            self.totals.wrong += 1
            return
        self.totals.checked += 1
        if exit_code == 2 and not actual:
            print(f"{place}: $ {command.text}\n  is refused, and the document does not show why")
            self.totals.wrong += 1
            return
        if exit_code == command.exit_code and lines_match(command.expected, actual):
            return
        if self.update:
            print(f"{place}: updated: $ {command.text}")
            command.expected, command.exit_code = actual, exit_code
            return
        self.totals.wrong += 1
        print(f"{place}: $ {command.text}")
        if exit_code != command.exit_code:
            print(f"  ended with {exit_code}, not {command.exit_code}")
        print("  the document shows:\n" + "".join(f"    {line}\n" for line in command.expected) + "  was printed:\n" +
              "".join(f"    {line}\n" for line in actual), end="")

    def check_file(self, path):
        text = path.read_text(encoding="utf-8")
        with tempfile.TemporaryDirectory() as parent:
            folder = scratch_folder(self.root, parent, text)

            def check_block(match):
                place = f"{os.path.relpath(path, self.root)}:{text.count(chr(10), 0, match.start()) + 1}"
                needs = [word[len("needs="):] for word in match["info"].split() if word.startswith("needs=")]
                unknown = [word for word in match["info"].split() if not word.startswith("needs=")]
                try:
                    if unknown:
                        raise ValueError(f"unknown words after console: {' '.join(unknown)}")
                    commands = parse_block(match["body"], match["indent"])
                except ValueError as error:
                    print(f"{place}: {error}")
                    self.totals.wrong += 1
                    return match[0]
                missing = [name for name in needs if not self.has(name)]
                for command in commands:
                    if not command.is_ours:
                        self.totals.not_ours += 1
                    elif missing:
                        self.totals.left_out += 1
                        print(f"{place}: left out, no {missing[0]}: $ {command.text}")
                    else:
                        self.check_command(command, folder, place)
                fence = match["indent"] + "```"
                return f"{fence}console{match['info']}\n{render(commands, match['indent'])}{fence}"

            updated = FENCE.sub(check_block, text)
        if self.update and updated != text:
            path.write_text(updated, encoding="utf-8")


def main(arguments):
    parser = argparse.ArgumentParser(description="Runs the commands that documents show and compares what they print.")
    parser.add_argument("root", type=pathlib.Path)
    parser.add_argument("--update", action="store_true", help="write what the commands print into the documents")
    parser.add_argument("--python", type=pathlib.Path, help="runs python and pytest; default: that of .venv, else python3")
    parser.add_argument("files", nargs="*", type=pathlib.Path, help="these documents only")
    options = parser.parse_intermixed_args(arguments)
    root = options.root.resolve()
    files = options.files or [root / "README.md", *sorted((root / "docs").glob("*.md"))]
    for path in files:
        if not path.is_file():
            print(f"check_docs: no such file: {path}", file=sys.stderr)
            return 2
    if shutil.which("bash") is None:
        print("check_docs: no bash", file=sys.stderr)
        return 2
    own = root / ".venv/bin/python"
    python = options.python or (own if own.exists() else pathlib.Path(shutil.which("python3") or sys.executable))
    checker = Checker(root, options.update, python.absolute())
    for path in files:
        checker.check_file(path.resolve())
    totals = checker.totals
    print(f"check_docs: {len(files)} documents, {totals.checked} commands run, {totals.wrong} wrong, "
          f"{totals.left_out} left out, {totals.not_ours} not ours to run", file=sys.stderr)
    if totals.wrong:
        return 1
    if totals.checked == 0:
        print("check_docs: no command was run", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
