# SPDX-License-Identifier: Apache-2.0
"""What the verdicts come to: a table for each part of the models, and every survivor."""

import sys

from judge import CRASHED, HUNG, KILLED, NOT_COMPILED, NOT_REACHED, SAME_CODE, SURVIVED

# Name in the table, and how the paths of its files begin; the first that fits.
PARTS = (
    ("`reference/exact`", "reference/exact/"), ("`reference/fast`", "reference/fast/"), ("the rest of `reference`", "reference/"),
    ("`vectors/tables`", "vectors/tables/"), ("`vectors/golden_store`", "vectors/golden_store/"),
    ("`vectors/faults`", "vectors/faults/"), ("the rest of `vectors`", "vectors/"),
)
COLUMNS = ("mutants", "chosen", "not compiled", "scored", "killed", "crash", "hang", "same code", "explained", "not reached",
           "survived")
EXPLAINED = "explained"


class ModelReport:
    """`mutants` are all there are, `chosen` those to be scored, `equivalents` the explained ones."""

    def __init__(self, mutants, chosen, results, equivalents):
        self.mutants, self.chosen, self.results, self.equivalents = mutants, chosen, results, equivalents

    def verdict(self, mutant):
        """None if it was not scored."""
        record = self.results.of(mutant)
        if record is None:
            return None
        if record["verdict"] in (SURVIVED, NOT_REACHED) and self.equivalents.reason(mutant):
            return EXPLAINED
        return record["verdict"]

    def survivors(self):
        """What no test saw and nothing explains."""
        return [mutant for mutant in self.chosen if self.verdict(mutant) in (SURVIVED, NOT_REACHED)]

    def explained(self):
        return [mutant for mutant in self.chosen if self.verdict(mutant) == EXPLAINED]

    def lines(self, mutants):
        for mutant in mutants:
            note = ", no test reaches it" if self.verdict(mutant) == NOT_REACHED else ""
            yield f"{mutant.site.file}:{mutant.line}: {mutant.site.inside}: {mutant.edit}{note} [{mutant.number}]"

    def counts(self, prefixes, others):
        def is_in(mutant):
            return mutant.site.file.startswith(prefixes) and not mutant.site.file.startswith(others)
        verdicts = [self.verdict(mutant) for mutant in self.chosen if is_in(mutant)]
        scored = sum(verdict not in (None, NOT_COMPILED) for verdict in verdicts)
        return (sum(map(is_in, self.mutants)), len(verdicts), verdicts.count(NOT_COMPILED), scored,
                *(verdicts.count(verdict) for verdict in (KILLED, CRASHED, HUNG, SAME_CODE, EXPLAINED, NOT_REACHED, SURVIVED)))

    def table(self):
        lines = ["| sources | " + " | ".join(COLUMNS) + " |", "|---|" + "---|" * len(COLUMNS)]
        for at, (name, prefix) in enumerate(PARTS):
            before = tuple(other for _, other in PARTS[:at]) or ("\0",)
            lines.append(f"| {name} | " + " | ".join(f"{n:,}" for n in self.counts((prefix,), before)) + " |")
        lines.append("| all | " + " | ".join(f"{n:,}" for n in self.counts(("",), ("\0",))) + " |")
        return "\n".join(lines) + "\n"

    def gate(self):
        """Exit code 1 if a mutant survives, 2 if some were not scored."""
        missing = sum(self.verdict(mutant) is None for mutant in self.chosen)
        if missing:
            print(f"mutants: {missing:,} of {len(self.chosen):,} mutants were not scored in the time", file=sys.stderr)
            return 2
        survivors = self.survivors()
        for line in self.lines(survivors):
            print("survived: " + line)
        print(f"{len(survivors):,} of {len(self.chosen):,} mutants of the models survive the tests")
        return 1 if survivors else 0

    def write(self, path, seed, silent):
        """`silent` are the tests that did not judge."""
        done = sum(self.verdict(mutant) is not None for mutant in self.chosen)
        command = f"./dev mutants --model --sample {len(self.chosen)} --seed {seed} --write"
        body = ["# Mutants of the models: results\n",
                f"Written by `{command}`: {done:,} of {len(self.chosen):,} chosen of {len(self.mutants):,} mutants. "
                "[What the words mean](../mutants.md#mutants-of-the-models).\n", self.table()]
        survivors = self.survivors()
        body += [f"## Survivors ({len(survivors):,})\n"]
        body += [f"* {_markdown(line)}" for line in self.lines(survivors)] or ["None."]
        explained = self.explained()
        body += [f"\n## Explained ({len(explained):,})\n"]
        body += [f"* {_markdown(line)}: {self.equivalents.reason(mutant)}"
                 for mutant, line in zip(explained, self.lines(explained))] or ["None."]
        body += [f"\n## Tests that did not judge ({len(silent):,})\n"]
        body += [f"* {name}" for name in silent] or ["None."]
        path.write_text("\n".join(body) + "\n")


def _markdown(text):
    """Without the number, which changes with every other mutant."""
    return text.rpartition(" [")[0]
