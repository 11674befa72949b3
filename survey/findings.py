# SPDX-License-Identifier: Apache-2.0
"""Stored results as findings: one for each conversion or part of an operation of an implementation."""
import collections
import dataclasses
import fnmatch
import json
import tomllib

from environments import ROOT

# Profiles that rest on a standard, or are stricter. To pass one of these is to conform; to pass another alone is not.
GENERAL = ("ocp-sat", "ocp-nosat", "ocp-sat-finite", "unsigned-scales", "zvfofp8min", "p3109", "nvidia-cuda-host", "products")
COLUMNS = ("to E4M3", "to E5M2", "to E8M0", "to FP6", "to FP4", "to FNUZ", "to others", "from E4M3", "from E5M2", "from E8M0",
           "from others", "blocks", "products")
TARGETS = {"e4m3": "E4M3", "e5m2": "E5M2", "e8m0": "E8M0", "e3m2": "FP6", "e2m3": "FP6", "e2m1": "FP4", "e4m3fnuz": "FNUZ",
           "e5m2fnuz": "FNUZ"}
WIDE = ("fp32", "fp16", "bf16")


@dataclasses.dataclass
class Finding:
    """What one implementation does in one conversion, or in one part of an operation.

    state: conforms, own (only to profiles of an implementation), differs, or failed (crash, values off the grid).
    rows: of the result, one a profile; best: that with the fewest differing inputs.
    """

    entry: str
    name: str
    state: str
    rows: list
    best: dict
    identified: dict
    note: str

    @property
    def column(self):
        """The column of the matrix."""
        if "/" in self.name or self.name.split("-")[0] in ("matmul", "scaled_matmul", "linear"):
            return "products" if self.name.split("-")[0] in ("matmul", "scaled_matmul", "linear") else "blocks"
        source, target = self.name.split("-")[:2]
        if source in WIDE:
            return "to " + TARGETS.get(target, "others")
        return "from " + (TARGETS[source] if source in ("e4m3", "e5m2", "e8m0") else "others")

    @property
    def passed(self):
        """The profiles that it agrees with."""
        return [row["profile"] for row in self.rows if row["status"] == "PASS"]

    @property
    def causes(self):
        """What it does instead: names of bug classes, `unexplained`, or a word of what went wrong."""
        found = list(dict.fromkeys(bug[0] for bug in self.best.get("bugs", ())))
        found += list(dict.fromkeys(fault[0] for fault in self.best.get("known_as", ()) if fault[0] not in found))
        if self.best.get("unexplained") or (not found and self.state == "differs"):
            found.append("unexplained")
        if self.state == "failed":
            found.append("OFF_GRID" if "OFF_GRID" in self.best.get("reason", "") else self.best["status"])
        return found

    @property
    def text(self):
        """The verdict in words, with counts, ranges and the first input."""
        if self.state == "conforms":
            return "conforms to " + ", ".join(self.passed)
        if self.state == "own":
            return "agrees with " + ", ".join(self.passed) + " alone"
        row, parts = self.best, []
        for name, how, inputs, smallest in row.get("bugs", ()):
            parts.append(f"{name} ({how}): {inputs:,} inputs from 0x{smallest}")
        if row.get("unexplained"):
            count, *ends = row["unexplained"]
            parts.append(f"{count:,} inputs unexplained" + (f", {ends[0]} to {ends[1]}" if ends else ""))
        for name, how in row.get("known_as", ()):
            parts.append(f"{name} ({how})")
        if row.get("first"):
            first, expected, got, clause = row["first"]
            parts.append(f"first 0x{first}: {code(got)}, permitted {code(expected)} [{clause}]")
        elif row.get("finding"):
            parts.append(row["finding"])
        elif row.get("reason"):
            parts.append(row["reason"])
        if row.get("differing"):
            parts.insert(0, f"{row['differing']:,} of {row['compared']:,} inputs differ")
        return "; ".join(parts)


def code(text):
    """A code of a report for people."""
    return text if text in ("nan", "-nan") or not text or text.startswith("any") else f"0x{text}"


def notes():
    """What was read in the code about findings that no bug class explains: entry, pattern of names, text."""
    file = ROOT / "survey" / "notes.toml"
    return tomllib.loads(file.read_text(encoding="utf-8"))["note"] if file.exists() else []


def of_result(result, known):
    """The findings of a stored result, in its order."""
    rows = collections.defaultdict(list)
    for row in result["rows"]:
        rows[row["id"]].append(row)
    found = []
    for name, judged in rows.items():
        passed = [row for row in judged if row["status"] == "PASS"]
        best = min(judged, key=lambda row: (row["status"] != "PASS", row["status"] == "UNTESTED", row.get("differing", 1 << 62)))
        if passed:
            state = "conforms" if any(row["profile"] in GENERAL for row in passed) else "own"
        else:
            state = "differs" if best["status"] == "FAIL" else "failed"
        note = next((note["says"] for note in known if note["entry"] == result["entry"] and
                     any(fnmatch.fnmatch(name, glob) for glob in note["rows"])), "") if state != "conforms" else ""
        found.append(Finding(result["entry"], name, state, judged, best, result["identified"].get(name, {}), note))
    return found


def load(entries, folder):
    """The stored results of entries, in the order of the table: entry -> result."""
    found = {}
    for entry in entries:
        file = folder / f"{entry['name']}.json"
        if file.exists():
            found[entry["name"]] = json.loads(file.read_text(encoding="utf-8"))
    return found


def dump(result):
    """A result as text: a line for each row, so that differences can be read."""
    def lines(value):
        if isinstance(value, list) and value and isinstance(value[0], dict):
            return "[\n" + ",\n".join("  " + json.dumps(item) for item in value) + "\n ]"
        if isinstance(value, dict) and any(isinstance(item, (dict, str)) and len(value) > 3 for item in value.values()):
            return "{\n" + ",\n".join(f"  {json.dumps(key)}: {json.dumps(item)}" for key, item in value.items()) + "\n }"
        return json.dumps(value)
    return "{\n" + ",\n".join(f" {json.dumps(key)}: {lines(value)}" for key, value in result.items()) + "\n}\n"


def counts_of(result):
    """Rows by status, in words."""
    counts = collections.Counter(row["status"] for row in result["rows"])
    return ", ".join(f"{number} {status}" for status, number in sorted(counts.items())) or "no rows"


def changes(file, result):
    """What a newer release changed against the stored result: conversions that came, went, or answer otherwise."""
    if not file.exists():
        return ["no stored result to compare with"]
    before, after = json.loads(file.read_text(encoding="utf-8")), result
    lines = [f"{name} {before['packages'].get(name, '')} -> {version}" for name, version in after["packages"].items()
             if before["packages"].get(name) != version]
    old, new = ({(row["id"], row["profile"]): row for row in which["rows"]} for which in (before, after))
    lines += [f"gone: {row} for {profile}" for row, profile in old.keys() - new.keys()]
    lines += [f"new: {row} for {profile}: {new[row, profile]['status']}" for row, profile in new.keys() - old.keys()]
    for key in sorted(old.keys() & new.keys()):
        if (old[key].get("observed"), old[key]["status"]) != (new[key].get("observed"), new[key]["status"]):
            lines.append(f"{key[0]} for {key[1]}: {old[key]['status']}, {old[key].get('differing', 0):,} inputs -> "
                         f"{new[key]['status']}, {new[key].get('differing', 0):,} inputs")
    return lines or ["nothing changed"]
