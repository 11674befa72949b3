# SPDX-License-Identifier: Apache-2.0
"""The mutants of the sites, how one is written, and which are chosen."""

import dataclasses
import hashlib


@dataclasses.dataclass
class Mutant:
    number: int
    site: object
    which: int
    line: int
    edit: str  # `before -> after`, on one line
    key: str = ""  # names it as long as its function is not changed there

    @property
    def environment(self):
        return f"{self.number},{self.site.first}"


def edit_text(site, which, text):
    before = " ".join(text[site.begin:site.end].split())
    before = before if len(before) <= 80 else before[:77] + "..."
    after = site.edits[which]
    if site.kind == "statement":
        return f"`{before};` left out"
    if site.kind == "condition":
        return f"condition `{before}` is " + {"true": "always true", "false": "always false"}.get(after, "inverted")
    if site.kind == "constant":
        around = text[text.rfind("\n", 0, site.begin) + 1:text.find("\n", site.end)].strip()
        return f"`{before}` -> `{after}` in `{' '.join(around.split())}`"
    if site.kind == "unary":
        return f"`{before}` without `{text[site.operator[0]:site.operator[1]]}`"
    return f"`{before}` -> " + {"a": "its left side", "b": "its right side"}.get(after, f"`{after}`")


def mutants_of(sites, texts):
    """All of them, in the order of their numbers. Of equal edits in one function the key has a count."""
    found, counts = [], {}
    for site in sites:
        text = texts[site.file]
        line = text.count("\n", 0, site.begin) + 1
        for which in range(len(site.edits)):
            edit = edit_text(site, which, text)
            name = f"{site.file} | {site.inside} | {edit}"
            counts[name] = counts.get(name, 0) + 1
            key = name if counts[name] == 1 else f"{name} | {counts[name]}"
            found.append(Mutant(site.first + which, site, which, line, edit, key))
    return found


def chosen(mutants, sample, seed):
    """The first of an order by the digest of key and seed: a larger sample has all of a smaller one, and a change of one
    function does not choose others elsewhere."""
    if sample is None:
        return list(mutants)
    order = sorted(mutants, key=lambda mutant: hashlib.sha256(f"{seed} {mutant.key}".encode()).digest())
    return sorted(order[:sample], key=lambda mutant: mutant.number)
