# SPDX-License-Identifier: Apache-2.0
"""Edits of golden files that the checker must reject: a hundred of them, drawn from a seed."""

import concurrent.futures
import csv
import io
import random
import re

import golden

SEED = 20260101
EDITS = 100
EDITS_OF_A_TABLE = 5
MOST_ROWS = 2400  # larger tables take long, and have no other kinds of rows
MOST_SCALED_ROWS = 300


def moved(text, by):
    value = int(text, 16) + by
    return None if value < 0 or value >= 16 ** len(text) else f"{value:0{len(text)}X}"


def other_value(row, entry, random_):
    terms = row["when"].split(" ") if row["when"] else []
    places = [i for i, term in enumerate(terms)
              if len(next(c for c in entry["choices"] if c["name"] == term.split("=")[0])["values"]) > 1]
    if not places:
        return None
    at = random_.choice(places)
    choice, value = terms[at].split("=")
    values = next(c for c in entry["choices"] if c["name"] == choice)["values"]
    terms[at] = choice + "=" + random_.choice([v for v in values if v != value])
    return " ".join(terms)


# An edit changes rows[at] in place and returns True, or returns False if it does not apply to that row.
def end_moved(rows, at, entry, random_):
    column, by = random_.choice(["first", "last"]), random_.choice([-1, 1])
    value = moved(rows[at][column], by)
    if value is None or int(value, 16) >> entry["bits"]:
        return False
    rows[at][column] = value
    return True


def boundary_moved(rows, at, entry, random_):
    """The end of a row and the beginning of the next: still a partition."""
    row = rows[at]
    after = [r for r in rows if r["when"] == row["when"] and int(r["first"], 16) == int(row["last"], 16) + 1 and r["permit"] != row["permit"]]
    by = random_.choice([-1, 1])
    if not after:
        return False
    following = after[0]
    if by < 0 and row["first"] == row["last"] or by > 0 and following["first"] == following["last"]:
        return False
    row["last"], following["first"] = moved(row["last"], by), moved(following["first"], by)
    return True


def code_changed(rows, at, entry, random_):
    if rows[at]["permit"] == "nan":
        return False
    value = moved(rows[at]["permit"], random_.choice([-1, 1]))
    if value is None:
        return False
    rows[at]["permit"] = value
    return True


def sign_changed(rows, at, entry, random_):
    """The top bit of the code."""
    bits = {"e4m3": 8, "e5m2": 8, "e3m2": 6, "e2m3": 6, "e2m1": 4, "int8": 8, "fp16": 16, "bf16": 16, "fp32": 32, "fp64": 64}
    code = rows[at]["permit"]
    if code == "nan" or entry["to"] not in bits:
        return False
    rows[at]["permit"] = f"{int(code, 16) ^ 1 << bits[entry['to']] - 1:0{len(code)}X}"
    return True


def nan_exchanged(rows, at, entry, random_):
    """A code where every NaN is right, or every NaN where a code is."""
    row = rows[at]
    if "nan" not in row["when"]:
        return False
    row["permit"] = "nan" if row["permit"] != "nan" else next(r["permit"] for r in rows if r["permit"] != "nan")
    return True


def dropped(rows, at, entry, random_):
    del rows[at]
    return True


def doubled(rows, at, entry, random_):
    rows.insert(at, dict(rows[at]))
    return True


def condition_changed(rows, at, entry, random_):
    when = other_value(rows[at], entry, random_)
    if when is None:
        return False
    rows[at]["when"] = when
    return True


def condition_dropped(rows, at, entry, random_):
    when = rows[at]["when"]
    choices = [c for c in entry["choices"] if c["name"] == when.split(" ")[-1].split("=")[0]]
    if not when or len(choices[0]["values"]) < 2:
        return False
    rows[at]["when"] = when.rpartition(" ")[0]
    return True


