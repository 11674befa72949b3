# SPDX-License-Identifier: Apache-2.0
"""Measures one entry with the program: certify, identify and a few single inputs, cut down to what the table needs."""
import json
import pathlib
import re
import shutil
import subprocess

from ask import Worker, WorkerError
from environments import CACHE, ROOT

UNEXPLAINED = re.compile(r"^  no known bug explains ([\d,]+) of [\d,]+, from (0x\w+) to (0x\w+)", re.MULTILINE)
FAILED_ROW = re.compile(r"^(?:FAIL|ERROR|MISTRUSTED|INCOMPLETE)  (\S+)  (\S+?): ", re.MULTILINE)
MOST = 160  # characters of a finding in words

# Single inputs of FP32 that part implementations, asked of each and shown side by side.
PROBES = {
    "e8m0": ["00000000", "00000001", "00400000", "00400001", "00500000", "00600000", "3F800001", "3FB504F3", "3FB504F4", "3FC00000",
             "40400000", "7F200000", "7F400000", "7F7FFFFF", "7F800000", "FF800000", "7FC00000", "FFC00000", "BF800000"],
    "e4m3": ["80000000", "3A800000", "3A800001", "3C700000", "3C880001", "3F880000", "3F880001", "43E00000", "43E80000", "43E80001",
             "43F80000", "7F7FFFFF", "7F800000", "FF800000", "7F800001", "7FC00000", "FFC00000"],
    "e5m2": ["80000000", "37000000", "37000001", "38900001", "3F900000", "3F900001", "47600000", "476FFFFF", "47700000", "7F7FFFFF",
             "7F800000", "FF800000", "7F800001", "7FC00000", "FFC00000"],
}


class MeasureError(Exception):
    """The program said that it could not ask, or the worker did not start."""


def program():
    """The mxcert that the survey runs."""
    path = ROOT / "build" / "release" / "bin" / "mxcert"
    if not path.exists():
        raise MeasureError("no build/release/bin/mxcert: run ./dev build release")
    return path


def worker_command(subject):
    """How a worker is started by hand."""
    return [str(program()), "worker", subject] if subject.endswith(".so") else [subject]


def offers(subject, environment):
    """What a worker says of itself, its conversions and the names of its operations."""
    try:
        with Worker(worker_command(subject), environment) as worker:
            return worker.about, list(worker.conversions), worker.operations
    except (OSError, WorkerError) as error:
        raise MeasureError(str(error)) from error


def probe(subject, environment):
    """The answers to PROBES: conversion -> input -> code, of every conversion from FP32 that has some."""
    found = {}
    with Worker(worker_command(subject), environment) as worker:
        for conversion in worker.conversions:
            source, target = conversion.split("-")[:2]
            if source != "fp32" or target not in PROBES:
                continue
            try:
                codes = worker.convert(conversion, [int(code, 16) for code in PROBES[target]])
                found[conversion] = " ".join(f"{code:02X}" for code in codes)
            except WorkerError as error:
                found[conversion] = str(error)[:MOST]
    return found


def matches(name, globs):
    """Whether a conversion comes under one of these patterns."""
    return any(pathlib.PurePath(name).match(glob) for glob in globs)


def passes(entry, conversions, smoke):
    """What is asked how, as names of conversions. `all`: every input of sources of up to 16 bits. `boundaries`: of 32 bits every
    boundary of what is permitted, its neighbours and a sample of each step. `live`: those that the entry names, every input and every
    place of a call. `smoke` alone if that is all that is wanted. FP64 and stochastic roundings are not asked.
    """
    plan = {"all": [], "boundaries": [], "live": [], "smoke": []}
    for name in conversions:
        source = name.split("-")[0]
        if source == "fp64" or "-fp64-" in name or "stochastic" in name or "-ptx_rs_" in name or matches(name, entry.get("leave_out", ())):
            continue
        wide = source in ("fp32", "amax_fp32") or "_by_" in source or "_times_" in source
        # `mxcert offline` asks neither sat_finite nor FNUZ formats.
        way = "smoke" if smoke or name.endswith("-sat_finite") or "fnuz" in name else "live" if matches(name, entry.get("live", ())) else "boundaries" if wide else "all"
        plan[way].append(name)
    return plan


