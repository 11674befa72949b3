# SPDX-License-Identifier: Apache-2.0
"""The syntax tree of a C file, from Clang, with the file and offset of every node.

Clang writes a location as what differs from the location written before it, so the whole dump is read in its order."""

import json
import os
import re
import subprocess

FUNCTION_MACRO = re.compile(r"^[ \t]*#[ \t]*define[ \t]+([A-Za-z_]\w*)\(", re.MULTILINE)


class Place:
    """An offset in a file; `macro` is None, or the place where the token is spelled if a macro made it."""

    __slots__ = ("file", "offset", "length", "macro")

    def __init__(self, file, offset, length, macro=None):
        self.file, self.offset, self.length, self.macro = file, offset, length, macro


def _locate(value, state):
    """Replaces every bare location below `value` by a Place, in the order of the dump."""
    if isinstance(value, list):
        for item in value:
            _locate(item, state)
        return
    if not isinstance(value, dict):
        return
    for key, item in value.items():
        if key in ("loc", "begin", "end") and isinstance(item, dict):
            value[key] = _place(item, state)
        elif key != "includedFrom":
            _locate(item, state)


def _place(bare, state):
    if "spellingLoc" in bare:
        # Both are written through the same state, the spelling first.
        spelling = _place(bare["spellingLoc"], state)
        expansion = _place(bare["expansionLoc"], state)
        if spelling is None or expansion is None:
            return None
        return Place(expansion.file, expansion.offset, expansion.length, spelling)
    if "offset" not in bare:
        return None
    if "file" in bare:
        state["file"] = os.path.realpath(bare["file"])
    return Place(state["file"], bare["offset"], bare["tokLen"])


def parse(source, flags, language="c"):
    """The translation unit of `source`. Raises RuntimeError with what Clang says."""
    command = ["clang", "-x", language, "-fsyntax-only", "-w", "-Xclang", "-ast-dump=json", *flags, str(source)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"{source}: clang cannot read it:\n{done.stderr[-2000:]}")
    unit = json.loads(done.stdout)
    _locate(unit, {"file": str(source)})
    return unit


class Text:
    """A source file, with what extends a token to the whole of a macro call."""

    def __init__(self, path):
        self.path = os.path.realpath(path)
        with open(self.path, encoding="utf-8", newline="") as file:
            self.text = file.read()
        if not self.text.isascii():
            raise RuntimeError(f"{path}: offsets are in bytes, so the file must be ASCII")

    def line(self, offset):
        return self.text.count("\n", 0, offset) + 1

    def column(self, offset):
        return offset - (self.text.rfind("\n", 0, offset) + 1) + 1

    def end_of(self, place):
        """The offset after the token; where it is a macro, after its arguments."""
        end = place.offset + place.length
        if place.macro is None:
            return end
        match = re.compile(r"\s*\(").match(self.text, end)
        return self._closing(match.end() - 1) if match and self._takes_arguments(place) else end

    def _takes_arguments(self, place):
        name = self.text[place.offset:place.offset + place.length]
        return name in self.macros if hasattr(self, "macros") else False

    def _closing(self, at):
        depth = 0
        for offset in range(at, len(self.text)):
            depth += {"(": 1, ")": -1}.get(self.text[offset], 0)
            if depth == 0:
                return offset + 1
        raise RuntimeError(f"{self.path}:{self.line(at)}: no closing parenthesis")


def function_macros(texts):
    return {name for text in texts for name in FUNCTION_MACRO.findall(text)}


def type_of(node):
    kind = node.get("type", {})
    return kind.get("desugaredQualType", kind.get("qualType", ""))
