# SPDX-License-Identifier: Apache-2.0
"""Rewrites a C++ source so that every mutant of its sites can be selected while it runs (conformance/mutants/model.hpp)."""

import re

from instrument import spliced

PREFIX = "mxcert_mutants::"
OUTER = {"statement": 0, "condition": 1, "assignment": 2, "binary": 2, "unary": 3, "constant": 4}
MARK = re.compile(re.escape(PREFIX) + r"(?:Plain|Constexpr)\{(\d+)U\}")


def _insertions(site):
    """What a site opens with, what replaces its operator, and what closes it."""
    here = f"{PREFIX}{'Constexpr' if site.is_constexpr else 'Plain'}{{{site.first}U}}"
    call = f"{PREFIX}{site.call}({here}, "
    if site.kind == "constant":
        return call, "", ", " + ", ".join(site.edits) + ")"
    if site.kind == "condition":
        return f"{call}static_cast<bool>(", "", "))"
    if site.kind == "statement":
        return f"({PREFIX}is_dropped({here}) ? void() : void(", "", "))"
    if site.call == "negate":
        return f"{call}static_cast<bool>(", "", "))"
    if site.kind == "unary":
        return f"{call}(", "", "))"
    if site.call in ("and", "or"):
        operator, neutral = ("&&", "true") if site.call == "and" else ("||", "false")
        return (f"{PREFIX}joined({here}, {PREFIX}first<{neutral}>({here}, static_cast<bool>(",
                f")) {operator} {PREFIX}second<{neutral}>({here}, static_cast<bool>(", ")))")
    return f"{call}(", "), (", "))"


def rewrite(text, sites):
    """`text` of one file with all its sites. Of two insertions at one place the outer opens first and closes last."""
    opens, closes, replaced = {}, {}, {}
    for site in sites:
        opening, operator, closing = _insertions(site)
        size = site.end - site.begin
        opens.setdefault(site.begin, []).append((-size, OUTER[site.kind], opening))
        closes.setdefault(site.end, []).append((size, -OUTER[site.kind], closing))
        if site.operator:
            replaced[site.operator[0]] = (site.operator[1], operator)
    return spliced(text, opens, closes, replaced)


def spans(text):
    """(begin, end, first mutant) of each site in a rewritten text, from the call to its closing parenthesis."""
    found = {}
    for mark in MARK.finditer(text):
        begin = text.rfind(PREFIX, 0, mark.start())
        first = int(mark[1])
        if first not in found:
            opening = begin - 1 if text.startswith("is_dropped", begin + len(PREFIX)) else text.index("(", begin)
            found[first] = (min(begin, opening), _closing(text, opening), first)
    return list(found.values())


def _closing(text, at):
    depth = 0
    for token in re.compile(r"\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])'|[()]").finditer(text, at):
        depth += {"(": 1, ")": -1}.get(token[0], 0)
        if depth == 0:
            return token.end()
    return len(text)


def site_at(text, found, line, column):
    """The first mutant of the innermost site around a place, counted from 1; None outside of all. `found` are spans(text)."""
    offset = sum(len(one) + 1 for one in text.split("\n")[:line - 1]) + column - 1
    around = [(end - begin, first) for begin, end, first in found if begin <= offset < end]
    return min(around)[1] if around else None