def compact(row, text):
    """A row of a report, cut down: its verdict, counts, bugs, what none explains, and the first counterexample."""
    small = {"id": row["id"], "profile": row["profile"], "status": row["status"]}
    if row["status"] == "PASS":
        return small | {"compared": row["compared"], "observed": row.get("observed_sha256", "")[:16]}
    small |= {key: row[key] for key in ("compared", "differing", "ranges") if row.get(key)}
    if row.get("observed_sha256"):
        small["observed"] = row["observed_sha256"][:16]
    diagnosis = row.get("diagnosis", {})
    if diagnosis.get("bugs"):
        small["bugs"] = [[bug["class"], bug["how"], bug["inputs"], bug["smallest"]] for bug in diagnosis["bugs"]]
    if diagnosis.get("unexplained"):
        small["unexplained"] = [diagnosis["unexplained"], *text.get((row["id"], row["profile"]), [])]
    if row.get("known_as"):
        small["known_as"] = [[fault["class"], fault["how"]] for fault in row["known_as"]]
    if row.get("differences"):
        first = row["differences"][0]
        small["first"] = [first["first"], first["expected"], first["got"], first["clause"]]
    elif row.get("findings"):
        small["finding"] = row["findings"][0][:MOST]
    if "bugs" not in small and "first" not in small:
        small["reason"] = (row.get("detail") or row.get("reason") or "")[:MOST]
    return small


def ranges_of(text):
    """From the text of a run: row and profile -> first and last input that no bug explains."""
    places = [(match.start(), match.group(1), match.group(2)) for match in FAILED_ROW.finditer(text)]
    found = {}
    for match in UNEXPLAINED.finditer(text):
        before = [place for place in places if place[0] < match.start()]
        if before:
            found[before[-1][1:]] = [match.group(2), match.group(3)]
    return found


def run(arguments, environment, limit):
    """The exit code and text of the program. Raises MeasureError past the limit of seconds."""
    try:
        done = subprocess.run([str(program()), *arguments], capture_output=True, text=True, env=environment, timeout=limit, check=False)
    except subprocess.TimeoutExpired as error:
        raise MeasureError(f"{' '.join(arguments[:2])}: not done after {limit} s") from error
    if done.returncode == 2:
        raise MeasureError(done.stderr.strip()[-400:])
    return done.returncode, done.stdout


def read(report, code, text):
    """What the program wrote, once. Raises MeasureError where it wrote nothing."""
    if not report.exists():
        raise MeasureError(f"exit code {code} and no report: {text.strip()[-300:]}")
    content = json.loads(report.read_text(encoding="utf-8"))
    report.unlink()
    return content


def filters_of(names):
    """As options of the program."""
    return [word for name in names for word in ("--filter", name)]


def certify(entry, subject, environment, options):
    """The compact rows of one run, and what ran. options: of the program."""
    report = CACHE / f"{entry['name']}.report.json"
    CACHE.mkdir(parents=True, exist_ok=True)  # no package may have been installed into it yet
    report.unlink(missing_ok=True)
    arguments = ["certify", subject, "--json", str(report), "--max-failures", "1", "--quiet", "--rows", "--jobs", "1",
                 "--start-timeout", "300", "--timeout", "120", *options]
    code, text = run(arguments, environment, entry.get("limit", 3600))
    content = read(report, code, text)
    ranges = ranges_of(text)
    rows = [compact(row, ranges) for row in content["rows"] if row["status"] != "UNSUPPORTED"]
    rows = [row for row in rows if not (row["status"] == "UNTESTED" and not row.get("compared"))]
    return rows, {"exit_code": code, "level": content["level"], "tool": content["tool"]["version"],
                  "vectors": content["vectors"]["version"]}


