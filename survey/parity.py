# SPDX-License-Identifier: Apache-2.0
"""Pairs of quantizers of others: runs `mxcert parity` on them, stores short results, and writes their part of docs/parity.md."""
import json
import os
import subprocess
import sys
import textwrap
import tomllib

import environments
import measure
from environments import CACHE, ROOT

RESULTS = ROOT / "docs" / "results" / "parity"
PAGE = ROOT / "docs" / "parity.md"
WORKERS = ROOT / "build" / "release" / "lib" / "mxcert"
MOST = 3  # ranges and blocks of a part that are stored


def table():
    """The pairs."""
    return tomllib.loads((ROOT / "survey" / "parity.toml").read_text(encoding="utf-8"))["pair"]


def installed(wheel):
    """The folder of a wheel beside .venv, which keeps the release that it has. Raises SetupError."""
    folder = CACHE / "parity" / wheel.partition(" ")[0]
    if not (folder / "done").exists():
        requirements = CACHE / "parity" / "requirements.txt"
        requirements.parent.mkdir(parents=True, exist_ok=True)
        requirements.write_text(wheel + "\n", encoding="utf-8")
        environments.run_pip(environments.PROJECT / "bin" / "python", "install", "--quiet", "--no-deps", "--require-hashes",
                             "--only-binary", ":all:", "--target", folder, "-r", requirements)
        (folder / "done").touch()
    return folder


def backend(pair, side):
    """What `mxcert parity` is given for a side: one of our backends, or the same program with another release of its package."""
    name, wheel = pair[side], pair.get(f"wheel_{side}")
    if wheel is None:
        return name
    path, program = f"{installed(wheel)}:{WORKERS}", CACHE / "parity" / f"{pair['name']}-{side}"
    program.write_text(f"#!/bin/sh\nPYTHONPATH={path} exec {environments.PROJECT}/bin/python {WORKERS / name} \"$@\"\n",
                       encoding="utf-8")
    program.chmod(0o755)
    return str(program)


def arguments(pair):
    """The options of `mxcert parity` for a pair."""
    return ["--operation", pair["operation"], *(["--against", pair["against"]] if "against" in pair else []),
            *pair.get("options", ())]


def shortened(result):
    """A result without most of its ranges, blocks and refused shapes, which are counted."""
    for item in result["pairs"]:
        for part in item["parts"]:
            part["ranges_left_out"] += len(part["ranges"]) - len(part["ranges"][:MOST])
            part["ranges"], part["blocks"] = part["ranges"][:MOST], part["blocks"][:MOST]
        item["refused_shapes"] = len(item["refused"])
        item["refused"] = item["refused"][:MOST]
    return result


def run(pair):
    """Compares a pair and stores the result. False if it could not be compared."""
    output = CACHE / "parity" / f"{pair['name']}.json"
    output.parent.mkdir(parents=True, exist_ok=True)
    output.unlink(missing_ok=True)
    # torch takes its time to be read from the disk.
    command = [str(measure.program()), "parity", backend(pair, "a"), backend(pair, "b"), *arguments(pair),
               "--start-timeout", "300", "--timeout", "120", "--json", str(output)]
    done = subprocess.run(command, cwd=ROOT, env=os.environ | {"OMP_NUM_THREADS": "1"}, capture_output=True, text=True,
                          check=False)
    if done.returncode not in (0, 1):
        print(f"{pair['name']}: exit code {done.returncode}: {done.stdout[-400:]}{done.stderr[-400:]}", file=sys.stderr)
        return False
    result = {"pair": pair["name"], **shortened(json.loads(output.read_text(encoding="utf-8")))}
    RESULTS.mkdir(parents=True, exist_ok=True)
    (RESULTS / f"{pair['name']}.json").write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    return True


def difference(part):
    """The first input of a part that differs, in words."""
    if part["ranges"]:
        first = part["ranges"][0]
        where = "".join(f"{name} 0x{first[key].removeprefix('0x')}, " for key, name in
                        (("tensor_amax", "tensor amax"), ("scale", "scale")) if key in first)
        return f"{where}0x{first['first']}: 0x{first['a']} and 0x{first['b']}"
    return ""