KINDS = [end_moved, boundary_moved, code_changed, sign_changed, nan_exchanged, dropped, doubled, condition_changed, condition_dropped]


def written(header, rows):
    out = io.StringIO(newline="")
    writer = csv.DictWriter(out, header, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue().encode("ascii")


def edited(data, entry, kind, random_):
    """The file with one edit of that kind at a drawn row, and the line; None if no row drawn can be edited so."""
    for _ in range(1000):
        reader = csv.DictReader(io.StringIO(data.decode("ascii"), newline=""))
        rows = list(reader)
        at = random_.randrange(len(rows))
        if kind(rows, at, entry, random_):
            return written(reader.fieldnames, rows), at + 2
    return None


def kind_of(entry):
    """A kind of table, or of source where it is of conversions: `Plain`, `Divided e8m0`."""
    kind = golden.kind(entry)
    return golden.source(entry["from"]).rpartition(" ")[0] if kind == "table" else kind


def plan(folder, entries, random_):
    """Tables, each with its file and its edits. The other kinds take turns with plain sources, which most tables have."""
    kinds = {}
    for entry in entries:
        try:
            golden.head(entry)
        except golden.Unproven:
            continue
        if entry["rows"] <= (MOST_SCALED_ROWS if golden.is_scaled(entry) else MOST_ROWS):
            kinds.setdefault(kind_of(entry), []).append(entry)
    if not kinds:
        return []
    turns = [kind for other in sorted(kinds) for kind in ("Plain", other) if kind in kinds]
    planned, count = [], 0
    while count < EDITS:
        entry = random_.choice(kinds[turns[len(planned) % len(turns)]])
        data = (folder / entry["file"]).read_bytes()
        edits = []
        while len(edits) < min(EDITS_OF_A_TABLE, EDITS - count):
            kind = KINDS[(count + len(edits)) % len(KINDS)]
            for kind in [kind, *KINDS]:
                edit = edited(data, entry, kind, random_)
                if edit is not None:
                    edits.append((kind.__name__, edit[1], edit[0]))
                    break
        planned.append((entry, data, edits))
        count += len(edits)
    return planned


def judged(prover, number, entry, data, edits):
    """Whether the checker accepts the file and each edit of it, as coqc prints it."""
    text = golden.PRELUDE
    checker = golden.CHECKERS[golden.kind(entry)][0]
    for edit in (data, *(edit for _, _, edit in edits)):
        text += f"Eval vm_compute in {checker} ({golden.table(edit, entry)[0]}).\n"
    code, output, errors = prover.run(f"planted_{number}", text)
    answers = re.findall(r"^ +(?:= )?(true|false)$|= (true|false)$", output, re.MULTILINE)
    answers = [a or b for a, b in answers]
    if code != 0 or len(answers) != len(edits) + 1:
        return f"coqc stopped: {' '.join(errors.split())[-300:]}"
    return answers


def run(prover, folder, entries, jobs):
    random_ = random.Random(SEED)
    planned = plan(folder, entries, random_)
    if not planned:
        print("FAIL: no table can be edited")
        return 1
    rejected = wrong = 0
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        results = pool.map(lambda job: judged(prover, job[0], *job[1]), enumerate(planned))
        for (entry, _, edits), answers in zip(planned, results):
            if isinstance(answers, str) or answers[0] != "true":
                print(f"FAIL      {entry['file']}: {answers if isinstance(answers, str) else 'refused without an edit'}")
                wrong += 1
                continue
            for (kind, at, _), answer in zip(edits, answers[1:]):
                rejected += answer == "false"
                wrong += answer != "false"
                print(f"{'REJECTED' if answer == 'false' else 'ACCEPTED'}  {entry['file']}:{at}: {kind.replace('_', ' ')}", flush=True)
    print(f"{rejected} of {EDITS} planted edits rejected, in {len(planned)} tables that are accepted without them")
    return 0 if rejected == EDITS and wrong == 0 else 1
