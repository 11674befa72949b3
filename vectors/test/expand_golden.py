# SPDX-License-Identifier: Apache-2.0
"""expand_golden.py FOLDER_OF_READ_GOLDEN FILE: for each line of standard input, choices as `a=b c=d`, the SHA-256 of what the documented
reader expands the file to: lines `first,last,permit`, hexadecimal without leading zeros, neighbours that permit the same as one."""
import hashlib, sys

sys.dont_write_bytecode = True
sys.path.insert(0, sys.argv[1])
import read_golden

for line in sys.stdin:
    rows = read_golden.select(sys.argv[2], **dict(term.split("=") for term in line.split()))
    text, start = [], 0
    for i, (first, last, permit) in enumerate(rows):
        if i + 1 == len(rows) or rows[i + 1][2] != permit:
            text.append(f"{rows[start][0]:X},{last:X},{permit}\n")
            start = i + 1
    print(hashlib.sha256("".join(text).encode()).hexdigest())
