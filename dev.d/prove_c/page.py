# SPDX-License-Identifier: Apache-2.0
"""The page of the stored results."""
import collections

import stored

PAGE = stored.FILE.with_suffix(".md")

HEAD = """# Proofs of the C functions

Written by `./dev prove-c --write` and `./dev prove-c --edits --write`; [c-proofs.md](../c-proofs.md) says how a proof
is made. Each row is the functions of one file that have sources of one kind. *Seconds* are those of all of them
together, on a machine of two cores with other work; *compared* are inputs on which the translation was evaluated and
compared with the compiled function. The verdict on each function is in [proofs_of_c.json](proofs_of_c.json), with the
SHA-256 of each file that the verdicts depend on.
"""


def table(head, rows):
    return ["| " + " | ".join(head) + " |", "|" + "---|" * len(head), *("| " + " | ".join(map(str, row)) + " |" for row in rows), ""]


def groups(rows):
    found = collections.defaultdict(list)
    for row in rows:
        if row["bits"] is None:  # not asked yet
            continue
        found[row["backend"], row["file"].rpartition("/")[2] if row["backend"] == "portable" else row["function"], row["bits"], row["how"]].append(row)
    for (backend, name, bits, how), members in found.items():
        sources = sorted({row["conversion"].split("-")[0] for row in members})
        counts = collections.Counter(row["verdict"] for row in members)
        yield (backend, f"`{name}`", " ".join(sources), f"2^{bits}", how, len(members), ", ".join(f"{n} {verdict}" for verdict, n in counts.items()),
               f"{sum(row['seconds'] for row in members):.1f}", f"{sum(row['compared'] for row in members):,}",
               sum(row["planted"] for row in members))


def text(content):
    rows, edits = content["functions"], content["edits"]
    counts = collections.Counter(row["verdict"] for row in rows)
    lines = [HEAD]
    lines += [", ".join(f"{value}" for value in content["programs"].values()) + ".\n"]
    lines += [f"{len(rows)} functions: {', '.join(f'{n} {verdict}' for verdict, n in counts.items())}, "
              f"in {sum(row['seconds'] for row in rows):.0f} s.\n"]
    lines += table(["backend", "file or kernel", "sources", "inputs each", "by", "functions", "verdicts", "seconds", "compared", "wrong rows found"],
                   groups(rows))
    others = [row for row in rows if row["verdict"] != "PROVEN"]
    if others:
        lines += ["## Not proven\n", *table(["backend", "conversion", "verdict", "detail"],
                                            ([row[key] for key in ("backend", "conversion", "verdict", "detail")] for row in others))]
    reasons = collections.Counter((row["backend"], row["conversion"], row["reason"]) for row in content["left_out"])
    lines += ["## Left out\n", *table(["backend", "conversion", "functions", "reason"],
                                      ((backend, name, n, reason) for (backend, name, reason), n in reasons.items()))]
    lines += ["## Planted mistakes\n",
              "Each is an edit of a C source ([edits.toml](../../dev.d/prove_c/edits.toml)). Harmless ones change no code, and are\n"
              "proven. Of sources of up to 16 bits the solver also proves that the translation of the edited function gives what\n"
              "the compiled one gives on all inputs (*same*).\n",
              *(["None is stored yet: `./dev prove-c --edits --write`.\n"] if not edits else []),
              *table(["edit", "function", "verdict", "seconds", "counterexample", "same"],
                     ((row["what"] + (" (harmless)" if row["harmless"] else ""), f"{row['backend']} {row['conversion']}", row["verdict"],
                       f"{row['seconds']:.1f}", row["detail"].replace(", permitted is ", ", not "), row["same"]) for row in edits))]
    return "\n".join(lines).rstrip() + "\n"


def write():
    PAGE.write_text(text(stored.read()), encoding="utf-8")
