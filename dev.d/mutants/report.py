# SPDX-License-Identifier: Apache-2.0
"""What the records come to: the score of each level, every escape, as Markdown and CSV."""

import csv
import pathlib

import score
from targets import GOALS, LEVELS

COLUMNS = ("target", "mutant", "file", "line", "column", "function", "kind", "edit", "verdict",
           *(level.name for level in LEVELS), "inputs compared", "inputs that differ", "first differences")


def edit_text(mutant, text):
    """`before -> after`, on one line."""
    site = mutant.site
    before = " ".join(text.text[site.begin:site.end].split())
    before = before if len(before) <= 70 else before[:67] + "..."
    after = site.edits[mutant.which]
    if site.kind == "statement":
        return f"`{before};` left out"
    if site.kind == "condition":
        return f"condition `{before}` is " + {"1": "always true", "0": "always false"}.get(after, "inverted")
    if site.kind in ("int", "float"):
        around = " ".join(text.text[text.text.rfind("\n", 0, site.begin) + 1:site.begin].split())[-24:]
        inverted = int(mutant.value) ^ number if site.kind == "int" and (number := _number(before)) is not None else 0
        note = f" (bit {inverted.bit_length() - 1} inverted)" if inverted.bit_count() == 1 else ""
        return f"`{around}{before}`: {before} -> {after}{note}"
    operands = {"a": "left", "b": "right"}
    return f"`{before}` -> {after.format(**operands)}"


def _number(text):
    try:
        return int(text.rstrip("uUlL"), 0)
    except ValueError:
        return None  # an enumerator


def survives(record, level):
    """Whether a wrong mutant passes at a level; None if it was not asked. What is not permitted fails where every input of a
    conversion is asked."""
    outcome = record["outcomes"].get(level.name)
    if outcome is None:
        return False if level.is_whole and record["outcomes"] else None
    return outcome == score.SURVIVED


class Report:
    """The records of all targets that were run. `runs` are (build, mutants, chosen, records): all there are, how many are to
    be scored, and the records of those that are."""

    def __init__(self, root, runs):
        self.root, self.runs = root, runs

    def place(self, build, mutant):
        text = build.texts[mutant.site.file]
        file = pathlib.Path(mutant.site.file).relative_to(self.root.resolve()).as_posix()
        return file, text.line(mutant.site.begin), text.column(mutant.site.begin)

    def rows(self):
        """One for each mutant that was not failed by every level."""
        for build, mutants, chosen, records in self.runs:
            for mutant in mutants:
                record = records.get(mutant.number)
                if record is None:
                    continue
                asked = [survives(record, level) for level in LEVELS]
                if record["verdict"] == "wrong" and not any(asked):
                    continue
                yield self.row(build, mutant, record)

    def row(self, build, mutant, record):
        compared = record["differ"].values()
        first = record.get("shown") or "; ".join(line.partition(" @")[0] for _, _, lines in compared for line in lines[:3])
        return dict(zip(COLUMNS, (
            build.target.name, mutant.number, *self.place(build, mutant), mutant.site.inside, mutant.site.kind,
            edit_text(mutant, build.texts[mutant.site.file]), record["verdict"],
            *(record["outcomes"].get(level.name, "") for level in LEVELS),
            sum(c[0] for c in compared) or "", sum(c[1] for c in compared) if compared else "", first)))

    def counts(self, mutants, chosen, records):
        verdicts = {}
        for record in records.values():
            verdicts[record["verdict"]] = verdicts.get(record["verdict"], 0) + 1
        wrong = [record for record in records.values() if record["verdict"] == "wrong"]
        escaped = {level.name: sum(survives(record, level) is True for record in wrong) for level in LEVELS}
        return len(mutants), chosen, len(records), verdicts, len(wrong), escaped

    def table(self):
        """Markdown: a row for each target and one for all."""
        levels = [level.name for level in LEVELS]
        lines = ["| target | mutants | chosen | scored | equivalent | permitted | crash | hang | not compiled | wrong | "
                 + " | ".join(f"escape {level}" for level in levels) + " |", "|---|" + "---|" * (9 + len(levels))]
        total = None
        for build, mutants, chosen, records in self.runs:
            there, asked, done, verdicts, wrong, escaped = self.counts(mutants, chosen, records)
            numbers = [there, asked, done, *(verdicts.get(v, 0) for v in (
                "equivalent", "permitted", score.CRASHED, score.HUNG, "does not compile")), wrong,
                *(escaped[level] for level in levels)]
            lines.append(f"| {build.target.about} | " + " | ".join(f"{n:,}" for n in numbers) + " |")
            total = numbers if total is None else [a + b for a, b in zip(total, numbers)]
        if total is None:
            return "", None
        lines.append("| all | " + " | ".join(f"{n:,}" for n in total) + " |")
        return "\n".join(lines) + "\n", dict(zip(("there", "chosen", "done", "equivalent", "permitted", "crash", "hang", "not compiled",
                                                  "wrong", *levels), total))

    def escapes(self, level):
        for build, mutants, chosen, records in self.runs:
            for mutant in mutants:
                record = records.get(mutant.number)
                if record is not None and record["verdict"] == "wrong" and survives(record, level):
                    yield self.row(build, mutant, record)

    def lines(self):
        """A line for each escape, with the highest level that it passes."""
        known = set()
        for level in reversed(LEVELS):
            for row in self.escapes(level):
                key = row["target"], row["mutant"]
                if key in known:
                    continue
                known.add(key)
                passes = ", ".join(name.name for name in LEVELS if row[name.name] == score.SURVIVED)
                differ = f"{row['inputs that differ']:,} inputs differ: " if row["inputs that differ"] else ""
                yield (f"{row['file']}:{row['line']}:{row['column']}: {row['edit']}; passes {passes}; "
                       f"{differ}{row['first differences']} [{row['target']} {row['mutant']}]")

    def goals(self, totals):
        """(text, whether it is met) of each goal. What some level lets pass is scored first: until all that were chosen are
        done there is no share, and no goal is met."""
        wrong, rest = totals["wrong"], totals["chosen"] - totals["done"]
        for name, limit in GOALS:
            allowed = int(wrong * limit)
            if rest:
                yield f"{name}: {totals[name]:,} mutants escape, and {rest:,} of {totals['chosen']:,} are not scored yet", False
            else:
                share = f"{totals[name] / wrong:.1%}" if wrong else "-"
                yield (f"{name}: {totals[name]:,} of {wrong:,} wrong mutants escape ({share}); goal: at most {allowed:,}",
                       totals[name] <= allowed)

    def write(self, folder, header):
        folder.mkdir(parents=True, exist_ok=True)
        table, totals = self.table()
        with open(folder / "survivors.csv", "w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
            writer.writeheader()
            writer.writerows(self.rows())
        escaped = list(self.lines())
        body = [f"# Mutants: results\n\n{header}\n\n{table}", "## Goals\n"]
        body += [f"* {text}: {'met' if met else 'NOT met'}" for text, met in self.goals(totals)]
        body += [f"\n## Escapes ({len(escaped):,})\n",
                 "What passes a level and is wrong, those that pass the most first. All survivors: `survivors.csv`.\n"]
        body += [f"* {line.replace('|', chr(92) + '|')}" for line in escaped[:MOST_SHOWN]]
        if len(escaped) > MOST_SHOWN:
            body.append(f"* and {len(escaped) - MOST_SHOWN:,} more in `survivors.csv`")
        (folder / "results.md").write_text("\n".join(body) + "\n")


MOST_SHOWN = 150