def explanation(found):
    """What explains a difference, as lines of Markdown."""
    if found is None:
        return []
    if not found["explained"]:
        return [f"Not explained: {found['reason']}."]
    of_all = f"{found['answers_explained']:,} of {found['answers']:,} answers of B"
    changes = found["changes"]
    recipes = [f"Recipes: `{found['a_is'] or 'none'}` and `{found['b_is'] or 'none'}`."] if found["a_is"] or found["b_is"] else []
    if len(changes) == 1:
        change = changes[0]
        return [f"B = A with {change['choice']} `{change['b']}` instead of `{change['a']}`: explains {of_all}.", *recipes]
    lines = [f"B = A with {len(changes)} other choices: explains {of_all}.", *recipes,
             "", "| choice | A | B |", "|---|---|---|"]
    return lines + [f"| {change['choice']} | `{change['a']}` | `{change['b']}` |" for change in changes]


def wrapped(line):
    """A line of Markdown as lines of less than 120 characters; rows of tables stay as they are."""
    if len(line) < 120 or line.startswith("|"):
        return [line]
    return textwrap.wrap(line, 118, break_long_words=False, break_on_hyphens=False)


def section(pair, result):
    """What the page says of a pair."""
    item = result["pairs"][0]
    named = [f"{result[side]['name']} {result[side]['version']}" for side in ("a", "b")]
    lines = [f"### {pair['title']}", "", f"* A: {named[0]}, `{item['a']}`", f"* B: {named[1]}, `{item['b']}`", "",
             f"**{item['result']}** at level {result['level']}, asked values of {item['values']}"
             + (", a sample." if item["sample"] else "."), "",
             "| part | compared | differ | first: in A and in B |", "|---|---|---|---|"]
    for part in item["parts"]:
        of_all = f" of {part['all']:,}" if part["all"] is not None else ""
        lines.append(f"| {part['part']} | {part['compared']:,}{of_all} {part['inputs']} | {part['differing']:,} | {difference(part)} |")
    lines.append("")
    if item["refused_shapes"]:
        who = " and ".join(sorted({refusal["by"].upper() for refusal in item["refused"]}))
        lines.append(f"{who} refuses {item['refused_shapes']} matrices.")
    if item["blocks_under_nan_scales"]:
        lines.append(f"Not counted: {item['blocks_under_nan_scales']:,} blocks under a scale that is NaN in both.")
    lines += [f"Not compared: {text}." for text in item["not_compared"]]
    lines += explanation(item["explanation"])
    tensor = item["tensor"]
    if tensor is not None:
        between = tensor["sqnr_between_db"]
        lines += ["", f"On `{pair['options'][-1]}`: SQNR {tensor['sqnr_a_db']:.2f} and "
                  f"{tensor['sqnr_b_db']:.2f} dB, {'no difference' if between is None else f'{between:.2f} dB to the difference'}; "
                  f"{tensor['differing_elements']:,} of {tensor['values']:,} elements and {tensor['differing_scales']:,} of "
                  f"{tensor['scales']:,} scales differ."]
    lines += ["", pair["note"].replace("\n", " ")] if "note" in pair else []
    return [part for line in lines for part in wrapped(line)] + [""]


def write(check=False):
    """Writes the part of docs/parity.md. check: writes nothing, and gives a line for what would change or is missing."""
    pairs, broken, lines = table(), [], []
    for pair in pairs:
        file = RESULTS / f"{pair['name']}.json"
        if not file.exists():
            broken.append(f"no {file.relative_to(ROOT)}: ./dev survey --parity {pair['name']}")
            continue
        lines += section(pair, json.loads(file.read_text(encoding="utf-8")))
    begin, end = "<!-- begin pairs -->\n", "<!-- end pairs -->"
    text = PAGE.read_text(encoding="utf-8")
    head, _, rest = text.partition(begin)
    _, closed, tail = rest.partition(end)
    if not closed:
        return [*broken, f"docs/parity.md has no {begin.strip()} and {end}"]
    written = head + begin + "\n".join(lines) + end + tail
    if written != text and check:
        broken.append("docs/parity.md is not that of the stored results: ./dev survey --table")
    elif written != text:
        PAGE.write_text(written, encoding="utf-8")
    return broken
