# SPDX-License-Identifier: Apache-2.0
"""Runs of mxcert that are timed: clock, processor time and peak memory, the best of several."""
import dataclasses
import os
import pathlib
import random
import resource
import subprocess
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
BUILT = ROOT / "build" / "release"
FP32 = "fp32-e4m3-nearest_even-sat"
SCALED = "fp32_by_e8m0-e4m3-nearest_even-sat"
QUANTIZER = "quantize-fp32-e4m3-e8m0-ocp_floor-nearest_even-sat-row-any"
ENOUGH_SECONDS, MOST_TIMES = 10, 9
SIDE = 8192


@dataclasses.dataclass
class Run:
    command: str
    inputs: int = 0
    target: float = 0  # seconds of clock
    bare: tuple = ()  # backend and conversion whose bare loop is its limit
    long: bool = False
    backend: str = ""  # that must have been built
    exits: tuple = (0,)

    # Measured:
    clock: float = float("inf")
    processor: float = float("inf")
    peak: float = 0  # MiB of the largest process

    def limit(self, bare):
        """Seconds, and what they are of."""
        if self.target:
            return self.target, "the goal"
        if self.bare in bare:
            return bare[self.bare] * 1e-9 * self.inputs, "a bare loop, processor"
        return 0, ""

    def reached(self, bare):
        seconds, what = self.limit(bare)
        return seconds / (self.clock if what == "the goal" else self.processor) if seconds else 0


RUNS = {
    "version": Run("--version", target=0.02),
    "2^16": Run("certify portable --level quick --filter bf16-e4m3-nearest_even-sat", 2 ** 16, target=0.5),
    "2^24": Run("certify portable --profile ocp --filter bf16_by_e8m0-e4m3-nearest_even-sat", 2 ** 24),
    "2^32": Run(f"certify portable --filter {FP32}", 2 ** 32, bare=("portable", FP32)),
    "one job": Run(f"certify portable --jobs 1 --filter {FP32}", 2 ** 32),
    "cuda_fp8": Run(f"certify cuda_fp8 --profile ocp --filter {FP32}", 2 ** 32, bare=("cuda_fp8", FP32), backend="cuda_fp8"),
    "2^40": Run(f"certify portable --profile ocp --level complete --filter {SCALED}", 2 ** 40, target=60, long=True),
    "pairs": Run(f"certify portable --profile ocp-sat --level complete --filter '{QUANTIZER}/*'", 32604 * 2 ** 24, target=60, long=True),
    "identify 2^16": Run("identify portable --filter bf16-e4m3-nearest_even-sat", 2 ** 16),
    "identify 2^32": Run(f"identify portable --filter {FP32}", 2 ** 32),
    "selftest": Run("selftest --level smoke", long=True, exits=(0, 1)),  # some bugs escape the small suites
    "selftest of one": Run("selftest --filter bf16-e4m3-nearest_even-sat"),
    "convert": Run("convert values.npy -o codes.npy --to e4m3", SIDE * SIDE),
    "quantize": Run("quantize values.npy -o quantized --format mxfp8_e4m3", SIDE * SIDE),
    "multiply": Run("matmul few few -o product.npy --transpose nt", 1024 ** 3),
    "accumulate": Run("matmul few few -o sums.npy --transpose nt --accumulator blackwell_mxf8f6f4", 1024 ** 3),
}


class Failed(Exception):
    pass


def own_peak():
    """MiB. A process starts with the peak of the one that starts it: less cannot be measured."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def measure(command, folder, log, environment=None):
    """Seconds of clock and processor, and MiB of the largest process of a command and those it starts."""
    with open(log, "w", encoding="utf-8") as output:
        began = time.monotonic()
        process = subprocess.Popen(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=output, stderr=output, env=environment)
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    return process.returncode, time.monotonic() - began, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024


def write_values(path, rows, columns):
    """FP32 of eight binades below 1, of either sign."""
    count = 1 << 18
    words = int.from_bytes(random.Random(1).randbytes(4 * count), "little")
    pattern = lambda word: int.from_bytes(word.to_bytes(4, "little") * count, "little")  # noqa: E731
    piece = (words & pattern(0x83FFFFFF) | pattern(0x3C000000)).to_bytes(4 * count, "little")
    head = f"{{'descr': '<f4', 'fortran_order': False, 'shape': ({rows}, {columns}), }}"
    head = head.ljust(117) + "\n"
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + len(head).to_bytes(2, "little") + head.encode())
        for _ in range(rows * columns // count):
            file.write(piece)


def measure_runs(folder, names, say):
    """Runs each at least twice, more often until ENOUGH_SECONDS are used; those of minutes once."""
    write_values(folder / "values.npy", SIDE, SIDE)
    write_values(folder / "few.npy", 1024, 1024)
    program = str(BUILT / "bin" / "mxcert")
    subprocess.run([program, "quantize", "few.npy", "-o", "few", "--format", "mxfp8_e4m3"], cwd=folder, check=True, capture_output=True)
    done = {}
    for name in names:
        run = dataclasses.replace(RUNS[name])
        if run.backend and not (BUILT / "lib" / "mxcert" / f"{run.backend}.so").exists():
            continue
        words = [word.strip("'") for word in run.command.split()]
        used = times = 0
        while times < (1 if run.long else 2) or (used < ENOUGH_SECONDS and times < MOST_TIMES):
            say(run.command)
            code, clock, processor, peak = measure([program, *words], folder, folder / "log")
            if code not in run.exits:
                raise Failed(f"mxcert {run.command} ended with {code}:\n{(folder / 'log').read_text(errors='replace')[-600:]}")
            run.clock, run.processor, run.peak = min(run.clock, clock), min(run.processor, processor), max(run.peak, peak)
            used, times = used + clock, times + 1
        done[name] = run
    return done
