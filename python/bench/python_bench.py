# SPDX-License-Identifier: Apache-2.0
"""What Python costs beside C: ratios within this run, each with the most or the least it may be. Ends with 1 if one is missed.

MXCERT_LIBRARY and MXCERT_PROGRAM name what is measured. The last ratio needs ml_dtypes.
"""
import mmap
import os
import resource
import subprocess
import sys
import time

import numpy as np

import mxcert
from mxcert import _library

VALUES = 256 * 1024 * 1024 // 4
CONVERSION = "fp32-e4m3-nearest_even-nosat"


def best_of(count, *functions):
    """The best time of each, in seconds; in turn, so that a machine that changes its clock changes it for all."""
    best = [float("inf")] * len(functions)
    for _ in range(count):
        for at, function in enumerate(functions):
            began = time.perf_counter()
            function()
            best[at] = min(best[at], time.perf_counter() - began)
    return best


def row(what, figure, limit, met):
    print(f"{what:<72} {figure:>9} {limit:>12}  {'MET' if met else 'NOT MET'}", flush=True)
    return met


def convert_beside_c():
    x = np.random.default_rng(1).standard_normal(VALUES, dtype=np.float32)
    out = np.empty(VALUES, np.uint8)
    function = _library._library().mxcert_convert  # pylint: disable=protected-access
    arguments = b"fp32", b"e4m3", b"", x.ctypes.data, None, 0, out.ctypes.data, VALUES, 1
    python, c = best_of(9, lambda: mxcert.convert(x, "e4m3", out=out, threads=1), lambda: function(*arguments))
    return row("mxcert.convert of 256 MiB, against mxcert_convert from C", f"{c / python:.3f}", ">= 0.95", c / python >= 0.95)


def import_time():
    def run(code):
        return lambda: subprocess.run([sys.executable, "-c", code], check=True)
    empty, full = best_of(9, run("pass"), run("import mxcert"))
    milliseconds = 1000 * (full - empty)
    return row("import mxcert, milliseconds", f"{milliseconds:.1f}", "< 100", milliseconds < 100)


def processor_seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


class Timed:
    """A function that measures its calls, those in processes forked from this one too."""

    def __init__(self, function):
        self.function = lambda x: x
        self.seconds, self.calls = (np.frombuffer(mmap.mmap(-1, 8), dtype) for dtype in ("f8", "i8"))
        began, repeats = time.thread_time(), 20000
        for _ in range(repeats):
            self(None)
        self.cost_of_call, self.cost_inside = (time.thread_time() - began) / repeats, float(self.seconds[0]) / repeats
        self.function = function
        self.reset()

    def __call__(self, x):
        began = time.thread_time()
        result = self.function(x)
        self.seconds[0] += time.thread_time() - began
        self.calls[0] += 1
        return result

    def reset(self):
        self.seconds[0] = self.calls[0] = 0

    def within(self):
        """Processor seconds within the function."""
        return float(self.seconds[0]) - int(self.calls[0]) * self.cost_inside

    def cost(self):
        """Processor seconds that measuring took."""
        return int(self.calls[0]) * self.cost_of_call


def own_loop(function):
    """A loop that makes batches as certify() sends them and calls a Timed function: its processor seconds, against those within the calls."""
    batch, streams, length = 1 << 16, 61, 1 << 16
    chunks = np.random.default_rng(1).permutation(1 << 16).astype("u4") * np.uint32(length)
    rows = batch // streams + 1
    buffer = np.empty(rows * streams, "u4")
    seconds = 0.0
    function.reset()
    for group in range(32):  # 3 % of all inputs
        first = np.add.outer(np.arange(rows, dtype="u4"), chunks[group * streams:(group + 1) * streams]).reshape(-1)
        began = time.thread_time()
        for row in range(0, length - rows, rows):
            function(np.add(first, np.uint32(row), out=buffer)[:batch].view("f4"))
        seconds += time.thread_time() - began
    return (seconds - function.cost()) / function.within()


def callable_ratios():
    """Processor seconds of all processes of a run with every input, against those within the function in the same run, and against those
    of a loop that makes such batches and calls the function."""
    try:
        import ml_dtypes
    except ImportError:
        print("2^32 inputs through a function of Python: not measured, there is no ml_dtypes")
        return True
    target = ml_dtypes.float8_e4m3fn
    function = Timed(lambda x: x.astype(target))
    before = processor_seconds()
    mxcert.certify(function, CONVERSION, jobs=1).assert_passed()
    whole, alone = processor_seconds() - before - function.cost(), function.within()
    with np.errstate(all="ignore"):
        loop = alone * own_loop(function)
    return all([row(f"2^32 inputs through a function of Python, against its calls ({alone:.1f} s)", f"{whole / alone:.2f}", "<= 1.15",
                    whole / alone <= 1.15),
                row(f"the same, against a loop that makes the batches and calls it ({loop:.1f} s)", f"{whole / loop:.2f}", "<= 1.10",
                    whole / loop <= 1.1)])


def main():
    print(f"{'ratio':<72} {'':>9} {'required':>12}")
    return 0 if all([convert_beside_c(), import_time(), callable_ratios()]) else 1


if __name__ == "__main__":
    sys.exit(main())
