#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""golden.py FILE BITS CHOICE=VALUE...: the rows of a golden file that these choices select, each input in exactly one."""
import csv
import pathlib
import sys


def select(path, bits, choices):
    rows = []
    for row in csv.DictReader(pathlib.Path(path).read_text().splitlines()):
        if set(row["when"].split()) <= set(choices):
            first, last, permit = int(row["first"], 16), int(row["last"], 16), row["permit"]
            by = [int(row.get(name, "0"), 16) for name in ("first_by", "last_by", "permit_by")]
            for k in range(int(row.get("times", "1"))):
                code = f"{int(permit, 16) + k * by[2]:0{len(permit)}X}" if by[2] else permit
                rows.append((first + k * by[0], last + k * by[1], code))
    rows.sort()
    assert [first for first, _, _ in rows] + [1 << bits] == [0] + [last + 1 for _, last, _ in rows], "no partition"
    return rows


if __name__ == "__main__":
    for first, last, permit in select(sys.argv[1], int(sys.argv[2]), sys.argv[3:]):
        print(f"{first:X},{last:X},{permit}")
