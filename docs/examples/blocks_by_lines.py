#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A backend that asks the program MXCERT_BLOCKS for blocks by lines: BF16 codes, answered by the scale and the elements."""
import os
import subprocess

from mxcert.worker import Backend, Operation, Unsupported, serve

BLOCK = 32


def quantize(shape, values):
    rows, columns = shape[:2]
    if columns % BLOCK:
        raise Unsupported("whole blocks only")
    lines = "".join(" ".join(f"{code:04X}" for code in block) + "\n" for block in values.reshape(-1, BLOCK))
    done = subprocess.run(["sh", "-c", os.environ["MXCERT_BLOCKS"]], input=lines, stdout=subprocess.PIPE, text=True, check=True)
    answers = [bytes(int(code, 16) for code in line.split()) for line in done.stdout.splitlines()]
    if [len(answer) for answer in answers] != [1 + BLOCK] * (rows * columns // BLOCK):
        raise ValueError(f"{len(answers)} lines for {rows * columns // BLOCK} blocks, or one without a scale and {BLOCK} elements")
    import numpy
    codes = numpy.frombuffer(b"".join(answers), "u1").reshape(-1, 1 + BLOCK)
    return codes[:, 1:], codes[:, 0]


def load():
    return Backend("blocks_by_lines", "0", "blocks as lines of hexadecimal", [], operations=[Operation("quantize", {
        "source": "bf16", "element": "e4m3", "scale": "e8m0", "rule": "ocp_floor", "rounding": "nearest_even", "overflow": "sat",
        "axis": "row", "block": str(BLOCK)}, quantize)])


if __name__ == "__main__":
    serve(load)
