# SPDX-License-Identifier: Apache-2.0
"""Answers the lines of a pipe by a permit table and writes down what it was asked: answers.py TABLE ASKED"""
import bisect
import csv
import sys

with open(sys.argv[1], encoding="utf-8", newline="") as file:
    rows = list(csv.DictReader(file))
firsts = [int(row["first"], 16) for row in rows]
# A NaN that is open is answered by the code that E4M3 and E5M2 have in common.
codes = [row["permit"].split("|")[0] for row in rows]
digits = max(len(code) for code in codes if code != "nan")
with open(sys.argv[2], "a", encoding="utf-8") as asked:
    for line in sys.stdin:
        asked.write(line)
        code = codes[bisect.bisect_right(firsts, int(line, 16)) - 1]
        print("7F".rjust(digits, "0") if code == "nan" else code, flush=True)
