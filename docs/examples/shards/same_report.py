#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares two reports of certify or merge member by member: same_report.py A B

Only times and machines may differ: started, seconds, host, machines, jobs, the calls that one process was asked in turn,
and the checksum of all. Exit codes: 0 same; 1 something else differs; 2 a file that is no report.
"""
import json
import sys

SURROUNDINGS = {"started", "seconds", "host", "machines", "jobs", "turns", "sha256"}


def differences(a, b, place=""):
    if isinstance(a, dict) and isinstance(b, dict):
        for name in sorted(set(a) | set(b)):
            if name in SURROUNDINGS and (place == "" or name == "seconds"):
                continue
            yield from differences(a.get(name), b.get(name), f"{place}.{name}")
    elif isinstance(a, list) and isinstance(b, list) and len(a) == len(b):
        for index, (left, right) in enumerate(zip(a, b)):
            yield from differences(left, right, f"{place}[{index}]")
    elif a != b:
        yield f"{place}: {a!r} and {b!r}"


def main(arguments):
    try:
        reports = [json.load(open(path, encoding="utf-8")) for path in arguments]
        rows = [len(report["rows"]) for report in reports]
    except (OSError, ValueError, KeyError, TypeError) as error:
        print(f"same_report: {error}", file=sys.stderr)
        return 2
    if len(reports) != 2 or not rows[0]:
        print("same_report: two reports with rows are wanted", file=sys.stderr)
        return 2
    found = list(differences(*reports))
    for text in found[:10]:
        print(text)
    print(f"{len(found)} differences" if found else f"the same but for times and machines: {rows[0]} rows")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
