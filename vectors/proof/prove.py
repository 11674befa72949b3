#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Proves the golden conversion tables with Coq and Flocq (docs/proof.md). Run it by ./dev prove."""

import argparse
import concurrent.futures
import fnmatch
import json
import os
import pathlib
import re
import resource
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import golden  # noqa: E402  the folder is not a package
import planted  # noqa: E402

# In the order in which they require each other.
LIBRARY = ["Formats", "Spec", "Table", "Scales", "Flags", "Rounding", "Magnitude", "Ratio", "Checker", "ScaleChecker", "FlagChecker",
           "Findings", "Outcome", "Between", "Sound", "ScaleSteps", "ScaleRank", "ScaleSound", "FlagSound", "Examples"]
MEMORY = 8 << 30  # of one coqc, in bytes
ROWS_OF_A_BATCH = 2500
PROVEN, UNPROVEN, WRONG, STOPPED = "PROVEN", "UNPROVEN", "WRONG", "STOPPED"


class Stop(Exception):
    """Nothing can be proven here: its text says why."""


class Prover:
    """coqc with the compiled definitions and proofs, in a folder of its own."""

    def __init__(self, folder):
        self.library = folder / "library"
        self.tables = folder / "tables"
        for path in (self.library, self.tables):
            path.mkdir(parents=True, exist_ok=True)

    def coqc(self, path):
        def limit():
            resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        try:
            done = subprocess.run(["coqc", "-q", "-R", str(self.library), "Mxcert", path.name], cwd=path.parent, capture_output=True,
                                  text=True, check=False, preexec_fn=limit)
        except FileNotFoundError:
            raise Stop("coqc is not there: install the Debian packages coq and libcoq-flocq") from None
        return done.returncode, done.stdout, done.stderr

    def build(self):
        """Compiles the definitions and proofs, unless they were from the same sources by the same Coq."""
        self.sources = sources()
        stamp = self.library / "stamp.json"
        wanted = json.dumps(self.versions() | {"sources": self.sources})
        if stamp.is_file() and stamp.read_text(encoding="utf-8") == wanted:
            return
        for old in self.library.iterdir():
            old.unlink()
        for name in LIBRARY:
            path = self.library / f"{name}.v"
            path.write_bytes((HERE / path.name).read_bytes())
            code, _, errors = self.coqc(path)
            if code != 0:
                raise Stop(f"{HERE / path.name} is not accepted by coqc:\n{errors}")
        stamp.write_text(wanted, encoding="utf-8")

    def run(self, name, text):
        path = self.tables / (re.sub(r"\W", "_", name) + ".v")
        path.write_text(text, encoding="ascii")
        return self.coqc(path)

    def versions(self):
        code, output, errors = self.run("versions", "From Coq Require Import NArith.\nFrom Flocq Require Import Version.\nEval compute in Flocq_version.\n")
        flocq = re.search(r"= (\d+)", output)
        if code != 0 or not flocq:
            raise Stop(f"Flocq is not there: install the Debian package libcoq-flocq\n{errors}{output}")
        coq = subprocess.run(["coqc", "--print-version"], capture_output=True, text=True, check=True).stdout.split()[0]
        number = int(flocq[1])
        return {"coq": coq, "flocq": f"{number // 10000}.{number // 100 % 100}.{number % 100}"}


def first_finding(prover, data, entry):
    """Where a refused table is wrong, in Coq's words."""
    kind = golden.kind(entry)
    text = (golden.PRELUDE + f"Definition golden : {kind} := {golden.table(data, entry)[0]}.\n"
            f"Eval vm_compute in hd_error ({golden.CHECKERS[kind][2]} golden).\n")
    code, output, errors = prover.run(entry["file"] + "_finding", text)
    if code != 0:
        return " ".join(errors.split())[-300:]
    words = re.sub(r"^= Some \(?(.*?)\)? : option finding$", r"\1", " ".join(output.split()))
    return re.sub(r"\b\d+\b", lambda match: f"0x{int(match[0]):X}", words)


def prepare(folder, entry, number):
    """The theorem on a golden file, and its row of the results; no theorem and the reason where there is none."""
    data = (folder / entry["file"]).read_bytes()
    row = {"sha256": golden.sha256(data), "rows": entry["rows"]}
    if row["sha256"] != entry["sha256"]:
        return None, row | {"status": WRONG, "reason": "its SHA-256 is not that of the manifest"}
    try:
        text, rows = golden.theorem(data, entry, number)
    except golden.Unproven as reason:
        return None, row | {"status": UNPROVEN, "reason": str(reason)}
    except golden.Malformed as reason:
        return None, row | {"status": WRONG, "reason": str(reason)}
    if rows != entry["rows"]:
        return None, row | {"status": WRONG, "reason": f"it has {rows} rows, in the manifest {entry['rows']}"}
    return text, row | {"selections": golden.selections(entry), "bits": entry["bits"]}


