# SPDX-License-Identifier: Apache-2.0
"""The check of stored results: each is consistent, and what is known to be wrong was found, with its count and its range."""
import functools
import json
import tomllib

import findings
from environments import ROOT

STATUSES = ("PASS", "FAIL", "MISTRUSTED", "UNTESTED", "ERROR", "INCOMPLETE")
INPUTS = {"fp16": 1 << 16, "bf16": 1 << 16}  # of sources of which every input is asked


@functools.cache
def vectors_version():
    """That of this tree's golden files."""
    return json.loads((ROOT / "vectors" / "golden" / "manifest.json").read_text(encoding="utf-8"))["vectors"]


def other_vectors(result):
    """The versions of golden files that a result was judged by and that have other answers than those of this tree: any change of
    an answer raises the major number."""
    major = vectors_version().split(".")[0]
    return sorted(version for version in {run["vectors"] for run in result.get("runs", ())} if version.split(".")[0] != major)


def consistent(name, result):
    """Lines on what cannot be so in a stored result."""
    if result.get("entry") != name:
        yield f"{name}: its file is that of {result.get('entry')}"
    if not result["rows"]:
        yield f"{name}: nothing was judged"
    for conversion, found in result.get("identified", {}).items():
        explained, _, asked = found.get("explained", "0 of 0").partition(" of ")
        if int(explained) > int(asked):
            yield f"{name}: {conversion}: {explained} of {asked} inputs explained"
    for row in result["rows"]:
        place = f"{name}: {row['id']} for {row['profile']}"
        if row["status"] not in STATUSES:
            yield f"{place}: no status {row['status']}"
        if row["status"] == "PASS" and (row.get("differing") or not row.get("compared")):
            yield f"{place}: passed without a comparison"
        if row["status"] == "FAIL" and not (row.get("differing") or row.get("finding") or row.get("reason")):
            yield f"{place}: failed without a difference"
        inputs = INPUTS.get(row["id"].split("-")[0], 0) if row.get("asked") == "all" else 0
        if row["status"] in ("PASS", "FAIL") and row.get("compared", 0) < inputs:
            yield f"{place}: {inputs - row.get('compared', 0):,} of {inputs:,} inputs have no answer"
        if row.get("differing", 0) > row.get("compared", 0):
            yield f"{place}: more differing inputs than compared ones"
        explained = row.get("unexplained", [0])[0]
        if explained > row.get("differing", 0):
            yield f"{place}: more unexplained inputs than differing ones"


def found(control, result):
    """Why a control does not hold; None if it does."""
    rows = [row for row in result["rows"] if row["id"] == control["row"] and control.get("profile", row["profile"]) == row["profile"]]
    if "probe" in control:
        conversion, place, wanted = control["row"], control["probe"], control["code"]
        codes = result["probes"].get(conversion, "").split()
        from measure import PROBES
        inputs = PROBES[conversion.split("-")[1]]
        got = codes[inputs.index(place)] if place in inputs and len(codes) == len(inputs) else "no answer"
        return None if got == wanted else f"0x{place} gives {got}, not {wanted}"
    if not rows:
        return "it was not asked"
    row = rows[0]
    if "status" in control and row["status"] != control["status"]:
        return f"{row['status']}, not {control['status']}"
    for key in ("differing", "ranges"):
        if key in control and row.get(key, 0) != control[key]:
            return f"{row.get(key, 0)} {key}, not {control[key]}"
    if "bug" in control and control["bug"] not in [bug[0] for bug in row.get("bugs", ())]:
        return f"no {control['bug']}"
    if "first" in control and row.get("first", [None])[0] != control["first"]:
        return f"the first input is {row.get('first', [None])[0]}, not {control['first']}"
    return None


def controls():
    """What is known to be wrong (survey/controls.toml)."""
    return tomllib.loads((ROOT / "survey" / "controls.toml").read_text(encoding="utf-8"))["control"]


def check(entries, folder):
    """Lines on what is broken. A control of an entry without a result is broken too."""
    results = findings.load(entries, folder)
    broken = [line for name, result in results.items() for line in consistent(name, result)]
    if not results:
        broken.append(f"no results in {folder}")
    for control in controls():
        if control["entry"] not in results:
            broken.append(f"control {control['entry']}: {control['row']}: no result")
            continue
        reason = found(control, results[control["entry"]])
        if reason:
            broken.append(f"control {control['entry']}: {control['row']}: {reason}")
    for file in folder.glob("*.json"):
        try:
            json.loads(file.read_text(encoding="utf-8"))
        except json.JSONDecodeError as error:
            broken.append(f"{file.name}: {error}")
        if file.stem not in {entry["name"] for entry in entries}:
            broken.append(f"{file.name}: there is no entry of that name")
    return broken
