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


def callable_ratio():
    """Processor seconds of all processes of a run with every input, against those within the function in such a run."""
    try:
        import ml_dtypes
    except ImportError:
        print("2^32 inputs through a function of Python: not measured, there is no ml_dtypes")
        return True
    target, clock = ml_dtypes.float8_e4m3fn, time.thread_time
    seconds, calls = (np.frombuffer(mmap.mmap(-1, 8), dtype) for dtype in ("f8", "i8"))  # of all processes

    def cast(x):
        return x.astype(target)

    def timed(x):
        began = clock()
        result = x.astype(target)
        seconds[0] += clock() - began
        calls[0] += 1
        return result

    before = processor_seconds()
    mxcert.certify(cast, CONVERSION, jobs=1).assert_passed()
    whole = processor_seconds() - before
    mxcert.certify(timed, CONVERSION, jobs=1).assert_passed()
    began = clock()
    for _ in range(10000):
        clock()
    alone = seconds[0] - calls[0] * (clock() - began) / 10000
    return row(f"2^32 inputs through a function of Python, against its calls ({alone:.1f} s)", f"{whole / alone:.2f}", "<= 1.20",
               whole / alone <= 1.2)


def main():
    print(f"{'ratio':<72} {'':>9} {'required':>12}")
    return 0 if all([convert_beside_c(), import_time(), callable_ratio()]) else 1


if __name__ == "__main__":
    sys.exit(main())
