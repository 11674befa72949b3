# SPDX-License-Identifier: Apache-2.0
"""./dev endure: kill runs at random, start them again, and compare what comes with a run that nobody killed."""
import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

from run import PROGRAM, ROOT, Bench, Lost, generator
from soak import soak
from ways import PARTS, SHARDS, SHARES, WAYS, WHOLE, missing, part

FILE = ROOT / "docs" / "results" / "endure.json"
HELD, WAS_LOST, UNTESTED = 0, 1, 3  # 2 is what argparse ends with
# A way that never meets a run in time must not go on forever.
MOST_RUNS_A_KILL = 20


def say(text):
    if sys.stderr.isatty():
        print(f"\r\033[K{text}", end="", file=sys.stderr, flush=True)


def parsed():
    parser = argparse.ArgumentParser(prog="./dev endure", usage="./dev endure [--kills N] [--way WAY] [--seed N] [--soak SECONDS] [--write]")
    parser.add_argument("--kills", type=int, default=1000)
    parser.add_argument("--way", action="append", choices=list(WAYS))
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--soak", type=int, default=0, metavar="SECONDS")
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    if options.kills < 0 or options.soak < 0:
        parser.error("a number of kills or seconds is not negative")
    if options.kills == 0 and options.soak == 0:
        parser.error("nothing is to be done: --kills or --soak")
    return options


def alone(folder):
    """The runs that nobody kills, and the seconds that one takes."""
    single = Bench(folder)
    folder.mkdir()
    began = time.monotonic()
    single.finish(WHOLE)
    seconds = time.monotonic() - began
    for number in range(1, PARTS + 1):
        single.finish(part(number))
    shutil.rmtree(folder / "tmp")
    return seconds


def run_way(name, kills, options, work, seconds):
    """Runs of one way until there were so many kills. What it came to, for the results."""
    done = runs = 0
    began = time.monotonic()
    slurm = work / "slurm"
    if name == "slurm":
        started = subprocess.run([str(SHARDS / "slurm/local_slurm.sh"), "start", str(slurm), "2"], capture_output=True, text=True)
        if started.returncode != 0:
            return {"kills": 0, "runs": 0, "untested": started.stdout.strip() or "Slurm does not start here"}
        os.environ["SLURM_CONF"] = str(slurm / "slurm.conf")
    try:
        while done < kills:
            if runs > MOST_RUNS_A_KILL * kills:
                raise Lost(f"{runs} runs met {done} kills")
            bench = Bench(work / f"{name}-{runs}", seconds, work / "alone")
            bench.folder.mkdir()
            rng = generator(options.seed, f"{name}-{runs}")
            try:
                done += WAYS[name](bench, rng)
                bench.check_nothing_runs()
                bench.check_files("report")
                bench.check_report()
            except Lost as error:
                raise Lost(f"{name}, run {runs}, seed {options.seed}: {error}; its files are in {bench.folder}") from error
            shutil.rmtree(bench.folder)
            runs += 1
            say(f"{name}: {done} of {kills} kills in {runs} runs")
    finally:
        if name == "slurm":
            subprocess.run([str(SHARDS / "slurm/local_slurm.sh"), "stop", str(slurm)], capture_output=True)
    return {"kills": done, "runs": runs, "seconds": round(time.monotonic() - began)}


def write(results):
    """What was not run this time stays as it was."""
    stored = json.loads(FILE.read_text()) if FILE.exists() else {"ways": {}}
    ways = {**stored["ways"], **results["ways"]}
    FILE.write_text(json.dumps({**stored, **results, "ways": ways}, indent=2) + "\n")


def main():
    options = parsed()
    work = pathlib.Path(tempfile.mkdtemp(prefix="mxcert-endure-"))
    work.chmod(0o755)
    results = {"version": subprocess.run([str(PROGRAM), "--version"], capture_output=True, text=True, check=True).stdout.strip(),
               "seed": options.seed, "ways": {}}
    ways = options.way or list(WAYS)
    code = HELD
    try:
        seconds = alone(work / "alone")
        whole = sum(SHARES[way] for way in ways)
        for way in ways if options.kills else []:
            reason = missing(way)
            result = {"kills": 0, "runs": 0, "untested": reason} if reason else run_way(
                way, max(1, round(options.kills * SHARES[way] / whole)), options, work, seconds)
            results["ways"][way] = result
            if options.write:
                write(results)  # whatever the next way comes to
            say("")
            if "untested" in result:
                code = UNTESTED
                print(f"UNTESTED {way}: {result['untested']}")
            else:
                print(f"HELD     {way}: {result['kills']} kills of {result['runs']} runs, {result['seconds']} s")
        if options.soak:
            bench = Bench(work / "soak")
            bench.folder.mkdir()
            results["soak"] = soak(bench, options.soak, say)
            say("")
            print(f"HELD     soak: {json.dumps(results['soak'])}")
    except Lost as error:
        say("")
        print(f"LOST     {error}")
        return WAS_LOST
    shutil.rmtree(work)
    print(f"{sum(result['kills'] for result in results['ways'].values())} kills")
    if options.write:
        write(results)
    return code


if __name__ == "__main__":
    sys.exit(main())
