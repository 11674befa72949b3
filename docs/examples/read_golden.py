#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Reads a golden file: read_golden.py vectors/golden/fp32-e4m3.csv. Prints OK, or says what is wrong and exits with 1."""
import bisect, csv, sys


def select(path, **choices):
    rows = []
    with open(path, newline="") as file:
        for row in csv.DictReader(file):
            when = dict(term.split("=") for term in row["when"].split())
            if all(choices.get(choice) == value for choice, value in when.items()):
                rows += ((int(row["first"], 16), int(row["last"], 16), row["permit"]),) if "times" not in row else repeated(row)
    return sorted(rows)


def repeated(row):  # with a given scale: the rows that one stands for
    first, last, first_by, last_by, permit_by = (int(row[name], 16) for name in ("first", "last", "first_by", "last_by", "permit_by"))
    for k in range(int(row["times"])):
        code = f"{int(row['permit'], 16) + k * permit_by:0{len(row['permit'])}X}" if permit_by else row["permit"]
        yield first + k * first_by, last + k * last_by, code


def permit(rows, code):
    return rows[bisect.bisect_right(rows, (code, 1 << 64)) - 1][2]


def broken(rows, digits, wanted_of):
    wanted = 0
    for first, last, _ in rows:  # every input in exactly one row
        if first != wanted or last < first:
            return f"row {first:0{digits}X} to {last:0{digits}X}: {wanted:0{digits}X} was to follow"
        wanted = last + 1
    if wanted != 16**digits:
        return f"the rows end before {wanted:0{digits}X}"
    for code, code_wanted in wanted_of.items():
        if permit(rows, code) != code_wanted:
            return f"{code:0{digits}X} permits {permit(rows, code)}, not {code_wanted}"
    return ""


def check(path):
    rows = select(path, rounding="nearest_even", overflow="sat", nan="canonical", zero_sign="kept")
    if "_by_e8m0" in path:
        # 464 under the scales 1, 2 and NaN: 232 is a tie and goes to 224, which is even.
        return broken(rows, 10, {0x7F43E80000: "7E", 0x8043E80000: "76", 0xFF43E80000: "7F", 0x0000400000: "38"})
    # 464 is the tie above the largest value, 448: both it and the value above it saturate. NaN is 7F, -0 is 80.
    problem = broken(rows, 8, {0x43E80000: "7E", 0x43E80001: "7E", 0x7FC00000: "7F", 0x80000000: "80"})
    rows = select(path, rounding="nearest_even", overflow="nosat", nan="canonical", overflow_nan="sign", zero_sign="kept")
    if (permit(rows, 0x43E80000), permit(rows, 0x43E80001)) != ("7E", "7F"):
        return problem or "without saturation 464 must give 7E, and the value above it 7F"
    return problem


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: read_golden.py FILE")
    problem = check(sys.argv[1])
    print(problem or "OK")
    sys.exit(1 if problem else 0)
