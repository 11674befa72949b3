# SPDX-License-Identifier: Apache-2.0
"""The output of the benchmark programs as ratios: how much of the speed of a limit or a peer is reached."""
import dataclasses
import re

TIMED = re.compile(r"(?P<what>\S.*?) +(?P<ns>\d+\.\d{4})(?: +(?P<ratio>\d+\.\d\d) +\d+\.\d\d +(?:NOT )?MET)?")
BARE = re.compile(r"portable, (?P<what>\S+): bare (?P<ns>[\d.]+) ns/value \(processor (?P<processor>[\d.]+)\)")
OBSERVED = re.compile(r"(?P<name>\w+): bare [\d.]+ ns/value \(processor (?P<bare>[\d.]+)\), observe [\d.]+ \((?P<seen>[\d.]+)\), .*")
IDENTIFIED = re.compile(r"(?P<name>\w+): observed in (?P<observed>[\d.]+) s, identified in (?P<seen>[\d.]+) s, .*")
TENSOR = re.compile(r"(?P<what>mx\w+, \w+): 256 MiB read and written in (?P<moved>[\d.]+) s, quantized in (?P<seen>[\d.]+) s, .*")
PYTHON = re.compile(r"(?P<what>\S.*?) +(?P<figure>\d+\.\d+) +(?P<sense><=|>=) [\d.]+ +(?:NOT )?MET")


class Missing(Exception):
    """A benchmark program did not print what is looked for."""


@dataclasses.dataclass
class Ratio:
    what: str
    figure: str
    limit: str  # or peer
    reached: float


def name_of(found):
    return found["what"].partition(", against ")[0]


def of_models(text):
    """reference_bench: each line with a ratio is measured against the line before it."""
    rows, before = [], None
    for line in text.splitlines():
        found = TIMED.fullmatch(line)
        if found is None:
            continue
        if found["ratio"] is not None:
            if before is None:
                raise Missing(f"nothing stands before: {line}")
            rows.append(Ratio(name_of(found), f"{found['ns']} ns", f"{name_of(before)}: {before['ns']} ns", float(found["ratio"])))
        before = found
    if not rows:
        raise Missing("reference_bench printed no ratio")
    return rows


def of_runs(text):
    """conformance_bench, and the processor time of an input in a bare loop: of conversions of `portable`, and of other plugins."""
    rows, bare = [], {}
    for line in text.splitlines():
        if found := BARE.fullmatch(line):
            bare["portable", found["what"]] = float(found["processor"])
        elif found := OBSERVED.fullmatch(line):
            bare[found["name"], "fp32-e4m3-nearest_even-sat"] = float(found["bare"])
            rows.append(Ratio(f"observe 2^32 inputs of `{found['name']}`", f"{found['seen']} ns", f"a bare loop: {found['bare']} ns",
                              float(found["bare"]) / float(found["seen"])))
        elif found := IDENTIFIED.fullmatch(line):
            rows.append(Ratio(f"identify a conversion of `{found['name']}`, 2^32 inputs", f"{found['seen']} s",
                              f"observing it: {found['observed']} s", float(found["observed"]) / float(found["seen"])))
        elif found := TENSOR.fullmatch(line):
            rows.append(Ratio(f"quantize a file of 256 MiB to {found['what']}", f"{found['seen']} s",
                              f"reading and writing it: {found['moved']} s", float(found["moved"]) / float(found["seen"])))
    if len(bare) < 3 or len(rows) < 3:
        raise Missing(f"conformance_bench printed {len(bare)} bare loops and {len(rows)} ratios")
    return rows, bare


def of_python(text):
    """python_bench.py: of costs the inverse is what is reached."""
    rows = []
    for line in text.splitlines():
        if found := PYTHON.fullmatch(line):
            figure = float(found["figure"])
            is_speed = found["sense"] == ">="
            rows.append(Ratio(found["what"], f"{figure:g} of its speed" if is_speed else f"{figure:g} times its time", "",
                              figure if is_speed else 1 / figure))
    if not rows:
        raise Missing("python_bench.py printed no ratio")
    for row in rows:
        row.what, _, row.limit = row.what.partition(", against ")
    rows = [dataclasses.replace(row, what=rows[i - 1].what if row.what == "the same" else row.what) for i, row in enumerate(rows)]
    return rows
