# SPDX-License-Identifier: Apache-2.0
"""docs/survey from the stored results: parts of README.md, findings.md, matrix.csv, matrix.json and matrix.html."""
import collections
import csv
import io
import json
import textwrap

import controls
import findings
import matrix_page
from environments import ROOT
from findings import COLUMNS
from measure import PROBES

PLACE = ROOT / "docs" / "survey"
FIELDS = ("implementation", "packages", "row", "column", "state", "profiles", "causes", "compared", "differing", "first", "permitted",
          "got", "choices", "permitted_by", "says")


def gathered(entries, folder):
    """The entries that have a result, with it and its findings."""
    known, results = findings.notes(), findings.load(entries, folder)
    return [(entry, results[entry["name"]], findings.of_result(results[entry["name"]], known))
            for entry in entries if entry["name"] in results]


def packages_of(entry, result):
    """Name and version of what an entry is about."""
    named = [f"{name} {version}" for name, version in result["packages"].items() if version]
    return ", ".join(named) or f"{result['about']['name']} {result['about']['version']}"


def summary(found):
    """How many conversions and parts are in each state."""
    return collections.Counter(finding.state for finding in found)


def cell(found, column):
    """The state of a column of the matrix, and what it does instead: none where nothing of it is offered."""
    there = [finding for finding in found if finding.column == column]
    if not there:
        return "none", ""
    for state in ("failed", "differs", "own"):
        if any(finding.state == state for finding in there):
            causes = list(dict.fromkeys(cause for finding in there if finding.state == state for cause in finding.causes))
            if state == "own":
                causes = list(dict.fromkeys(profile for finding in there if finding.state == "own" for profile in finding.passed))
            return state, ", ".join(causes)
    return "conforms", ""


def implementations(data):
    """The table of implementations."""
    yield "| implementation | version | conform | own profile | differ | what differs |"
    yield "|---|---|---|---|---|---|"
    for entry, result, found in data:
        counts = summary(found)
        causes = list(dict.fromkeys(cause for finding in found if finding.state in ("differs", "failed") for cause in finding.causes))
        shown = ", ".join(causes[:4]) + (f" and {len(causes) - 4} more" if len(causes) > 4 else "")
        yield (f"| [{entry['title']}](findings.md#{entry['name'].replace('_', '-')}) | {packages_of(entry, result)} | "
               f"{counts['conforms']} | {counts['own']} | {counts['differs'] + counts['failed']} | {shown or '-'} |")
    older = collections.defaultdict(list)
    for entry, result, _ in data:
        if others := controls.other_vectors(result):
            older[" and ".join(others)].append(entry["name"])
    yield ""
    if not older:
        major = controls.vectors_version().split(".")[0]
        yield f"All were judged by golden files of version {major}, which all have the same answers."
    for version, names in sorted(older.items()):
        yield from textwrap.wrap(f"Judged by the golden files {version}, not {controls.vectors_version()}, until `./dev survey` "
                                 f"measures them again: {', '.join(names)}.", 120, break_on_hyphens=False)


def side_by_side(data, target):
    """What each encoder gives for the inputs of PROBES; encoders with the same answers share a row."""
    same = collections.defaultdict(list)
    for entry, result, _ in data:
        for conversion, codes in result["probes"].items():
            if conversion.split("-")[1] == target and len(codes.split()) == len(PROBES[target]):
                rounding, overflow = conversion.split("-")[2:4]
                same[codes].append(f"{entry['name']} {rounding} {overflow}")
    yield f"{sum(map(len, same.values()))} encoders give {len(same)} different rows. A column is an FP32 input, whose code is read downwards."
    yield ""
    yield "```text"
    for at in range(8):
        yield " ".join(f" {code[at]}" for code in PROBES[target])
    yield ""
    for codes, names in sorted(same.items(), key=lambda item: -len(item[1])):
        yield from textwrap.wrap(codes + "  " + "; ".join(names), 118, subsequent_indent=" " * (len(codes) + 2), break_on_hyphens=False)
    yield "```"


def pairs(data, listed):
    """Where two implementations of one name differ: conversions that both were asked of whole, with other answers."""
    of_entry = {entry["name"]: (entry, {finding.name: finding for finding in found}) for entry, _, found in data}
    yield "| pair | the same answers | different answers | such as |"
    yield "|---|---|---|---|"
    for one, other in listed:
        if one not in of_entry or other not in of_entry:
            continue
        left, right = of_entry[one][1], of_entry[other][1]
        digests = [{name: finding.rows[0].get("observed", "") for name, finding in side.items()
                    if finding.rows[0]["asked"] in ("all", "live")} for side in (left, right)]
        both = [name for name in digests[0] if name in digests[1] and digests[0][name] and digests[1][name]]
        unlike = [name for name in both if digests[0][name] != digests[1][name]]
        yield f"| {of_entry[one][0]['title']}; {of_entry[other][0]['title']} | {len(both) - len(unlike)} | {len(unlike)} | " \
              f"{', '.join(f'`{name}`' for name in unlike[:2]) or '-'} |"


