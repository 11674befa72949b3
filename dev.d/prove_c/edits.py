# SPDX-License-Identifier: Apache-2.0
"""Mistakes planted in the C sources (edits.toml), each of which the proof must find, and harmless edits, which it must not call wrong."""
import pathlib
import shutil
import sys
import tomllib

import claims
import permits
from sources import ROOT, SourceError

TABLE = pathlib.Path(__file__).with_name("edits.toml")


def edited(edit, folder):
    """A copy of the backends with one edit."""
    shutil.copytree(ROOT / "conformance" / "backends", folder / "conformance" / "backends")
    shutil.copy(ROOT / "conformance" / "backend.h", folder / "conformance" / "backend.h")
    path = folder / edit["file"]
    text = path.read_text(encoding="utf-8")
    if text.count(edit["old"]) != 1:
        raise SourceError(f"{TABLE.name}: {edit['file']} has {text.count(edit['old'])} times '{edit['old']}', not once")
    path.write_text(text.replace(edit["old"], edit["new"]), encoding="utf-8")


def judge_all(mxcert, work, seconds, functions_of):
    """The verdict on each conversion that an edit names. Of sources of up to 16 bits also whether the terms of the solver are what the
    edited function, compiled, gives for all inputs."""
    rows, entries = [], functions_of(ROOT, work).entries  # an edit changes what functions do, not which there are
    for number, edit in enumerate(tomllib.loads(TABLE.read_text(encoding="utf-8"))["edit"]):
        folder = work / f"edit{number}"
        edited(edit, folder)
        made = folder / "made"
        made.mkdir()
        functions = functions_of(folder, made, entries)
        chosen = [entry for entry in functions.entries if f"{entry.backend}:{entry.conversion}" in edit["conversions"]]
        if len(chosen) != len(edit["conversions"]):
            raise SourceError(f"{TABLE.name}: not every one of {edit['conversions']} is a conversion")
        for entry in chosen:
            rows.append(judge_one(mxcert, edit, entry, functions.of(entry, chosen), seconds))
        shutil.rmtree(folder)
    failed = [row for row in rows if not row["as_expected"]]
    print(f"{len(rows)} functions with an edit: {len(rows) - len(failed)} as expected, {len(failed)} not", file=sys.stderr if failed else sys.stdout)
    return rows


def judge_one(mxcert, edit, entry, made, seconds):
    function, compiled = made
    table = permits.export(mxcert, entry.conversion)
    result = claims.judge(function, entry, table, compiled, seconds)
    expected = claims.PROVEN if edit.get("harmless") else claims.WRONG
    same = ""
    if table.bits <= 16 and not claims.is_enumerated(entry, table) and not edit.get("undefined"):
        found = claims.differs_from_observed(function, entry, table, compiled, seconds)
        same = f"all {1 << table.bits:,} inputs" if found is None else f"not 0x{found:X}"
    good = result.verdict == expected and not same.startswith("not")
    print(f"{edit['what']:58}{entry.backend}:{entry.conversion:44}{result.verdict:10}{result.seconds:6.1f}  {result.detail}"
          + (f"; the term is the function on {same}" if same else "") + ("" if good else f"  EXPECTED {expected}"), flush=True)
    return {"what": edit["what"], "file": edit["file"], "backend": entry.backend, "conversion": entry.conversion, "verdict": result.verdict,
            "seconds": round(result.seconds, 1), "detail": result.detail, "same": same, "harmless": bool(edit.get("harmless")),
            "as_expected": good}
