#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Proofs of the C functions of the backends: ./dev prove-c --help has the options."""
import argparse
import collections
import fnmatch
import importlib.metadata
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import llvmlite.binding

import claims
import edits
import instructions
import page
import permits
import sources
import stored
from sources import ROOT

EXIT = {claims.PROVEN: 0, claims.WRONG: 1, claims.UNPROVEN: 3}


class Functions:
    """The entries of a source folder, translated and compiled a file at a time."""

    def __init__(self, folder, work, known=None):
        """known: the entries, if they are known."""
        self.folder, self.work = folder, work
        self.entries, self.left_out = (known, []) if known else sources.entries(folder, work)
        self.read = {}
        self.consists_of = {}

    def sources_of(self, file):
        if file not in self.consists_of:
            self.consists_of[file] = sources.sources_of(self.folder, file, self.work)
        return self.consists_of[file]

    def of(self, entry, chosen):
        """The function in LLVM's language of an entry, and the compiled one, made with the others of its file that are chosen."""
        if entry.file not in self.read:
            others = [other for other in chosen if other.file == entry.file]
            text = sources.intermediate(self.folder, entry.file, others)
            module = llvmlite.binding.parse_assembly(text)
            module.verify()
            self.read[entry.file] = module, sources.Compiled(self.folder, entry.file, others, self.work)
        module, compiled = self.read[entry.file]
        return module.get_function(entry.name), compiled


def programs():
    """What the verdicts were made with."""
    clang = sources.run(sources.CLANG, "--version").splitlines()[0]
    return {"solver": f"Bitwuzla {importlib.metadata.version('bitwuzla')}",
            "llvm": f"llvmlite {importlib.metadata.version('llvmlite')}, LLVM {'.'.join(map(str, llvmlite.binding.llvm_version_info))}",
            "compiler": " ".join(clang.split()[:4]), "compiled": sources.run("cc", "--version").splitlines()[0]}


def explained(mxcert, entry, value, permits_bits):
    """What `mxcert explain` says of a counterexample."""
    source, target, rounding, overflow = entry.conversion.split("-")
    digits = (permits_bits + 3) // 4
    command = [mxcert, "explain", f"0x{value:0{digits}X}", "--from", source, "--to", target, "--rounding", rounding, "--overflow", overflow]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return ["$ " + " ".join(["mxcert", *command[1:]]), *(done.stdout or done.stderr).rstrip().split("\n")]


def report(entry, result):
    print(f"{entry.backend:10}{entry.conversion:46}{result.verdict:10}{result.seconds:7.1f}  "
          + (result.detail or f"{result.planted} wrong rows planted, all found"), flush=True)


def verdict_on(entry, functions, chosen, mxcert, options, about, proven):
    """The stored row of one function: from an earlier run, if nothing has changed since."""
    try:
        table = permits.export(mxcert, entry.conversion)
    except permits.PermitError as error:
        if entry.backend == "own":
            raise
        return stored.row(entry, claims.Result(claims.UNPROVEN, str(error)), None, "")
    key = stored.key_of(entry, table, functions.folder, functions.sources_of(entry.file), about)
    if key in proven:
        return proven[key]
    function, compiled = functions.of(entry, chosen)
    result = claims.judge(function, entry, table, compiled, options.timeout)
    report(entry, result)
    if result.verdict == claims.WRONG:
        print("\n".join("    " + line for line in explained(mxcert, entry, result.counterexample, table.bits)))
    return stored.row(entry, result, table, key)


def prove(options, mxcert, work):
    """The verdicts on all functions that the options ask for, as stored rows."""
    own = sources.own_entry(options.source, options.function, options.conversion) if options.source else None
    functions = Functions(ROOT, work, [own] if own else None)
    chosen = [entry for entry in functions.entries
              if fnmatch.fnmatchcase(f"{entry.backend}:{entry.conversion}", options.filter or "*")]
    if not chosen:
        sys.exit(f"prove-c: no function for the filter '{options.filter}'")
    about, proven = programs(), stored.proven() if options.write else {}
    files = stored.files_of(functions, work) if options.write else {}
    rows = []
    for entry in sorted(chosen, key=effort):  # those take longest
        rows.append(verdict_on(entry, functions, chosen, mxcert, options, about, proven))
        if options.write:  # so that a run which is stopped goes on where it was
            stored.write(rows[-1:], functions, about, files)
    for backend, conversion, reason in functions.left_out:
        print(f"{backend:10}{conversion:46}left out          {reason}")
    if not own:
        print(summary(rows, functions.left_out))
    return rows


def effort(entry):
    """What takes longest comes last: sources with a given scale, those from FP32 above all."""
    source = entry.conversion.split("-")[0]
    return sources.has_scale(source) + source.startswith("fp32_by")


def summary(rows, left_out):
    counts = collections.Counter(row["verdict"] for row in rows)
    parts = [f"{counts[verdict]} {verdict}" for verdict in EXIT if counts[verdict]]
    return f"{len(rows)} functions: {', '.join(parts)}; {len(left_out)} left out"


def worst(rows):
    return max((EXIT[row["verdict"]] for row in rows), key=[0, 3, 1].index)


def parse():
    parser = argparse.ArgumentParser(prog="./dev prove-c", add_help=False)
    parser.add_argument("--filter")
    parser.add_argument("--source", type=pathlib.Path)
    parser.add_argument("--function")
    parser.add_argument("--conversion")
    parser.add_argument("--edits", action="store_true")
    parser.add_argument("--instructions", action="store_true")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--timeout", type=float, default=300)
    options = parser.parse_args()
    if options.timeout <= 0:
        parser.error("--timeout takes seconds, more than 0")
    own = [options.source, options.function, options.conversion]
    if any(own) and not all(own):
        parser.error("--source, --function and --conversion go together")
    if options.instructions and (options.edits or options.write or options.filter or options.source):
        parser.error("--instructions goes with --timeout alone")
    if options.source and (options.filter or options.edits or options.write):
        parser.error("--source goes with --timeout alone")
    if options.source and not options.source.is_file():
        parser.error(f"there is no file {options.source}")
    if options.source and not re.fullmatch(r"[A-Za-z_]\w*", options.function):
        parser.error(f"'{options.function}' is no name of a function")
    if options.source and len(options.conversion.split("-")) != 4:
        parser.error(f"'{options.conversion}' is no conversion: fp32-e4m3-nearest_even-sat is one")
    if options.edits and options.filter:
        parser.error("--edits takes all edits, so no --filter")
    return options


def main():
    options = parse()
    mxcert = os.environ.get("MXCERT", str(ROOT / "build" / "release" / "bin" / "mxcert"))
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        try:
            if options.instructions:
                problems, count, evaluated, asked = instructions.check(Functions, work, options.timeout)
                print("\n".join(problems) or f"{count} functions: arrays and compiler agree on {evaluated:,} inputs each, solver and compiler on {asked}")
                return 1 if problems else 0
            if options.edits:
                found = edits.judge_all(mxcert, work, options.timeout, Functions)
                if options.write:
                    stored.write_edits(found)
                    page.write()
                return 0 if all(row["as_expected"] for row in found) else 1
            rows = prove(options, mxcert, work)
            if options.write:
                page.write()
        except (sources.SourceError, permits.PermitError) as error:
            print(f"prove-c: {error}", file=sys.stderr)
            return 2
    return worst(rows)


if __name__ == "__main__":
    sys.exit(main())
