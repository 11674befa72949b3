#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Reads a golden file: read_golden.py vectors/golden/fp32-e4m3.csv [CHOICE=VALUE ...]

Without a choice it checks the file: the selection of every value of every choice is a partition of the inputs. It prints OK. With
choices it prints the rows that they select, `first,last,permit`, in order; `-` selects the defaults. An error is told and exits with 1.
"""
import bisect, csv, json, os, sys


def described(path):  # the entry of the file in the manifest beside it
    folder, name = os.path.split(path)
    with open(os.path.join(folder, "manifest.json")) as file:
        manifest = json.load(file)
    if manifest["schema"] != 2:
        raise ValueError(f"the manifest has schema {manifest['schema']}, and this reads schema 2")
    entry = next((entry for entry in manifest["files"] if entry["file"] == name), None)
    if entry is None:
        raise ValueError(f"the manifest has no file {name}")
    return entry


def select(path, **chosen):
    entry = described(path)
    known = {choice["name"]: choice for choice in entry["choices"]}
    for name, value in chosen.items():
        if value not in known.get(name, {"values": []})["values"]:
            raise ValueError(f"{path} has no choice {name}={value}")
    chosen = {name: chosen.get(name, choice["default"]) for name, choice in known.items()}
    rows = []
    with open(path, newline="") as file:
        for row in csv.DictReader(file):
            when = dict(term.split("=") for term in row["when"].split())
            if all(chosen.get(choice) == value for choice, value in when.items()):
                rows += repeated(row) if "times" in row else [(int(row["first"], 16), int(row["last"], 16), row["permit"])]
    return partition(sorted(rows), entry["bits"])


def repeated(row):  # with a given scale: the rows that one stands for
    first, last, first_by, last_by, permit_by = (int(row[name], 16) for name in ("first", "last", "first_by", "last_by", "permit_by"))
    for k in range(int(row["times"])):
        code = f"{int(row['permit'], 16) + k * permit_by:0{len(row['permit'])}X}" if permit_by else row["permit"]
        yield first + k * first_by, last + k * last_by, code


def partition(rows, bits):  # the rows, if every input is in exactly one of them
    wanted = 0
    for first, last, _ in rows:
        if first != wanted or last < first:
            raise ValueError(f"the rows are no partition: 0x{first:X} to 0x{last:X} comes where 0x{wanted:X} is to follow")
        wanted = last + 1
    if wanted != 1 << bits:
        raise ValueError(f"the rows are no partition: they end before 0x{wanted:X} of {bits} bits")
    return rows


def permit(rows, code):
    return rows[bisect.bisect_right(rows, (code, float("inf"))) - 1][2]


def check(path):  # every value of every choice, the other choices at their defaults
    rows = select(path)
    for first, last, code in rows:
        if permit(rows, first) != code or permit(rows, last) != code:
            raise ValueError(f"permit() finds another row than that of 0x{first:X} to 0x{last:X}")
    for choice in described(path)["choices"]:
        for value in choice["values"]:
            select(path, **{choice["name"]: value})


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit("usage: read_golden.py FILE [CHOICE=VALUE ...]")
    try:
        if len(sys.argv) == 2:
            check(sys.argv[1])
            print("OK")
        else:
            for first, last, code in select(sys.argv[1], **dict(term.split("=") for term in sys.argv[2:] if term != "-")):
                print(f"{first:X},{last:X},{code}")
    except (ValueError, OSError) as error:
        sys.exit(f"read_golden.py: {error}")
