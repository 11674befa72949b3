# SPDX-License-Identifier: Apache-2.0
"""./dev bench --write: how near the parts are to their limits, from one run, into docs/performance.md."""
import argparse
import os
import pathlib
import pickle
import subprocess
import sys
import tempfile

import performance_page
import ratios
import runs

ROOT = runs.ROOT
SHORT_BITS = 24  # of the bare loops, where nothing is written
STORED = ROOT / "build" / "performance.pickle"  # the last measurement


def say(text):
    print(f"dev: {text}", file=sys.stderr, flush=True)


def machine():
    model = next((line.split(":", 1)[1].strip() for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines()
                  if line.startswith("model name")), "an unknown processor")
    version = subprocess.run([str(runs.BUILT / "bin" / "mxcert"), "--version"], capture_output=True, text=True, check=True).stdout.strip()
    return f"{version}, {model}, {os.cpu_count()} cores"


def bench(command, folder, peaks, environment=None):
    """The output of a benchmark program. It ends with 1 where a ratio misses what it requires, which the page shows too."""
    name, log = pathlib.Path(command[0]).name, folder / "bench.log"
    say(" ".join([name, *command[1:]]))
    code, _, _, peak = runs.measure(command, folder, log, environment)
    text = log.read_text(errors="replace")
    print(text, file=sys.stderr, flush=True)
    if code not in (0, 1):
        raise runs.Failed(f"{name} ended with {code}")
    peaks[name] = peak
    return text


def measure(options, folder):
    peaks = {}
    programs = runs.BUILT / "bin"
    rows = ratios.of_models(bench([str(programs / "reference_bench"), "--benchmark_list_tests=true"], folder, peaks))
    bits = [str(SHORT_BITS)] if options.short and not options.write else []
    observed, bare = ratios.of_runs(bench([str(programs / "conformance_bench"), *bits], folder, peaks))
    rows += observed
    if options.python:
        environment = dict(os.environ, PYTHONPATH=str(ROOT / "python"), MXCERT_LIBRARY=str(runs.BUILT / "lib" / "libmxcert.so"),
                           MXCERT_PROGRAM=str(programs / "mxcert"))
        log = bench([options.python, "-B", str(ROOT / "python" / "bench" / "python_bench.py")], folder, peaks, environment)
        rows += ratios.of_python(log)
        peaks["python_bench.py"] = peaks.pop(pathlib.Path(options.python).name)
    names = [name for name, run in runs.RUNS.items() if not (options.short and run.long)]
    return {"machine": machine(), "cores": os.cpu_count(), "ratios": rows, "bare": bare, "peaks": peaks,
            "runs": runs.measure_runs(folder, names, say), "floor": runs.own_peak()}


def main():
    parser = argparse.ArgumentParser(prog="./dev bench")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--short", action="store_true", help="without the runs that take minutes")
    parser.add_argument("--page", action="store_true")
    parser.add_argument("--python", help="one that has numpy")
    options = parser.parse_args()
    try:
        if options.page:
            if not STORED.exists():
                raise runs.Failed("nothing was measured yet: ./dev bench --write")
            measured = pickle.loads(STORED.read_bytes())
        else:
            with tempfile.TemporaryDirectory(prefix="mxcert-bench-") as folder:
                measured = measure(options, pathlib.Path(folder))
            if options.write:
                STORED.write_bytes(pickle.dumps(measured))
        generated = performance_page.text(measured)
    except (ratios.Missing, runs.Failed, performance_page.Unexplained) as error:
        print(f"dev: {error}", file=sys.stderr)
        return 1
    if options.write or options.page:
        performance_page.PAGE.write_text(performance_page.written(performance_page.PAGE.read_text(encoding="utf-8"), generated), encoding="utf-8")
    else:
        print(generated)
    return 0


if __name__ == "__main__":
    sys.exit(main())
