# SPDX-License-Identifier: Apache-2.0
"""The stored results of ./dev stuck-at: a page, and few inputs for each conversion as a text file."""
import collections
import hashlib
import json
import pathlib

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SHOWN = 3
FILE = ROOT / "docs" / "results" / "stuck_at.json"
FOLDER = ROOT / "docs" / "results" / "stuck_at"
SOURCES = [f"docs/examples/rtl/{name}" for name in ("float_to_mini.sv", "e8m0_scale.sv")]
TOOL = [f"dev.d/stuck_at/{name}" for name in ("coverage.py", "faults.py", "netlist.py", "stuck_at.py", "suites.py", "answers.py")]

HEAD = """# Stuck-at faults that the small suites detect

Written by `./dev stuck-at --write`; [rtl.md](../rtl.md#stuck-at-faults) says what is measured. Each design of
[docs/examples/rtl](../examples/rtl) is made into gates in two ways. *Faults* are all single stuck-at faults,
*classes* those that are not equivalent to another, *testable* those for which an input gives a code that is not
permitted. The columns of the suites have the testable ones that each detects. *One input* is the first input of smoke
alone: a suite that must miss faults.
"""


def share(count, testable):
    return f"{count} (100 %)" if count == testable else f"{count} ({min(100 * count / testable, 99.99):.2f} %)"


def text(content):
    rows = content["designs"]
    names = list(rows[0]["inputs"])
    lines = [HEAD, f"{content['programs']}.\n"]
    lines += ["| conversion | gates | number | faults | classes | testable | " + " | ".join(names) + " |", "|" + "---|" * (6 + len(names))]
    for row in rows:
        for net in row["netlists"]:
            lines.append(f"| {row['conversion']} | {net['library']} | {net['gates']} | {net['faults']} | {net['classes']} | {net['testable']} | "
                         + " | ".join(share(net["detected"][name], net["testable"]) for name in names) + " |")
    lines += ["\n## Inputs\n", "*Few* inputs, chosen from the suites and the solver's, detect every testable fault of both netlists.\n",
              "| conversion | " + " | ".join(names) + " | few |", "|" + "---|" * (2 + len(names))]
    for row in rows:
        lines.append(f"| {row['conversion']} | " + " | ".join(f"{row['inputs'][name]:,}" for name in names)
                     + f" | [{len(row['few'])}](stuck_at/{row['conversion']}.txt) |")
    missed = [(row["conversion"], net["library"], name, what, value) for row in rows for net in row["netlists"]
              for name, found in net["missed"].items() for what, value in found]
    lines += ["\n## Missed\n"]
    if missed:
        counts = collections.Counter(item[:3] for item in missed)
        lines.append(f"Up to {SHOWN} faults of each netlist and suite; all are in [stuck_at.json](stuck_at.json).\n")
        missed = [item for key in counts for item in [item for item in missed if item[:3] == key][:SHOWN]]
        lines += ["| conversion | gates | suite | fault | an input that detects it |", "|---|---|---|---|---|"]
        lines += ["| " + " | ".join(item) + " |" for item in missed]
    else:
        lines += ["No suite misses a testable fault."]
    return "\n".join(lines) + "\n"


def sha256(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def few_text(row):
    return "\n".join(["# SPDX-License-Identifier: Apache-2.0", f"# {row['conversion']}: inputs that detect every testable stuck-at fault of two netlists of {row['design']}",
                      *row["few"]]) + "\n"


def write(rows, programs):
    golden = sorted({f"vectors/golden/{'-'.join(row['conversion'].split('-')[:2])}.csv" for row in rows})
    content = {"programs": programs, "files": {name: sha256(ROOT / name) for name in [*SOURCES, *TOOL, *golden]}, "designs": rows}
    FILE.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
    FOLDER.mkdir(exist_ok=True)
    for old in FOLDER.glob("*.txt"):
        old.unlink()
    for row in rows:
        (FOLDER / f"{row['conversion']}.txt").write_text(few_text(row), encoding="utf-8")
    FILE.with_suffix(".md").write_text(text(content), encoding="utf-8")


def changed(content, root=ROOT):
    return [name for name, digest in content["files"].items() if not (root / name).is_file() or sha256(root / name) != digest]


def read():
    return json.loads(FILE.read_text(encoding="utf-8"))
