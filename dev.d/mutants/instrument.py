# SPDX-License-Identifier: Apache-2.0
"""Rewrites a source so that every mutant of its sites can be selected while it runs (conformance/mutants/mutant.h)."""


def _insertions(site):
    """What a site inserts or replaces: (begin, end, order, text). Of two insertions at one place the outer opens first and
    closes last."""
    size = site.end - site.begin
    count = len(site.edits)
    if site.kind in ("int", "float"):
        return [("open", site.begin, size, f"{site.macro}({site.first}u, {count}u, "), ("close", site.end, size, ")")]
    if site.kind == "condition":
        return [("open", site.begin, size, f"{site.macro}({site.first}u, {count}u, ("), ("close", site.end, size, "))")]
    if site.kind == "statement":
        return [("open", site.begin, size, f"{site.macro}({site.first}u, "), ("close", site.end, size, ")")]
    begin, end = site.operator
    if site.kind == "unary":
        return [("open", site.begin, size, f"{site.macro}({site.first}u, ("), ("replace", begin, end, ""),
                ("close", site.end, size, "))")]
    return [("open", site.begin, size, f"{site.macro}({site.first}u, ("), ("replace", begin, end, "), ("),
            ("close", site.end, size, "))")]


def rewrite(text, sites):
    """`text` of one file with all its sites."""
    # Kinds at one and the same range: a statement holds an assignment, a condition the expression.
    outer = {"statement": 0, "condition": 1, "assignment": 2, "binary": 2, "unary": 3, "int": 4, "float": 4}
    opens, closes, replaced = {}, {}, {}
    for site in sites:
        for what, at, number, inserted in _insertions(site):
            if what == "open":
                opens.setdefault(at, []).append((-number, outer[site.kind], inserted))
            elif what == "close":
                closes.setdefault(at, []).append((number, -outer[site.kind], inserted))
            else:
                replaced[at] = (number, inserted)
    return spliced(text, opens, closes, replaced)


def spliced(text, opens, closes, replaced):
    """`text` with what opens and what closes at each place, in the order of its keys, and what stands for an operator:
    place -> (its end, text)."""
    result = []
    at = 0
    for place in sorted({*opens, *closes, *replaced}):
        result.append(text[at:place])
        at = place
        result += [inserted for *_, inserted in sorted(closes.get(place, ()))]
        result += [inserted for *_, inserted in sorted(opens.get(place, ()))]
        if place in replaced:
            at, inserted = replaced[place]
            result.append(inserted)
    result.append(text[at:])
    return "".join(result)