def prove(prover, folder, batch, assumptions):
    """What the run says of some golden files, as rows of the results. One file for coqc has the theorems on all of them, because
    starting it takes longer than most; if it is refused, each table is run alone."""
    prepared = [prepare(folder, entry, number) for number, entry in enumerate(batch)]
    texts = [text for text, _ in prepared if text is not None]
    if not texts:
        return [row for _, row in prepared]
    code, output, errors = prover.run(batch[0]["file"], golden.PRELUDE + "".join(texts))
    if code != 0 and len(batch) > 1:
        return [prove(prover, folder, [entry], assumptions)[0] for entry in batch]
    if code != 0 and ("Unable to unify" in errors or "has type" in errors):
        finding = first_finding(prover, (folder / batch[0]["file"]).read_bytes(), batch[0])
        found = {"status": WRONG, "reason": finding}
    elif code != 0:
        found = {"status": STOPPED, "reason": "coqc: " + (" ".join(errors.split())[-300:] or f"exit code {code}")}
    else:
        of_one = output[:len(output) // len(texts)] if assumptions is None else assumptions
        if of_one and output == of_one * len(texts):
            found = {"status": PROVEN, "assumptions": of_one}
        else:
            found = {"status": STOPPED, "reason": "the proof assumes more, or less, than assumptions.txt lists"}
    return [row if text is None else row | found for text, row in prepared]


def line(name, row):
    if row["status"] == PROVEN:
        return f"PROVEN    {name:27} {row['rows']:5} rows, {row['selections']:4} selections, 2^{row['bits']} inputs"
    return f"{row['status']:9} {name:27} {row['rows']:5} rows: {row['reason']}"


def sources():
    """Digests of what is proven and what is trusted: the definitions and proofs, and the reader."""
    return {name: golden.sha256((HERE / name).read_bytes()) for name in [f"{x}.v" for x in LIBRARY] + ["golden.py"]}


def check(folder):
    """Compares the committed results with the golden files and sources of today: differences, tables proven, tables."""
    try:
        results = json.loads((HERE / "results.json").read_text(encoding="utf-8"))
        recorded, tables = results["sources"].get, results["tables"]
        rows = {name: (row["sha256"], row["status"]) for name, row in tables.items()}
        assumptions = results["assumptions"]
    except (ValueError, LookupError, TypeError, AttributeError):
        raise Stop(f"{HERE / 'results.json'} is not what ./dev prove --write writes") from None
    differences = [f"vectors/proof/{name} is not what the proofs were run with" for name, digest in sources().items()
                   if recorded(name) != digest]
    if golden.sha256((HERE / "assumptions.txt").read_bytes()) != assumptions:
        differences.append("vectors/proof/assumptions.txt is not what the proofs printed")
    files = {entry["file"] for entry in golden.load_manifest(folder)["files"]} | {path.name for path in folder.glob("*.csv")}
    for name in sorted(files | set(rows)):
        digest, status = rows.get(name, (None, None))
        if digest is None:
            differences.append(f"{name} has no result")
        elif not (folder / name).is_file():
            differences.append(f"{name} has a result but is not there")
        elif golden.sha256((folder / name).read_bytes()) != digest:
            differences.append(f"{name} is not the file that was proven")
        elif status not in (PROVEN, UNPROVEN):
            differences.append(f"{name} is {status}")
    proven = sum(status == PROVEN for _, status in rows.values())
    if proven == 0:
        differences.append("no table is proven")
    return differences, proven, len(rows)


def listed():
    """The committed results: a line for each target and status, with its sources, and for each reason."""
    groups = {}
    for name, row in json.loads((HERE / "results.json").read_text(encoding="utf-8"))["tables"].items():
        source, _, target = name.removesuffix(".csv").partition("-")
        groups.setdefault((row["status"], target, row.get("reason", "")), []).append((source, row))
    for (status, target, reason), tables in sorted(groups.items()):
        rows = sum(row["rows"] for _, row in tables)
        yield f"{status:8} to {target:14} {rows:5} rows, from {' '.join(source for source, _ in tables)}{reason and ': ' + reason}"


def batches(entries):
    """Golden files that go to coqc together: neighbours up to a number of rows. Those with an E8M0 scale come first and alone, the longest
    before the others, so that no processor waits for a last one."""
    scaled = sorted(filter(golden.is_scaled, entries), key=lambda entry: (-entry["bits"], -entry["rows"]))
    found, rows = [], 0
    for entry in entries:
        if golden.is_scaled(entry):
            continue
        if not found or rows + entry["rows"] > ROWS_OF_A_BATCH:
            found.append([])
            rows = 0
        found[-1].append(entry)
        rows += entry["rows"]
    return [[entry] for entry in scaled] + found


def run_tables(prover, folder, entries, jobs, assumptions):
    rows = {}
    together = batches(entries)
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        done = pool.map(lambda batch: prove(prover, folder, batch, assumptions), together)
        for batch, found in zip(together, done):
            for entry, row in zip(batch, found):
                rows[entry["file"]] = row
                print(line(entry["file"], row), flush=True)
    return rows


def summary(rows):
    count = {status: sum(row["status"] == status for row in rows.values()) for status in (PROVEN, UNPROVEN, WRONG, STOPPED)}
    tables = "table" if count[PROVEN] == 1 else "tables"
    return f"{count[PROVEN]} {tables} proven, {count[UNPROVEN]} unproven, {count[WRONG]} wrong, {count[STOPPED]} stopped"


def write(rows, prover, folder):
    """Writes the results. What was not run keeps its result if neither its file nor the sources have changed."""
    proven = [row for row in rows.values() if row["status"] == PROVEN]
    assumptions = proven[0]["assumptions"]
    if any(row["assumptions"] != assumptions for row in proven):
        raise Stop("two proofs have different assumptions")
    (HERE / "assumptions.txt").write_text(assumptions, encoding="ascii")
    old = {"sources": {}, "tables": {}}
    if (HERE / "results.json").is_file():
        old = json.loads((HERE / "results.json").read_text(encoding="utf-8"))
    tables = {}
    for entry in golden.load_manifest(folder)["files"]:
        name = entry["file"]
        row = {key: value for key, value in rows.get(name, {}).items() if key != "assumptions"}
        before = old["tables"].get(name, {})
        if not row:
            if old["sources"] == prover.sources and before.get("sha256") == entry["sha256"]:
                row = before
            else:
                row = {"sha256": entry["sha256"], "rows": entry["rows"], "status": UNPROVEN, "reason": "not run"}
        tables[name] = row
    results = prover.versions() | {"assumptions": golden.sha256(assumptions.encode()), "sources": prover.sources, "tables": tables}
    (HERE / "results.json").write_text(json.dumps(results, indent=1) + "\n", encoding="ascii")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--golden", type=pathlib.Path, default=HERE.parent / "golden", help="folder of the golden files")
    parser.add_argument("--build", type=pathlib.Path, default=HERE.parent.parent / "build" / "proof", help="folder of what coqc writes")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    mode = parser.add_mutually_exclusive_group()
    mode.add_argument("--check", action="store_true")
    mode.add_argument("--list", action="store_true")
    mode.add_argument("--planted", action="store_true")
    mode.add_argument("--write", action="store_true")
    parser.add_argument("filter", nargs="*", help="names of golden files, with * and ?")
    given = parser.parse_args()
    if given.jobs < 1:
        parser.error("--jobs is at least 1")

    if given.list:
        print("\n".join(listed()))
        return 0
    if given.check:
        differences, proven, tables = check(given.golden)
        for difference in differences:
            print(difference)
        print("FAIL: run ./dev prove --write and commit vectors/proof/results.json" if differences else
              f"OK: {proven} of {tables} golden files are those that were proven")
        return 1 if differences else 0

    entries = [entry for entry in golden.load_manifest(given.golden)["files"]
               if not given.filter or any(fnmatch.fnmatchcase(entry["file"], pattern) for pattern in given.filter)]
    if not entries:
        parser.error(f"no golden file matches {' '.join(given.filter)}")
    prover = Prover(given.build)
    prover.build()
    if given.planted:
        return planted.run(prover, given.golden, entries, given.jobs)

    # Only where there is no list yet does a run make one: a new axiom never gets in unseen.
    known = HERE / "assumptions.txt"
    assumptions = None if given.write and not known.exists() else known.read_text(encoding="ascii")
    rows = run_tables(prover, given.golden, entries, given.jobs, assumptions)
    print(summary(rows))
    failed = any(row["status"] in (WRONG, STOPPED) for row in rows.values()) or not any(row["status"] == PROVEN for row in rows.values())
    if given.write and not failed:
        write(rows, prover, given.golden)
    return 1 if failed else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (Stop, golden.Malformed, OSError) as problem:
        print(f"prove: {problem}", file=sys.stderr)
        sys.exit(2)