def control_rows():
    """The positive controls."""
    from controls import controls
    yield "| implementation | row | what must be found |"
    yield "|---|---|---|"
    for control in controls():
        yield f"| {control['entry']} | `{control['row']}` | {control['says']} |"


def environments_table(data, places):
    """What each environment takes on disk."""
    yield "| environment | packages | disk, MB |"
    yield "|---|---|---|"
    sizes = {entry["environment"]: result["environment_mb"] for entry, result, _ in data}
    for name, row in places.items():
        yield f"| {name} | {', '.join(row['packages'])} | {sizes.get(name) or '-'} |"


def findings_page(data):
    """Every finding, an implementation after the other."""
    yield "# Findings of the survey"
    yield ""
    yield "`./dev survey --table` writes this page. [README.md](README.md) says what the words mean."
    for entry, result, found in data:
        yield ""
        yield f"## {entry['name'].replace('_', '-')}"
        yield ""
        how = ", ".join(sorted({run["asked"] for run in result["runs"]}))
        yield f"{entry['title']}: {packages_of(entry, result)}. {result['about']['description']}. Asked: {how}."
        good = collections.defaultdict(list)
        for finding in found:
            if finding.state in ("conforms", "own"):
                good[finding.text].append(finding.name)
        for text, names in good.items():
            yield f"- {text}: {', '.join(f'`{name}`' for name in names)}"
        for finding in found:
            if finding.state in ("differs", "failed"):
                yield f"- **`{finding.name}`**: {finding.text}" + (f". {finding.note}" if finding.note else "")


def flat(data):
    """A dictionary for each finding, with the members of FIELDS."""
    for entry, result, found in data:
        for finding in found:
            first = finding.best.get("first", [""] * 4) if finding.state == "differs" else [""] * 4
            yield dict(zip(FIELDS, (
                entry["name"], packages_of(entry, result), finding.name, finding.column, finding.state, " ".join(finding.passed),
                " ".join(finding.causes) if finding.state in ("differs", "failed") else "", finding.best.get("compared", 0),
                finding.best.get("differing", 0), first[0], first[1], first[2],
                " ".join(f"{name}={value}" for name, value in finding.identified.get("choices", {}).items()),
                " ".join(finding.identified.get("permitted_by", ())), finding.note)))


def as_csv(data):
    """The findings as CSV."""
    text = io.StringIO()
    writer = csv.DictWriter(text, FIELDS, lineterminator="\n")
    writer.writeheader()
    writer.writerows(flat(data))
    return text.getvalue()


def replaced(text, name, lines):
    """A page with what is between the comments of this name written again."""
    begin, end = f"<!-- begin {name} -->\n", f"<!-- end {name} -->"
    head, found, rest = text.partition(begin)
    _, closed, tail = rest.partition(end)
    if not found or not closed:
        raise ValueError(f"docs/survey/README.md has no {begin.strip()} and {end}")
    return head + begin + "\n".join(lines) + "\n" + end + tail


def write(entries, places, listed, folder, check=False):
    """Writes docs/survey. check: writes nothing, and gives a line for each file that would change."""
    data = gathered(entries, folder)
    readme = (PLACE / "README.md").read_text(encoding="utf-8")
    parts = {"implementations": implementations(data), "pairs": pairs(data, listed), "controls": control_rows(),
             "environments": environments_table(data, places), "e8m0": side_by_side(data, "e8m0"),
             "e4m3": side_by_side(data, "e4m3"), "e5m2": side_by_side(data, "e5m2")}
    for name, lines in parts.items():
        readme = replaced(readme, name, lines)
    rows = list(flat(data))
    files = {"README.md": readme, "findings.md": "\n".join(findings_page(data)) + "\n", "matrix.csv": as_csv(data),
             "matrix.json": "[\n" + ",\n".join(json.dumps(row) for row in rows) + "\n]\n",
             "matrix.html": matrix_page.page([(entry, packages_of(entry, result),
                                               {column: (*cell(found, column), [finding for finding in found if finding.column == column])
                                                for column in COLUMNS}) for entry, result, found in data])}
    changed = []
    for name, text in files.items():
        file = PLACE / name
        if not file.exists() or file.read_text(encoding="utf-8") != text:
            changed.append(f"docs/survey/{name} is not that of the stored results: ./dev survey --table")
            if not check:
                file.write_text(text, encoding="utf-8")
    return changed if check else []
