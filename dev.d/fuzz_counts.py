#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Counts the inputs that libFuzzer ran, over all runs, and where the last of them covered something new.

    fuzz_counts.py FILE [LOG...]    adds the runs of the logs to FILE (JSON), and prints its table in Markdown

A log is the output of one target, NAME.log. FILE has for each target the inputs of all runs, and of the last run its
inputs, the edges covered, and the number of the input that covered the last new one (0: none did).
"""
import fcntl
import json
import os
import re
import sys
from pathlib import Path

STATUS = re.compile(r"^#(\d+)\s+(\w+)\s.*?cov: (\d+)", re.MULTILINE)
EXECUTED = re.compile(r"^stat::number_of_executed_units:\s*(\d+)", re.MULTILINE)


def run_of(text):
    """The counts in the log of a finished run. Throws ValueError if it is none."""
    executed = EXECUTED.search(text)
    statuses = STATUS.findall(text)
    if not executed or not statuses:
        raise ValueError("it is no log of a finished run")
    edges = None
    newest = 0
    for number, word, cov in statuses:
        if word == "INITED":
            edges = int(cov)
        elif edges is not None and int(cov) > edges:
            edges = int(cov)
            newest = int(number)
    if edges is None:
        raise ValueError("it read no corpus")
    return {"inputs": int(executed.group(1)), "edges": edges, "last_new": newest}


def add(counts, name, run):
    before = counts.get(name, {"inputs": 0, "runs": 0})
    counts[name] = {"inputs": before["inputs"] + run["inputs"], "runs": before["runs"] + 1, "last_run": run}


def table(counts):
    """Lines of Markdown, and of the targets whose last tenth covered something new."""
    lines = ["| target | inputs of all runs | of the last run | edges | last new at |", "|---|---|---|---|---|"]
    growing = []
    for name, count in sorted(counts.items()):
        run = count["last_run"]
        lines.append(f"| `{name}` | {count['inputs']:,} | {run['inputs']:,} | {run['edges']:,} | {run['last_new']:,} |")
        if run["last_new"] > 0.9 * run["inputs"]:
            growing.append(name)
    lines.append(f"| all {len(counts)} | {sum(count['inputs'] for count in counts.values()):,} | | | |")
    return lines, growing


def main(arguments):
    if not arguments:
        print(__doc__, file=sys.stderr)
        return 2
    path = Path(arguments[0])
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        fcntl.flock(folder, fcntl.LOCK_EX)  # another run may end at the same time
        return count(path, arguments[1:])
    finally:
        os.close(folder)


def count(path, logs):
    counts = json.loads(path.read_text()) if path.exists() else {}
    for log in map(Path, logs):
        try:
            add(counts, log.stem, run_of(log.read_text(errors="replace")))
        except ValueError as error:
            print(f"fuzz_counts: {log}: {error}", file=sys.stderr)
            return 1
    if not counts:
        print(f"fuzz_counts: {path} counts nothing", file=sys.stderr)
        return 1
    if logs:
        path.write_text(json.dumps(counts, indent=2, sort_keys=True) + "\n")
    lines, growing = table(counts)
    print("\n".join(lines))
    print("\nNew edges in the last tenth of a run: " + (", ".join(growing) if growing else "none") + ".")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