def answered(entry, subject, environment, points, names, operations=()):
    """A folder with the answers of a worker to a file of requests (docs/offline.md): each input once or twice, in two orders."""
    folder = CACHE / "answers" / f"{entry['name']}-{points}"
    shutil.rmtree(folder, ignore_errors=True)
    folder.parent.mkdir(parents=True, exist_ok=True)
    arguments = ["offline", str(folder), "--points", points, *filters_of([*names, *operations])]
    for profile in entry["profiles"]:
        arguments += ["--profile", profile]
    if operations:
        hello = CACHE / f"{entry['name']}.hello.mxcf"
        with open(hello, "wb") as file:
            subprocess.run(worker_command(subject), stdin=subprocess.DEVNULL, stdout=file, stderr=subprocess.DEVNULL, env=environment,
                           check=False)
        arguments += ["--hello", str(hello)]
    code, text = run(arguments, environment, 600)
    if code != 0:
        raise MeasureError(f"offline: exit code {code}: {text.strip()[-300:]}")
    with open(folder / "requests.mxcf", "rb") as asked, open(folder / "responses.mxcf", "wb") as answers:
        done = subprocess.run(worker_command(subject), stdin=asked, stdout=answers, stderr=subprocess.PIPE, env=environment,
                              timeout=entry.get("limit", 3600), check=False)
    if done.returncode != 0:
        raise MeasureError(f"the worker ended with {done.returncode}: {done.stderr.decode(errors='replace').strip()[-300:]}")
    return folder


def identify(subject, environment, entry, names, level="standard"):
    """What conversions do, whatever they declare: conversion -> choices, faults, and the profiles that permit all of it."""
    report = CACHE / f"{entry['name']}.identified.json"
    report.unlink(missing_ok=True)
    arguments = ["identify", subject, "--json", str(report), "--quiet", "--jobs", "1", "--start-timeout", "300", "--level", level,
                 *filters_of(names)]
    content = read(report, *run(arguments, environment, entry.get("limit", 3600)))
    found = {}
    for row in content:
        name = row.get("conversion") or row.get("operation")
        if not name or "parameters" not in row:
            continue
        found[name] = {"explained": f"{row['explained']} of {row['asked']}", "name": row.get("name", ""),
                       "choices": {choice["name"]: choice["value"] for choice in row["parameters"] if choice["decided_by"]},
                       "open": {choice["name"]: choice["value"] for choice in row["parameters"] if not choice["decided_by"]},
                       "faults": row.get("faults", []), "permitted_by": [p["name"] for p in row["profiles"] if not p["differing"]]}
        if row["unexplained"]:
            found[name]["unexplained"] = row["unexplained"][:1]
    return found


def measure(entry, subject, environment, smoke=False):
    """All of an entry as it is stored: about, runs, rows, identified, probes."""
    about, conversions, operations = offers(subject, environment)
    result = {"entry": entry["name"], "about": {key: about[key] for key in ("name", "version", "description")},
              "offered": {"conversions": len(conversions), "operations": operations}, "runs": [], "rows": [], "identified": {}}
    plan = passes(entry, conversions, smoke)
    profiles = [word for profile in entry["profiles"] for word in ("--profile", profile)]
    asked = entry.get("operations", ["*"] if operations else [])
    asked = [name for name in (f"{operation}-*" for operation in operations) if asked == ["*"]] or [n for n in asked if n != "*"]

    def add(way, rows, how):
        result["rows"] += [row | {"asked": way} for row in rows]
        result["runs"].append({"asked": way} | how)

    if plan["smoke"] or smoke:
        names = plan["smoke"] + (asked if smoke else [])
        add("smoke", *certify(entry, subject, environment, ["--level", "smoke", *profiles, *filters_of(names)]))
    for points in ("all", "boundaries"):
        if plan[points]:
            folder = answered(entry, subject, environment, points, plan[points])
            add(points, *certify(entry, str(folder), environment, []))
            if points == "all":
                result["identified"] = identify(str(folder), environment, entry, plan[points])
            shutil.rmtree(folder)
    if plan["live"]:
        keep = CACHE / "keep" / entry["name"]
        options = ["--level", "quick", "--keep", str(keep), *profiles, *filters_of(plan["live"])]
        add("live", *certify(entry, subject, environment, options))
        shutil.rmtree(keep, ignore_errors=True)
    if asked and not smoke:
        level = entry.get("operations_level", "smoke")
        add(level, *certify(entry, subject, environment, ["--level", level, *profiles, *filters_of(asked)]))
    if "identify" in entry and not smoke:
        result["identified"] |= identify(subject, environment, entry, entry["identify"], "quick")
    result["probes"] = probe(subject, environment)
    return result
